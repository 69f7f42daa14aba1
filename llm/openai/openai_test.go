package openai_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"pollux/llm"
	"pollux/llm/llmtest"
	"pollux/llm/openai"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// Idle connections of finished tests.
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

func TestChatConformance(t *testing.T) {
	t.Parallel()
	llmtest.Run(t, llmtest.Vendor{
		New: func(t *testing.T, url string) llm.Generator { return newClient(t, openai.Options{BaseURL: url}) },
		Stream: func(chunks []*llm.Response) [][]byte {
			var pieces [][]byte
			calls := 0
			for i, c := range chunks {
				data := fmt.Appendf(nil, "data: %s\n\n", chatChunk(c, "delta", &calls))
				if i == len(chunks)-1 {
					if c.Usage != nil {
						data = fmt.Appendf(data, "data: {\"choices\":[],\"usage\":%s}\n\n", chatUsage(c.Usage))
					}
					data = append(data, "data: [DONE]\n\n"...)
				}
				pieces = append(pieces, data)
			}
			return pieces
		},
		Answer: func(r *llm.Response) []byte {
			var body map[string]json.RawMessage
			calls := 0
			if err := json.Unmarshal(chatChunk(r, "message", &calls), &body); err != nil {
				t.Error(err)
			}
			body["usage"] = chatUsage(r.Usage)
			return show(body)
		},
		Error: errorBody,
	})
}

func newClient(t *testing.T, o openai.Options) *openai.Client {
	t.Helper()
	if o.APIKey == "" {
		o.APIKey = "secret"
	}
	c, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// chatChunk encodes r as a chunk of Chat Completions.
func chatChunk(r *llm.Response, where string, calls *int) []byte {
	message := map[string]any{"role": "assistant"}
	for _, p := range r.Parts() {
		switch {
		case p.Thought:
			message["reasoning_content"] = p.Text
		case p.FunctionCall != nil:
			list, _ := message["tool_calls"].([]any)
			message["tool_calls"] = append(list, map[string]any{
				"index": *calls, "id": p.FunctionCall.ID, "type": "function",
				"function": map[string]any{"name": p.FunctionCall.Name, "arguments": string(p.FunctionCall.Args)},
			})
			*calls++
		default:
			message["content"] = p.Text
		}
	}
	choice := map[string]any{"index": 0, where: message, "finish_reason": nil}
	switch r.FinishReason() {
	case llm.FinishStop:
		choice["finish_reason"] = "stop" // for calls too, as some servers send it
	case llm.FinishMaxTokens:
		choice["finish_reason"] = "length"
	case llm.FinishSafety:
		choice["finish_reason"] = "content_filter"
	}
	return show(map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []any{choice}})
}

func chatUsage(u *llm.Usage) []byte {
	return fmt.Appendf(nil, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, u.Prompt, u.Candidates, u.Total)
}

func errorBody(status int, message string) []byte {
	kind := map[int]string{401: "authentication_error", 429: "rate_limit_error", 500: "server_error"}[status]
	if kind == "" {
		kind = "invalid_request_error"
	}
	return show(map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": nil}})
}

func show(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
