package openai_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"pollux/llm"
	"pollux/llm/llmtest"
	"pollux/llm/openai"
)

func TestResponsesConformance(t *testing.T) {
	t.Parallel()
	llmtest.Run(t, llmtest.Vendor{
		New: func(t *testing.T, url string) llm.Generator {
			return newClient(t, openai.Options{BaseURL: url, Quirks: openai.Quirks{Protocol: openai.Responses}})
		},
		Stream: func(chunks []*llm.Response) [][]byte {
			var pieces [][]byte
			n := 0
			for i, c := range chunks {
				var data []byte
				for _, item := range outputItems(c) {
					n++
					switch item["type"] {
					case "reasoning":
						data = event(data, "response.reasoning_summary_text.delta", map[string]any{"output_index": 0, "summary_index": 0, "delta": item["text"]})
					case "message":
						data = event(data, "response.output_text.delta", map[string]any{"output_index": 1, "delta": item["text"]})
					default:
						args := item["arguments"]
						item["arguments"] = ""
						data = event(data, "response.output_item.added", map[string]any{"output_index": n + 1, "item": item})
						data = event(data, "response.function_call_arguments.delta", map[string]any{"output_index": n + 1, "delta": args})
						item["arguments"] = args
						data = event(data, "response.output_item.done", map[string]any{"output_index": n + 1, "item": item})
					}
				}
				if i == len(chunks)-1 {
					r := responseObject(c, nil)
					data = event(data, "response."+r["status"].(string), map[string]any{"response": r})
				}
				pieces = append(pieces, data)
			}
			return pieces
		},
		Answer: func(r *llm.Response) []byte {
			items := outputItems(r)
			for _, item := range items {
				item["content"] = []any{map[string]any{"type": "output_text", "text": item["text"]}}
			}
			return show(responseObject(r, items))
		},
		Error: errorBody,
	})
}

func event(data []byte, kind string, members map[string]any) []byte {
	members["type"] = kind
	return fmt.Appendf(data, "event: %s\ndata: %s\n\n", kind, show(members))
}

func outputItems(r *llm.Response) []map[string]any {
	var items []map[string]any
	for _, p := range r.Parts() {
		switch {
		case p.Thought:
			items = append(items, map[string]any{"type": "reasoning", "text": p.Text})
		case p.FunctionCall != nil:
			items = append(items, map[string]any{"type": "function_call", "call_id": p.FunctionCall.ID, "name": p.FunctionCall.Name, "arguments": string(p.FunctionCall.Args)})
		default:
			items = append(items, map[string]any{"type": "message", "text": p.Text})
		}
	}
	return items
}

func responseObject(r *llm.Response, items []map[string]any) map[string]any {
	o := map[string]any{"id": "r", "model": "m", "status": "completed", "error": nil, "output": items}
	switch r.FinishReason() {
	case llm.FinishMaxTokens:
		o["status"], o["incomplete_details"] = "incomplete", map[string]any{"reason": "max_output_tokens"}
	case llm.FinishSafety:
		o["status"], o["incomplete_details"] = "incomplete", map[string]any{"reason": "content_filter"}
	}
	if u := r.Usage; u != nil {
		o["usage"] = json.RawMessage(fmt.Sprintf(`{"input_tokens":%d,"output_tokens":%d,"total_tokens":%d}`, u.Prompt, u.Candidates, u.Total))
	}
	return o
}
