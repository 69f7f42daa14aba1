package agent_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"pollux/agent"
	"pollux/llm"
)

// guardian is the hooks around a model: it counts them, changes each request, and refuses a secret.
type guardian struct {
	agent.Hooks
	before, after int
}

func (g *guardian) BeforeModel(_ context.Context, req *llm.Request) (agent.Verdict, *llm.Response) {
	g.before++
	if req.Contents[0].Text() == "secret" {
		return agent.Verdict{Block: true, Reason: "it has a secret"}, text("no")
	}
	req.Model = "other"
	return agent.Verdict{}, nil
}

func (g *guardian) AfterModel(_ context.Context, _ *llm.Request, chunk *llm.Response) (agent.Verdict, *llm.Response) {
	g.after++
	if chunk.Text() == "bad" {
		return agent.Verdict{Stop: true, Reason: "it is bad"}, nil
	}
	return agent.Verdict{}, text("changed")
}

// namesake is a model that answers with its name, and counts requests.
type namesake struct {
	llm.Generator
	requests int
	answer   string
}

func (m *namesake) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	m.requests++
	if m.answer != "" {
		return text(m.answer), nil
	}
	return text(req.Model), nil
}

func (m *namesake) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) { yield(m.Generate(ctx, req)) }
}

func (m *namesake) CountTokens(context.Context, *llm.Request) (int, error) {
	m.requests++
	return 1, nil
}

// TestWithHooks checks that hooks see each request once that an agent does not send.
func TestWithHooks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, prompt, answer string
		use                  llm.Use
		hooks                bool
		want, refusal        string
		requests             int
		before, after        int
	}{
		{name: "of the loop", prompt: "hi", use: llm.UseMain, hooks: true, want: "m", requests: 2},
		{name: "of a subagent", prompt: "secret", use: llm.UseSubagent, hooks: true, want: "m", requests: 2},
		{name: "no hooks", prompt: "secret", use: llm.UseCompressor, want: "m", requests: 2},
		{name: "changed", prompt: "hi", use: llm.UseCompressor, hooks: true, want: "changed", requests: 2, before: 2, after: 2},
		{name: "refused", prompt: "secret", use: llm.UseRouter, hooks: true, refusal: "a hook has refused the request: it has a secret", before: 2},
		{name: "a refused response", prompt: "hi", answer: "bad", use: llm.UseTool, hooks: true, refusal: "a hook has refused the request: it is bad", requests: 2, before: 2, after: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, m := &guardian{}, &namesake{answer: tt.answer}
			g := agent.WithHooks(m, func() agent.Hooks {
				if !tt.hooks {
					return nil
				}
				return h
			})
			req := &llm.Request{Model: "m", Contents: []*llm.Content{llm.User(llm.Text(tt.prompt))}, Use: tt.use}
			check := func(r *llm.Response, err error) {
				var refused *agent.HookError
				var failed *llm.Error
				switch {
				case tt.refusal == "":
					if err != nil || r.Text() != tt.want {
						t.Errorf("%v, %v", r, err)
					}
				case !errors.As(err, &refused) || !errors.As(err, &failed) || failed.Retryable() || err.Error() != tt.refusal:
					t.Errorf("error %v", err)
				}
			}
			check(g.Generate(t.Context(), req))
			for chunk, err := range g.Stream(t.Context(), req) {
				check(chunk, err)
			}
			if req.Model != "m" || m.requests != tt.requests || h.before != tt.before || h.after != tt.after {
				t.Errorf("model %s, %d requests, %d and %d hooks", req.Model, m.requests, h.before, h.after)
			}
			if _, err := g.CountTokens(t.Context(), req); errors.Is(err, errors.ErrUnsupported) != tt.hooks {
				t.Errorf("count: %v", err)
			}
		})
	}
}
