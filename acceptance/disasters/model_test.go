//go:build unix

package disasters

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// call is a tool call, in the words of one agent. Input is the argument of a tool that takes text instead of JSON.
type call struct {
	name  string
	args  map[string]any
	input string
}

// arguments returns the arguments as a JSON object in a string.
func (c call) arguments() string { return encode(c.args) }

// model answers requests that declare the tools of its calls with one call after the other, and then, like all other
// requests, with a text. It speaks the protocol of the path of a request. It accepts everything: agents send fields that no
// vendor documents.
type model struct {
	*httptest.Server
	t     *testing.T
	calls []call

	mu     sync.Mutex
	next   int
	bodies []string
}

func serve(t *testing.T, calls []call) *model {
	t.Helper()
	m := &model{t: t, calls: calls}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if *show {
		m.t.Logf("%s %s: %s", r.Method, r.URL, body)
	}
	answer := m.answer(body)
	var request struct{ Stream bool }
	_ = json.Unmarshal(body, &request) // not all have it
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, ":streamGenerateContent"):
		stream(w, "", gemini(answer))
	case strings.HasSuffix(path, ":generateContent"):
		_, _ = io.WriteString(w, encode(gemini(answer)))
	case strings.HasSuffix(path, "/chat/completions"):
		stream(w, "", chat(answer)...)
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	case strings.HasSuffix(path, "/responses"):
		stream(w, "type", responses(answer)...)
	case strings.HasSuffix(path, "/messages") && request.Stream:
		stream(w, "type", messages(answer)...)
	case strings.HasSuffix(path, "/messages"):
		_, _ = io.WriteString(w, encode(message(answer, []any{block(answer)}, stopReason(answer))))
	case strings.HasSuffix(path, "/count_tokens"):
		_, _ = io.WriteString(w, `{"input_tokens": 1000}`)
	default:
		http.NotFound(w, r)
	}
}

// answer returns the next call, or nil for a text.
func (m *model) answer(body []byte) *call {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bodies = append(m.bodies, string(body))
	if m.next == len(m.calls) || !bytes.Contains(body, []byte(`"name":"`+m.calls[m.next].name+`"`)) && !bytes.Contains(body, []byte(`"name": "`+m.calls[m.next].name+`"`)) {
		return nil
	}
	m.next++
	return &m.calls[m.next-1]
}

// unused returns the calls that no request has got.
func (m *model) unused() []call {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls[m.next:]
}

const text = "Done."

// object is a JSON object.
type object = map[string]any

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// stream writes server-sent events. The name of an event is its field in kind.
func stream(w http.ResponseWriter, kind string, events ...object) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		if kind != "" {
			fmt.Fprintf(w, "event: %s\n", e[kind])
		}
		fmt.Fprintf(w, "data: %s\n\n", encode(e))
	}
}

func gemini(c *call) object {
	part := object{"text": text}
	if c != nil {
		part = object{"functionCall": object{"id": "call_1", "name": c.name, "args": c.args}, "thoughtSignature": "c2ln"}
	}
	return object{
		"candidates":    []any{object{"content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 1000, "candidatesTokenCount": 10, "totalTokenCount": 1010}, "modelVersion": "m", "responseId": "r",
	}
}

func chat(c *call) []object {
	delta, reason := object{"role": "assistant", "content": text}, "stop"
	if c != nil {
		delta, reason = object{"role": "assistant", "tool_calls": []any{object{
			"index": 0, "id": "call_" + c.name, "type": "function", "function": object{"name": c.name, "arguments": c.arguments()},
		}}}, "tool_calls"
	}
	chunk := func(choices []any, more object) object {
		return merge(object{"id": "c", "object": "chat.completion.chunk", "created": 1700000000, "model": "m", "choices": choices}, more)
	}
	return []object{
		chunk([]any{object{"index": 0, "delta": delta, "finish_reason": nil}}, nil),
		chunk([]any{object{"index": 0, "delta": object{}, "finish_reason": reason}}, nil),
		chunk([]any{}, object{"usage": object{"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}}),
	}
}

func merge(a, b object) object {
	for k, v := range b {
		a[k] = v
	}
	return a
}

func responses(c *call) []object {
	item := object{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": []any{object{"type": "output_text", "text": text, "annotations": []any{}}}}
	switch {
	case c != nil && c.input != "":
		item = object{"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_" + c.name, "name": c.name, "input": c.input, "status": "completed"}
	case c != nil:
		item = object{"type": "function_call", "id": "fc_1", "call_id": "call_" + c.name, "name": c.name, "arguments": c.arguments(), "status": "completed"}
	}
	whole := func(status string, output []any) object {
		return object{"id": "resp_1", "object": "response", "created_at": 1700000000, "status": status, "model": "m", "output": output, "usage": object{
			"input_tokens": 1000, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 10,
			"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 1010,
		}}
	}
	return []object{
		{"type": "response.created", "sequence_number": 0, "response": whole("in_progress", []any{})},
		{"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": item},
		{"type": "response.output_item.done", "sequence_number": 2, "output_index": 0, "item": item},
		{"type": "response.completed", "sequence_number": 3, "response": whole("completed", []any{item})},
	}
}

// block is the content of a message of Anthropic.
func block(c *call) object {
	if c == nil {
		return object{"type": "text", "text": text}
	}
	return object{"type": "tool_use", "id": "toolu_" + c.name, "name": c.name, "input": c.args}
}

func stopReason(c *call) any {
	if c == nil {
		return "end_turn"
	}
	return "tool_use"
}

func message(c *call, content []any, reason any) object {
	return object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": content, "stop_reason": reason, "stop_sequence": nil,
		"usage": object{"input_tokens": 1000, "output_tokens": 10},
	}
}

func messages(c *call) []object {
	start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": text}
	if c != nil {
		start = merge(block(c), object{"input": object{}})
		delta = object{"type": "input_json_delta", "partial_json": c.arguments()}
	}
	return []object{
		{"type": "message_start", "message": message(c, []any{}, nil)},
		{"type": "content_block_start", "index": 0, "content_block": start},
		{"type": "content_block_delta", "index": 0, "delta": delta},
		{"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": object{"stop_reason": stopReason(c), "stop_sequence": nil}, "usage": object{"output_tokens": 10}},
		{"type": "message_stop"},
	}
}
