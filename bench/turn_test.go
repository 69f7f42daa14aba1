package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/agent/compress"
	"pollux/agent/loopdetect"
	"pollux/agent/mask"
	"pollux/llm"
	"pollux/llm/anthropic"
	"pollux/llm/gemini"
	"pollux/llm/openai"
	"pollux/tool"
)

// BenchmarkTurn measures a turn with everything that inspects the history: compression, masking,
// loop detection, size limits. A turn is one request, its answer, and a call of a tool that
// returns at once. In "steps" the model also returns at once; the others encode the whole
// history, send it to a local server that discards it, and read the answer.
func BenchmarkTurn(b *testing.B) {
	for _, kind := range []string{"steps", "gemini", "openai", "anthropic"} {
		for _, messages := range []int{10, 1000, 10_000} {
			b.Run(fmt.Sprintf("%s/messages=%d", kind, messages), func(b *testing.B) {
				m := newModel(b, kind)
				a := agent.New(agent.Config{
					Generator: m, Model: models[kind], Tools: tool.NewRegistry(look{}), Gate: gate{}, SessionID: "s",
					Limit: func(string) int { return 1 << 30 },
					Compressor: compress.New(compress.Options{
						Generator: m, Save: func(string, int, string) (string, error) { return "", io.ErrShortWrite },
					}),
					// No result gets old enough to be masked, which happens rarely.
					Masker:       mask.New(mask.Options{Protect: 1 << 30, Save: func(_, _, _ string) (string, error) { return "", io.ErrShortWrite }}),
					LoopDetector: loopdetect.New(loopdetect.Options{}),
				})
				history := session(messages)
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					a.SetHistory(b.Context(), history)
					run(b, a, m, 1) // warm up caches, which are not part of a turn's cost
					b.StartTimer()
					run(b, a, m, rounds)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rounds), "ns/turn")
			})
		}
	}
}

// rounds is the number of turns of a prompt.
const rounds = 20

var models = map[string]string{"steps": "m", "gemini": "gemini-2.5-pro", "openai": "gpt-4.1", "anthropic": "claude-sonnet-4-6"}

func run(b *testing.B, a *agent.Agent, m *model, rounds int) {
	m.left = rounds
	for _, err := range a.Run(b.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("Go on.")}}) {
		if err != nil {
			b.Fatal(err)
		}
	}
}

// session returns a history of this many messages: calls, and results of 2 KB.
func session(messages int) []agent.Message {
	text := strings.Repeat("x := compute(y) // a line of code\n", 60)
	history := []agent.Message{{ID: "p", Content: llm.User(llm.Text("Do it."))}}
	for i := 0; len(history) < messages-1; i++ {
		id := fmt.Sprintf("look__%d", i)
		call := &llm.FunctionCall{ID: id, Name: "look", Args: json.RawMessage(fmt.Sprintf(`{"at":%d}`, i))}
		history = append(history,
			agent.Message{ID: id, Content: llm.Model(llm.Text("Next."), llm.Part{FunctionCall: call})},
			agent.Message{ID: id + "r", Content: llm.User(llm.Part{FunctionResponse: llm.Output(id, "look", text)})})
	}
	return append(history, agent.Message{ID: "a", Content: llm.Model(llm.Text("Done."))})
}

// model calls its tool a number of times and then ends its turn.
type model struct {
	llm.Generator // an adapter, or nil to answer directly
	left, calls   int
}

func newModel(b *testing.B, kind string) *model {
	m := &model{}
	if kind == "steps" {
		return m
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // an error means that the client has closed the connection
		m.left--
		m.calls++
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, said(kind, m.calls, m.left > 0))
	}))
	b.Cleanup(server.Close)
	var err error
	switch kind {
	case "gemini":
		m.Generator, err = gemini.New(gemini.Options{APIKey: "k", BaseURL: server.URL})
	case "openai":
		m.Generator, err = openai.New(openai.Options{APIKey: "k", BaseURL: server.URL})
	case "anthropic":
		m.Generator, err = anthropic.New(anthropic.Options{APIKey: "k", BaseURL: server.URL})
	}
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// said returns an answer in a protocol's encoding.
func said(kind string, n int, calls bool) string {
	at := fmt.Sprintf(`{\"at\":-%d}`, n)
	switch {
	case kind == "gemini" && calls:
		return fmt.Sprintf("data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"id\":\"c%d\",\"name\":\"look\",\"args\":{\"at\":-%d}}}]},\"finishReason\":\"STOP\"}]}\r\n\r\n", n, n)
	case kind == "gemini":
		return "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Done.\"}]},\"finishReason\":\"STOP\"}]}\r\n\r\n"
	case kind == "openai" && calls:
		return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c%d\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"%s\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n", n, at)
	case kind == "openai":
		return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Done.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	}
	block, delta, reason := `{"type":"text","text":""}`, `{"type":"text_delta","text":"Done."}`, "end_turn"
	if calls {
		block = fmt.Sprintf(`{"type":"tool_use","id":"c%d","name":"look","input":{}}`, n)
		delta, reason = fmt.Sprintf(`{"type":"input_json_delta","partial_json":"%s"}`, at), "tool_use"
	}
	var s strings.Builder
	for _, e := range [][2]string{
		{"message_start", `"message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":0,"output_tokens":0}}`},
		{"content_block_start", `"index":0,"content_block":` + block},
		{"content_block_delta", `"index":0,"delta":` + delta},
		{"content_block_stop", `"index":0`},
		{"message_delta", `"delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":0}`},
		{"message_stop", `"x":0`},
	} {
		fmt.Fprintf(&s, "event: %s\ndata: {\"type\":%q,%s}\n\n", e[0], e[0], e[1])
	}
	return s.String()
}

// Stream implements [llm.Generator].
func (m *model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	if m.Generator != nil {
		return m.Generator.Stream(ctx, req)
	}
	return func(yield func(*llm.Response, error) bool) {
		m.left--
		m.calls++
		part := llm.Text("Done.")
		if m.left > 0 {
			part = llm.Part{FunctionCall: &llm.FunctionCall{
				ID: fmt.Sprintf("c%d", m.calls), Name: "look", Args: json.RawMessage(fmt.Sprintf(`{"at":-%d}`, m.calls)),
			}}
		}
		yield(&llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(part), FinishReason: llm.FinishStop}}}, nil)
	}
}

// look is a tool that returns at once.
type look struct{}

func (look) Spec() *tool.Spec {
	return &tool.Spec{
		Name: "look", DisplayName: "Look", Kind: tool.KindRead, Description: "Looks.",
		Schema: json.RawMessage(`{"type":"object","properties":{"at":{"type":"integer"}}}`),
	}
}
func (look) Build(json.RawMessage) (tool.Invocation, error)          { return look{}, nil }
func (look) Summary() string                                         { return "a look" }
func (look) Locations() []tool.Location                              { return nil }
func (look) Confirmation(context.Context) (tool.Confirmation, error) { return nil, nil }
func (look) Run(ctx context.Context, host tool.Host) *tool.Result    { return tool.Text("There it is.") }

// gate allows every call.
type gate struct{}

func (gate) Admit(_ context.Context, call *agent.ToolCall, t tool.Tool, _ agent.Ask) agent.Admission {
	return agenttest.Admit(call, t)
}
