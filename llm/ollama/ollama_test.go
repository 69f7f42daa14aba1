package ollama_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"pollux/llm"
	"pollux/llm/llmtest"
	"pollux/llm/ollama"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// Idle connections of finished tests.
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

// fullDescription describes a model with all capabilities.
const fullDescription = `{"parameters":"stop \"<|im_end|>\"\ntemperature 0.6","details":{"family":"qwen3"},` +
	`"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960,"tokenizer.ggml.tokens":null},` +
	`"capabilities":["completion","tools","thinking","vision"]}`

func TestConformance(t *testing.T) {
	t.Parallel()
	llmtest.Run(t, llmtest.Vendor{
		New: func(t *testing.T, url string) llm.Generator {
			c := newClient(t, ollama.Options{BaseURL: url})
			if err := c.Know("test-model", fullDescription); err != nil { // each case counts the requests
				t.Fatal(err)
			}
			return c
		},
		Stream: func(chunks []*llm.Response) [][]byte {
			var pieces [][]byte
			for i, c := range chunks {
				data := append(show(line(c, false)), '\n')
				if i == len(chunks)-1 {
					data = append(append(data, show(line(c, true))...), '\n')
				}
				pieces = append(pieces, data)
			}
			return pieces
		},
		Answer: func(r *llm.Response) []byte {
			whole := line(r, true)
			whole["message"] = line(r, false)["message"]
			return show(whole)
		},
		Error:      func(_ int, message string) []byte { return show(map[string]any{"error": message}) },
		StreamType: "application/x-ndjson",
		Skip:       map[string]string{"finish reasons": "the protocol has no word for a blocked answer; see TestStreams"},
	})
}

// line returns a line of the stream as the server sends it. last reports
// whether it is the final line.
func line(r *llm.Response, last bool) map[string]any {
	message := map[string]any{"role": "assistant", "content": ""}
	out := map[string]any{"model": "test-model", "created_at": "2026-01-01T00:00:00.5Z", "message": message, "done": last}
	if last {
		out["done_reason"] = map[llm.FinishReason]string{llm.FinishStop: "stop", llm.FinishMaxTokens: "length"}[r.FinishReason()]
		if u := r.Usage; u != nil {
			out["prompt_eval_count"], out["eval_count"], out["total_duration"] = u.Prompt, u.Candidates, 12345
		}
		return out
	}
	var calls []any
	for _, p := range r.Parts() {
		switch {
		case p.Thought:
			message["thinking"] = p.Text
		case p.FunctionCall != nil:
			calls = append(calls, map[string]any{"function": map[string]any{"name": p.FunctionCall.Name, "arguments": p.FunctionCall.Args}})
		default:
			message["content"] = p.Text
		}
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return out
}

func newClient(t *testing.T, o ollama.Options) *ollama.Client {
	t.Helper()
	c, err := ollama.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func show(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprint(v, err))
	}
	return data
}
