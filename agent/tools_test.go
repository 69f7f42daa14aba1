package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// declared returns the names of the tools that a request declares.
func declared(r *llm.Request) string {
	var names []string
	for _, set := range r.Config.Tools {
		for _, f := range set.Functions {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, " ")
}

// Tools that are added or removed during a turn change in the next one. The calls of this turn
// find the tools that their request declared.
func TestToolsChangeBetweenTurns(t *testing.T) {
	t.Parallel()
	var s *script
	registry := tool.NewRegistry(echo("keep"))
	registry.Add("server", echo("old"))
	change := func(ctx context.Context, yield func(*llm.Response, error) bool) {
		registry.Remove("server")
		registry.Add("other", echo("new"))
		says(calls("old", "new"))(ctx, yield)
	}
	s = &script{answers: []func(context.Context, func(*llm.Response, error) bool){change, says(calls("old", "new")), says(text("done"))}}
	a := newAgent(t, s, func(c *agent.Config) { c.Tools = registry })
	var ends []string
	for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
		if f, ok := e.(agent.ToolFinished); ok {
			ends = append(ends, f.Call.Name+" "+string(f.Status))
		}
	}
	if diff := cmp.Diff([]string{"new error", "old success", "old error", "new success"}, ends); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	var sets []string
	for _, r := range s.requests {
		sets = append(sets, declared(r))
	}
	if diff := cmp.Diff([]string{"keep old", "keep new", "keep new"}, sets); diff != "" {
		t.Errorf("declared (-want +got):\n%s", diff)
	}
}

// Requests declare the same value while the tools are the same, so that adapters encode it
// once and vendors find it in their caches.
func TestToolsUnchanged(t *testing.T) {
	t.Parallel()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(calls("look")), says(text("a")), says(text("b"))}}
	registry := tool.NewRegistry(echo("look"))
	a := newAgent(t, s, func(c *agent.Config) { c.Tools = registry })
	play(t.Context(), a, "hi")
	registry.Refresh()
	registry.Add("server")
	play(t.Context(), a, "again")
	for i, r := range s.requests {
		if r.Config.Tools[0] != s.requests[0].Config.Tools[0] {
			t.Errorf("request %d declares another value", i+1)
		}
	}
	if a.RequestConfig("gemini-2.5-pro").Tools[0] != s.requests[0].Config.Tools[0] {
		t.Error("what is asked beside the conversation declares another value")
	}
}
