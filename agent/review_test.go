package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/llm"
	"pollux/tool"
)

// mirror is a Reviewer whose note lists the changes that it gets.
type mirror struct {
	seen []string
	text string // the note, instead of the changes
}

func (e *mirror) Review(_ context.Context, changes []agent.FileChange) string {
	var list []string
	for _, c := range changes {
		before := "new"
		if c.Before != nil {
			before = *c.Before
		}
		list = append(list, fmt.Sprintf("%s %s %s", c.Path, before, c.After))
	}
	e.seen = append(e.seen, strings.Join(list, ", "))
	if e.text != "" {
		return e.text
	}
	return e.seen[len(e.seen)-1]
}

// showingGate refuses calls with a change that stays visible.
type showingGate struct{ openGate }

func (g showingGate) Admit(ctx context.Context, c *agent.ToolCall, t tool.Tool, ask agent.Ask) agent.Admission {
	if strings.Contains(string(c.Args), "refused") {
		return agenttest.Refuse(c, &tool.Result{Content: []llm.Part{llm.Text("no")}, Display: &tool.DiffDisplay{FilePath: "a", After: "3"}})
	}
	return g.openGate.Admit(ctx, c, t, ask)
}

// TestReview checks which changes a Reviewer gets, and where its note goes.
func TestReview(t *testing.T) {
	t.Parallel()
	edit := func(path, before, after string) llm.Part {
		return call(path+before+after, "edit", fmt.Sprintf(`{"path": %q, "before": %q, "after": %q}`, path, before, after))
	}
	look, fail := call("look", "look", `{}`), call("fail", "edit", `{"fails": true}`)
	for _, tt := range []struct {
		name, text string
		calls      []llm.Part
		seen, want string // want are the results with the note
	}{
		{"no edit", "", []llm.Part{look}, "", ""},
		{"one", "", []llm.Part{look, edit("a", "1", "2"), look}, "a 1 2", "edit__a12"},
		{"several of a file", "", []llm.Part{edit("a", "", "1"), edit("b", "1", "2"), edit("a", "1", "3"), edit("a", "3", "4"), look}, "a new 4, b 1 2", "edit__a34"},
		{"the last one failed", "", []llm.Part{edit("a", "1", "2"), fail}, "a 1 2", "edit__a12"},
		{"a failed one", "", []llm.Part{fail}, "", ""},
		{"a refused one", "", []llm.Part{edit("a", "1", "2"), call("refused", "edit", `{"refused": true}`)}, "a 1 2", "edit__a12"},
		{"late", "late", []llm.Part{look, fail}, "", "look__look"},
		{"late, and no text", "late", []llm.Part{fail}, "", ""},
	} {
		tools := []tool.Tool{
			newToy("edit", func(_ context.Context, _ tool.Host, args json.RawMessage) *tool.Result {
				var a struct {
					Path, Before, After string
					Fails               bool
				}
				_ = json.Unmarshal(args, &a)
				d := &tool.DiffDisplay{FilePath: a.Path, After: a.After}
				if a.Before != "" {
					d.Before = &a.Before
				}
				r := tool.Text("done")
				if r.Display = d; a.Fails {
					r.Error = &tool.Error{Message: "failed"}
				}
				return r
			}),
			newToy("look", func(context.Context, tool.Host, json.RawMessage) *tool.Result { return tool.Text("done") }),
		}
		s, e := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(chunk(llm.FinishStop, tt.calls...)), says(text("ok"))}}, &mirror{text: tt.text}
		a := newAgent(t, s, func(c *agent.Config) { c.Reviewer, c.Gate = e, showingGate{} }, tools...)
		var events []agent.ToolFinished
		for event, err := range a.Run(t.Context(), agent.TextPrompt("go")) {
			if f, ok := event.(agent.ToolFinished); ok {
				events = append(events, f)
			} else if err != nil {
				t.Error(err)
			}
		}
		for _, f := range events {
			if got := string(f.Response[0].FunctionResponse.Response); strings.Contains(got, `done\n\n`) {
				t.Errorf("%s: an event has changed: %s", tt.name, got)
			}
		}
		if len(e.seen) != 1 || e.seen[0] != tt.seen {
			t.Errorf("%s: saw %q, want %q", tt.name, e.seen, tt.seen)
		}
		noted, results := "", s.requests[1].Contents[len(s.requests[1].Contents)-1].Parts
		for _, p := range results {
			if strings.Contains(string(p.FunctionResponse.Response), `done\n\n`) {
				noted += p.FunctionResponse.ID
			}
		}
		if len(results) != len(tt.calls) || noted != tt.want {
			t.Errorf("%s: the results with a note are %q, want %q", tt.name, noted, tt.want)
		}
	}
}
