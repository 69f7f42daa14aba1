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
