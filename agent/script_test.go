package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/llm"
	"pollux/tool"
)

// script is a model with scripted responses, one for each request.
type script struct {
	mu       sync.Mutex
	answers  []func(ctx context.Context, yield func(*llm.Response, error) bool)
	requests []*llm.Request
}

func (s *script) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		s.mu.Lock()
		n := len(s.requests)
		s.requests = append(s.requests, req)
		s.mu.Unlock()
		if n >= len(s.answers) {
			yield(nil, &llm.Error{Message: fmt.Sprintf("request %d was not expected", n+1)})
			return
		}
		s.answers[n](ctx, yield)
	}
}

func (s *script) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return nil, errors.New("not scripted")
}

func (s *script) CountTokens(context.Context, *llm.Request) (int, error) {
	return 0, errors.New("not scripted")
}

func (s *script) Embed(context.Context, string, []string) ([][]float32, error) {
	return nil, errors.New("not scripted")
}

// says responds with chunks.
func says(chunks ...*llm.Response) func(context.Context, func(*llm.Response, error) bool) {
	return func(_ context.Context, yield func(*llm.Response, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// breaks responds with these chunks and then an error.
func breaks(err error, chunks ...*llm.Response) func(context.Context, func(*llm.Response, error) bool) {
	return func(_ context.Context, yield func(*llm.Response, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
		yield(nil, err)
	}
}

func chunk(reason llm.FinishReason, parts ...llm.Part) *llm.Response {
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(parts...), FinishReason: reason}}}
}

func text(s string) *llm.Response { return chunk(llm.FinishStop, llm.Text(s)) }

func thought(s string) llm.Part { return llm.Part{Text: s, Thought: true} }

func calls(names ...string) *llm.Response {
	var parts []llm.Part
	for i, n := range names {
		parts = append(parts, call(fmt.Sprintf("c%d", i+1), n, `{}`))
	}
	return chunk(llm.FinishStop, parts...)
}

func call(id, name, args string) llm.Part {
	return llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: name, Args: json.RawMessage(args)}}
}

// toy is a tool that runs a function. By its kind it changes nothing.
type toy struct {
	spec tool.Spec
	run  func(ctx context.Context, host tool.Host, args json.RawMessage) *tool.Result
}

func newToy(name string, run func(ctx context.Context, host tool.Host, args json.RawMessage) *tool.Result) *toy {
	return &toy{spec: tool.Spec{Name: name, DisplayName: name, Kind: tool.KindSearch, Schema: json.RawMessage(`{"type":"object"}`)}, run: run}
}

func (t *toy) Spec() *tool.Spec { return &t.spec }

func (t *toy) Build(args json.RawMessage) (tool.Invocation, error) {
	return &toyCall{t, args}, nil
}

type toyCall struct {
	*toy
	args json.RawMessage
}

func (c *toyCall) Summary() string            { return c.spec.Name + " at work" }
func (c *toyCall) Locations() []tool.Location { return nil }
func (c *toyCall) Confirmation(context.Context) (tool.Confirmation, error) {
	return &tool.InfoConfirmation{Title: c.spec.Name}, nil
}

func (c *toyCall) Run(ctx context.Context, host tool.Host) *tool.Result {
	return c.run(ctx, host, c.args)
}

func echo(name string) *toy {
	return newToy(name, func(context.Context, tool.Host, json.RawMessage) *tool.Result {
		return tool.Text(name + " done")
	})
}

// openGate admits every call. If asks is set, it asks a person first.
type openGate struct{ asks bool }

func (g openGate) Admit(ctx context.Context, c *agent.ToolCall, t tool.Tool, ask agent.Ask) agent.Admission {
	admitted := agenttest.Admit(c, t)
	if !g.asks || admitted.Run == nil {
		return admitted
	}
	q, err := admitted.Call.Approval(ctx, func(details tool.Confirmation) tool.Confirmation { return details })
	if err != nil {
		panic(err)
	}
	switch a, err := ask(ctx, q); {
	case err != nil:
	case a.Outcome != tool.Cancel:
		return admitted
	case a.Feedback != "":
		return agenttest.Refuse(c, &tool.Result{Content: []llm.Part{llm.Text(a.Feedback)}})
	case a.Unattended:
		return agenttest.Refuse(c, tool.Fail(tool.ErrUnhandled, "refused"))
	}
	return agenttest.Refuse(c, &tool.Result{})
}

// newAgent returns an agent with a scripted model.
func newAgent(t testing.TB, s *script, change func(*agent.Config), tools ...tool.Tool) *agent.Agent {
	t.Helper()
	cfg := agent.Config{
		Generator: s, Model: "gemini-2.5-pro", Tools: tool.NewRegistry(tools...), Gate: openGate{},
		SessionID: "s", Retry: agent.StreamRetry{Delay: time.Nanosecond},
		Now: func() time.Time { return time.Unix(1700000000, 0) },
	}
	if change != nil {
		change(&cfg)
	}
	return agent.New(cfg)
}

// play runs a prompt and returns its events, one line each.
func play(ctx context.Context, a *agent.Agent, prompt string) string {
	var b strings.Builder
	for e, err := range a.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text(prompt)}}) {
		if err != nil {
			fmt.Fprintf(&b, "error: %v\n", err)
			continue
		}
		b.WriteString(line(e) + "\n")
	}
	return b.String()
}

func line(e agent.Event) string {
	switch e := e.(type) {
	case agent.Text:
		return "text " + e.Text
	case agent.Thinking:
		return "thinking " + e.Subject + "|" + e.Text
	case agent.Thought:
		return "thought " + e.Subject + "|" + e.Description
	case agent.Switched:
		return "switched to " + e.To
	case agent.ToolRequested:
		return "requested " + e.Call.ID
	case agent.ToolUpdated:
		return "updated " + e.Call.ID + " " + string(e.Status)
	case agent.ToolAsked:
		return "asked " + e.Call.ID
	case agent.ToolFinished:
		return "finished " + e.Call.ID + " " + string(e.Status)
	case agent.Finished:
		return "end of turn " + string(e.Reason)
	case agent.InvalidStream:
		return "invalid " + e.Type
	case agent.Retried:
		return "retried " + e.Cause.Type
	case agent.Overflow:
		return fmt.Sprintf("overflow %d of %d", e.Estimate, e.Remaining)
	case agent.Citations:
		return "citations " + strings.ReplaceAll(e.Text, "\n", " ")
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", e), "agent.")
}

// wire returns a request's contents, one line for each message.
func wire(contents []*llm.Content) string {
	var b strings.Builder
	for _, c := range contents {
		b.WriteString(string(c.Role) + ":")
		for _, p := range c.Parts {
			switch {
			case p.FunctionCall != nil:
				b.WriteString(" call " + p.FunctionCall.ID)
			case p.FunctionResponse != nil:
				b.WriteString(" response " + p.FunctionResponse.ID + " " + string(p.FunctionResponse.Response))
			default:
				b.WriteString(" " + p.Text)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
