package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// TestAside checks that a side question begins as the next request of the conversation does, and changes nothing in it.
func TestAside(t *testing.T) {
	t.Parallel()
	system := llm.User(llm.Text("system"))
	model := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(text("answer")), says(text(" a "), text("heron\n")), says(text("again"))}}
	a := newAgent(t, model, func(cfg *agent.Config) {
		cfg.System = func(tool.Form) *llm.Content { return system }
	})
	run(t, a, "prompt")
	before := a.History()
	got, err := a.Aside(t.Context(), "gemini-2.5-pro", "which bird?")
	if err != nil || got != "a heron" {
		t.Errorf("%q %v", got, err)
	}
	if n := len(a.History()); n != len(before) {
		t.Errorf("%d messages, not %d", n, len(before))
	}
	run(t, a, "next")
	first, asked, next := model.requests[0], model.requests[1], model.requests[2]
	if asked.Use != llm.UseAside || asked.Model != "gemini-2.5-pro" || asked.PromptID == first.PromptID {
		t.Errorf("%+v", asked)
	}
	n := len(asked.Contents)
	if n != len(next.Contents) || !reflect.DeepEqual(asked.Contents[:n-1], next.Contents[:n-1]) || !reflect.DeepEqual(asked.Config, next.Config) {
		t.Error("the requests differ before the question")
	}
	question := asked.Contents[n-1]
	if question.Role != llm.RoleUser || !strings.HasSuffix(question.Text(), "\n\nwhich bird?") || strings.Contains(words(a.History()), "bird") {
		t.Errorf("%+v", question)
	}
}

// TestAsideFails checks the errors of side questions: no text, a failed request, a cancellation.
func TestAsideFails(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	call := &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{Name: "write", Args: json.RawMessage(`{}`)}})}}}
	model := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(call),
		func(_ context.Context, yield func(*llm.Response, error) bool) { yield(nil, refused) },
		says(text("x")),
	}}
	a := newAgent(t, model, nil)
	if _, err := a.Aside(t.Context(), "m", "q"); err != agent.ErrNoText {
		t.Error(err)
	}
	if _, err := a.Aside(t.Context(), "m", "q"); err != refused {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Aside(ctx, "m", "q"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestAsideHooks checks that the hooks around the model see a side question, may change its request and the answer, and may
// answer it or refuse it themselves.
func TestAsideHooks(t *testing.T) {
	t.Parallel()
	type verdict = func() (agent.Verdict, *llm.Response)
	block := func(answer *llm.Response) verdict {
		return func() (agent.Verdict, *llm.Response) { return agent.Verdict{Block: true, Reason: "secret"}, answer }
	}
	stop := func() (agent.Verdict, *llm.Response) {
		return agent.Verdict{Stop: true, Reason: "secret"}, text("not used")
	}
	for name, tt := range map[string]struct {
		before, after verdict
		want          string
		isRefused     bool
		asked         int
	}{
		"nothing":         {want: "a heron", asked: 1},
		"refused before":  {before: block(nil), isRefused: true},
		"answered before": {before: block(text(" own ")), want: "own"},
		"stopped before":  {before: stop, isRefused: true},
		"chunks replaced": {after: func() (agent.Verdict, *llm.Response) { return agent.Verdict{}, text("x") }, want: "xx", asked: 1},
		"refused within":  {after: block(nil), isRefused: true, asked: 1},
		"answered within": {after: block(text("own")), want: "own", asked: 1},
		"stopped within":  {after: stop, isRefused: true, asked: 1},
	} {
		model := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(text("a "), text("heron"))}}
		hooks := &fakeHooks{}
		hooks.model = func(req *llm.Request) (agent.Verdict, *llm.Response) {
			req.Model = "chosen by a hook"
			if tt.before == nil {
				return agent.Verdict{}, nil
			}
			return tt.before()
		}
		if tt.after != nil {
			hooks.chunk = func(*llm.Response) (agent.Verdict, *llm.Response) { return tt.after() }
		}
		a := newAgent(t, model, func(c *agent.Config) { c.Hooks = hooks })
		got, err := a.Aside(t.Context(), "m", "which bird?")
		refused, isRefused := errors.AsType[*agent.HookError](err)
		if got != tt.want || isRefused != tt.isRefused || err != nil && !isRefused || isRefused && refused.Verdict.Reason != "secret" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if len(model.requests) != tt.asked || tt.asked > 0 && model.requests[0].Model != "chosen by a hook" || len(a.History()) > 0 {
			t.Errorf("%s: %d requests, %d messages", name, len(model.requests), len(a.History()))
		}
	}
}
