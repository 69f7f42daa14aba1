package agent_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/anthropic"
	"pollux/llm/gemini"
	"pollux/llm/openai"
	"pollux/llm/retry"
)

// protocol describes the stream format of a vendor's server.
type protocol struct {
	client                     func(url string) (llm.Generator, error)
	thought, text, half, whole []string // whole is a whole answer with the text ok
	failure                    string   // an error in mid-stream: the server is overloaded
}

var protocols = map[string]protocol{
	"gemini": {
		client: func(url string) (llm.Generator, error) {
			return gemini.New(gemini.Options{APIKey: "k", BaseURL: url})
		},
		thought: []string{`{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true}]}}]}`},
		text:    []string{`{"candidates":[{"content":{"role":"model","parts":[{"text":"He"}]}}]}`},
		half:    []string{`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"look","args":{}}}]}}]}`},
		whole:   []string{`{"candidates":[{"content":{"role":"model","parts":[{"text":"ok"}]},"finishReason":"STOP"}]}`},
		failure: `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`,
	},
	"chat": {
		client: func(url string) (llm.Generator, error) {
			return openai.New(openai.Options{APIKey: "k", BaseURL: url})
		},
		thought: []string{`{"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}`},
		text:    []string{`{"choices":[{"index":0,"delta":{"content":"He"}}]}`},
		half:    []string{`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"look","arguments":"{\"a\":"}}]}}]}`},
		whole:   []string{`{"choices":[{"index":0,"delta":{"content":"ok"}}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `[DONE]`},
		failure: `{"error":{"message":"The server is overloaded.","type":"server_error"}}`,
	},
	"responses": {
		client: func(url string) (llm.Generator, error) {
			return openai.New(openai.Options{APIKey: "k", BaseURL: url, Quirks: openai.Quirks{Protocol: openai.Responses}})
		},
		thought: []string{`{"type":"response.reasoning_summary_text.delta","item_id":"r","output_index":0,"summary_index":0,"delta":"hm"}`},
		text:    []string{`{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"He"}`},
		half: []string{
			`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"f","call_id":"c","name":"look","arguments":""}}`,
			`{"type":"response.function_call_arguments.delta","item_id":"f","output_index":0,"delta":"{\"a\":"}`,
		},
		whole: []string{
			`{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"ok"}`,
			`{"type":"response.completed","response":{"id":"x","status":"completed","output":[{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"ok"}]}]}}`,
		},
		failure: `{"type":"error","code":"server_error","message":"The server is overloaded.","param":null}`,
	},
	"anthropic": {
		client: func(url string) (llm.Generator, error) {
			return anthropic.New(anthropic.Options{APIKey: "k", BaseURL: url})
		},
		thought: []string{messageStart, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`},
		text:    []string{messageStart, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"He"}}`},
		half:    []string{messageStart, `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c","name":"look","input":{}}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`},
		whole: []string{
			messageStart, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"ok"}}`, `{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}`, `{"type":"message_stop"}`,
		},
		failure: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
	},
}

const messageStart = `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`

// With every protocol, a response that breaks off after thoughts, after text, or in the middle of
// a call is requested again.
func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	for name, p := range protocols {
		for _, tt := range []struct {
			name   string
			pieces []string
			isVoid bool // text was shown
		}{
			{"thought", p.thought, false},
			{"call", p.half, false},
			{"thought, call", append(p.thought[:len(p.thought):len(p.thought)], p.half...), false},
			{"text", p.text, true},
			{"text, call", append(p.text[:len(p.text):len(p.text)], p.half...), true},
		} {
			for _, failure := range []string{"", p.failure} {
				t.Run(fmt.Sprintf("%s, %s, error %t", name, tt.name, failure != ""), func(t *testing.T) {
					t.Parallel()
					got, requests := broken(t, p, tt.pieces, failure)
					want := lines("text ok", "end of turn STOP")
					if tt.isVoid {
						want = lines("text He", "retried INCOMPLETE_STREAM") + want
					}
					if diff := cmp.Diff(want, got[max(0, strings.Index(got, "text")):]); diff != "" || requests != 2 {
						t.Errorf("%d requests, events\n%s", requests, got)
					}
				})
			}
		}
	}
}

// With every protocol, the size that the vendor reports in its refusal reaches the user,
// whether the refusal is the response or comes in the middle of one.
func TestSizesOfVendors(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]string{
		"gemini":    `{"error":{"code":400,"message":"The input token count (1030) exceeds the maximum number of tokens allowed (1000).","status":"INVALID_ARGUMENT"}}`,
		"chat":      `{"error":{"message":"This model's maximum context length is 1000 tokens. However, your messages resulted in 1030 tokens.","code":"context_length_exceeded"}}`,
		"responses": `{"error":{"message":"too large","type":"exceed_context_size_error","n_prompt_tokens":1030,"n_ctx":1000}}`,
		"anthropic": `{"type":"error","error":{"type":"invalid_request_error","message":"input length and ` + "`max_tokens`" + ` exceed context limit: 530 + 500 > 1000"}}`,
	} {
		for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
			t.Run(fmt.Sprintf("%s, %d", name, status), func(t *testing.T) {
				t.Parallel()
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					if status == http.StatusOK {
						w.Header().Set("Content-Type", "text/event-stream")
						_, _ = io.WriteString(w, "data: "+refusal+"\n\n")
						return
					}
					w.WriteHeader(status)
					_, _ = io.WriteString(w, refusal)
				}))
				defer s.Close()
				client, err := protocols[name].client(s.URL)
				if err != nil {
					t.Fatal(err)
				}
				a := newAgent(t, nil, func(c *agent.Config) { c.Generator, c.Model = client, "m" }, echo("look"))
				if got, want := play(t.Context(), a, "hi"), lines("TurnStarted", "ModelInfo", "overflow 1030 of 1000"); got != want {
					t.Errorf("got\n%s", got)
				}
			})
		}
	}
}

// broken runs a prompt whose first response breaks off: with an error of the server, or with
// the connection.
func broken(t *testing.T, p protocol, pieces []string, failure string) (events string, requests int) {
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		pieces := pieces
		first := asked.Add(1) == 1
		switch {
		case !first:
			pieces = p.whole
		case failure != "":
			pieces = append(pieces[:len(pieces):len(pieces)], failure)
		}
		for _, piece := range pieces {
			_, _ = fmt.Fprintf(w, "data: %s\n\n", piece)
			_ = http.NewResponseController(w).Flush()
		}
		if first && failure == "" {
			panic(http.ErrAbortHandler)
		}
	}))
	defer s.Close()
	client, err := p.client(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	a := newAgent(t, nil, func(c *agent.Config) {
		// This decorator retries requests that fail before their first chunk.
		c.Generator = retry.Wrap(client, retry.Options{FetchErrors: true, Sleep: func(context.Context, time.Duration) error { return nil }})
		c.Model = "m"
	}, echo("look"))
	return play(t.Context(), a, "hi"), int(asked.Load())
}
