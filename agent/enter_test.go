package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"pollux/llm"
	"pollux/tool"
)

// orderly is a toy whose calls report when they enter and when they run.
type orderly struct {
	*toy
	report func(string)
}

func (o orderly) Build(args json.RawMessage) (tool.Invocation, error) {
	inv, err := o.toy.Build(args)
	return wrapped{entering{inv, func() { o.report("enter " + string(args)) }}}, err
}

type entering struct {
	tool.Invocation
	enter func()
}

func (e entering) Enter() { e.enter() }

type wrapped struct{ tool.Invocation }

func (w wrapped) Unwrap() tool.Invocation { return w.Invocation }

// All calls of a group enter in their order before one of them runs.
func TestEnter(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got []string
	report := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, s)
	}
	look := newToy("look", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
		report("run")
		return tool.Text("ok")
	})
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(chunk(llm.FinishStop, call("c1", "look", `{"n":1}`), call("c2", "look", `{"n":2}`), call("c3", "look", `{"n":3}`))), says(text("done")),
	}}
	play(t.Context(), newAgent(t, s, nil, orderly{look, report}), "go")
	if want := `enter {"n":1}, enter {"n":2}, enter {"n":3}, run, run, run`; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %s", got, want)
	}
}
