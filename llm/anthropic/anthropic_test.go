package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"pollux/llm"
	"pollux/llm/llmtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// Idle connections of clients of finished tests.
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		client     func(t testing.TB, url string) *Client
		streamType string
		piece      func(events string) []byte
	}{
		"direct": {
			func(t testing.TB, url string) *Client { return newClient(t, Options{APIKey: "secret", BaseURL: url}) },
			"", func(events string) []byte { return []byte(events) },
		},
		"Vertex":  {onVertex, "", func(events string) []byte { return []byte(events) }},
		"Bedrock": {onBedrock, eventStream, func(events string) []byte { return []byte(framed(events)) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := protocol(c.piece)
			v.StreamType = c.streamType
			if name == "Bedrock" {
				v.Skip = map[string]string{"byte order mark": "its streams are binary"}
			}
			v.New = func(t *testing.T, url string) llm.Generator { return c.client(t, url) }
			llmtest.Run(t, v)
		})
	}
}

// protocol returns the vendor for the conformance tests; piece wraps the events of
// a chunk.
func protocol(piece func(events string) []byte) llmtest.Vendor {
	return llmtest.Vendor{
		Stream: func(chunks []*llm.Response) [][]byte {
			s := sse{}
			var pieces [][]byte
			for i, c := range chunks {
				if i == 0 {
					s.start(&llm.Usage{Prompt: 1})
				}
				for _, p := range c.Parts() {
					s.part(p)
				}
				if i == len(chunks)-1 {
					s.end(c)
				}
				pieces = append(pieces, piece(s.String()))
				s.Reset()
			}
			return pieces
		},
		Answer: func(r *llm.Response) []byte {
			var content []any
			for _, p := range r.Parts() {
				content = append(content, map[string]any{"type": "text", "text": p.Text})
			}
			return encode(map[string]any{
				"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": content,
				"stop_reason": stopReason(r), "usage": map[string]any{"input_tokens": r.Usage.Prompt, "output_tokens": r.Usage.Candidates},
			})
		},
		Error: errorBody,
	}
}

func newClient(t testing.TB, o Options) *Client {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

func errorBody(status int, message string) []byte {
	word := "api_error"
	for _, w := range []string{
		"invalid_request_error", "authentication_error", "billing_error", "permission_error", "not_found_error", "request_too_large", "rate_limit_error",
		"timeout_error", "overloaded_error",
	} {
		if statusOfType(w) == status {
			word = w
		}
	}
	return encode(map[string]any{"type": "error", "error": map[string]any{"type": word, "message": message}, "request_id": "req_1"})
}

// sse writes a stream as the service does.
type sse struct {
	strings.Builder
	open  string // kind of the block that is open
	index int
}

func (s *sse) event(kind string, members map[string]any) {
	members["type"] = kind
	fmt.Fprintf(s, "event: %s\ndata: %s\n\n", kind, encode(members))
}

func (s *sse) start(u *llm.Usage) {
	s.event(messageStart, map[string]any{"message": map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": u.Prompt, "output_tokens": 1},
	}})
	s.event("ping", map[string]any{})
}

// begin begins a block, if none of its kind is open.
func (s *sse) begin(kind string, block map[string]any) {
	if s.open == kind && kind != "tool_use" {
		return
	}
	s.stop()
	s.open = kind
	block["type"] = kind
	s.event(blockStart, map[string]any{"index": s.index, "content_block": block})
}

func (s *sse) delta(kind, member, text string) {
	s.event(blockDelta, map[string]any{"index": s.index, "delta": map[string]any{"type": kind, member: text}})
}

func (s *sse) stop() {
	if s.open != "" {
		s.event(blockStop, map[string]any{"index": s.index})
		s.index++
		s.open = ""
	}
}

func (s *sse) part(p llm.Part) {
	switch {
	case p.FunctionCall != nil:
		s.begin("tool_use", map[string]any{"id": p.FunctionCall.ID, "name": p.FunctionCall.Name, "input": map[string]any{}})
		half := len(p.FunctionCall.Args) / 2
		s.delta("input_json_delta", memberJSON, "")
		s.delta("input_json_delta", memberJSON, string(p.FunctionCall.Args[:half]))
		s.delta("input_json_delta", memberJSON, string(p.FunctionCall.Args[half:]))
	case p.Thought && p.ThoughtSignature != "":
		s.delta("signature_delta", memberSignature, p.SignatureBy(vendor))
	case p.Thought:
		s.begin("thinking", map[string]any{"thinking": "", "signature": ""})
		s.delta("thinking_delta", memberThinking, p.Text)
	default:
		s.begin("text", map[string]any{"text": ""})
		s.delta("text_delta", memberText, p.Text)
	}
}

func (s *sse) end(c *llm.Response) {
	s.stop()
	usage := map[string]any{"output_tokens": 5}
	if c.Usage != nil {
		usage = map[string]any{"input_tokens": c.Usage.Prompt, "output_tokens": c.Usage.Candidates}
	}
	s.event(messageDelta, map[string]any{"delta": map[string]any{"stop_reason": stopReason(c), "stop_sequence": nil}, "usage": usage})
	s.event(messageStop, map[string]any{})
}

func stopReason(c *llm.Response) string {
	switch c.FinishReason() {
	case llm.FinishMaxTokens:
		return "max_tokens"
	case llm.FinishSafety:
		return "refusal"
	}
	for _, p := range c.Parts() {
		if p.FunctionCall != nil {
			return "tool_use"
		}
	}
	return "end_turn"
}
