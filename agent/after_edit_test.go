package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/loopdetect"
	"pollux/llm"
	"pollux/tool"
)

// After an edit that failed, the commands of the same response do not run; edits and reads do. A
// command that did not run may be called again: for the loop detector it was not called.
func TestCommandsAfterFailedEdit(t *testing.T) {
	t.Parallel()
	for _, kind := range []tool.Kind{tool.KindEdit, tool.KindDelete, tool.KindMove} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			var ran []string
			kit := func(name string, kind tool.Kind) tool.Tool {
				one := newToy(name, func(_ context.Context, _ tool.Host, args json.RawMessage) *tool.Result {
					ran = append(ran, name)
					if strings.Contains(string(args), "shop.py") {
						return tool.Fail(tool.ErrEditNoOccurrence, "not there")
					}
					return tool.Text("done")
				})
				one.spec.Kind, one.spec.Serial = kind, true
				return one
			}
			response := chunk(
				llm.FinishStop,
				call("1", "run", `{"command": "before"}`),
				call("2", "edit", `{"file_path": "shop.py"}`),
				call("3", "look", `{}`),
				call("4", "edit", `{"file_path": "a.py"}`),
				call("5", "run", `{"command": "git commit"}`),
			)
			s := &script{}
			for range 6 { // more than the detector allows
				s.answers = append(s.answers, says(response))
			}
			s.answers = append(s.answers, says(text("ok")))
			detector := loopdetect.New(loopdetect.Options{})
			a := newAgent(t, s, func(c *agent.Config) { c.LoopDetector = onlyCommits{detector} }, kit("run", tool.KindExecute), kit("edit", kind), kit("look", tool.KindRead))
			events := play(t.Context(), a, "go")
			if want := slices.Repeat([]string{"run", "edit", "look", "edit"}, 6); !slices.Equal(ran, want) {
				t.Errorf("ran %v, want %v", ran, want)
			}
			if n := strings.Count(events, "finished run__5 cancelled"); n != 6 {
				t.Errorf("%d commands are cancelled, want 6: %s", n, events)
			}
			got := wire(s.requests[1].Contents)
			want := fmt.Sprintf("response run__5 {%q:%q}", "error", "Not run, because the edit of shop.py before it failed. Call it again if it does not need that change, or once the change is made.")
			if !strings.Contains(got, want) {
				t.Errorf("the model got %s, want %s", got, want)
			}
		})
	}
}

// onlyCommits shows a loop detector the calls with the id run__5 alone.
type onlyCommits struct{ agent.LoopDetector }

func (d onlyCommits) Observe(e agent.Event) (agent.Loop, bool) {
	switch e := e.(type) {
	case agent.ToolRequested:
		if e.Call.ID != "run__5" {
			return agent.Loop{}, false
		}
	case agent.ToolFinished:
		if e.Call.ID != "run__5" {
			return agent.Loop{}, false
		}
	}
	return d.LoopDetector.Observe(e)
}
