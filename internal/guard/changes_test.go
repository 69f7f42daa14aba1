package guard

import (
	"context"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/tool"
)

// reporting returns a step that reports a change after each run: the first one as "one", and so on.
func reporting() Step {
	n := 0
	return Step{After: func(_ context.Context, _ *agent.PreparedCall, x *agent.Execution) {
		x.Changes = &tool.Changes{Changed: n + 1, Report: []string{"[one]", "[two]", "[three]"}[n]}
		n++
	}}
}

// TestReports checks that the report of a step about changes reaches hooks, the record and the model, also if the call ran
// several times, and that a hook which hides the result hides the report.
func TestReports(t *testing.T) {
	t.Parallel()
	yes := tool.Answer{Outcome: tool.ProceedOnce}
	for _, tt := range []struct {
		name  string
		tool  func(ran *int) *realTool
		after AfterTool
		tail  bool
		want  string // the text for the model
		runs  int
	}{
		{"success", func(*int) *realTool { return printer("echo", tool.KindOther) }, AfterTool{}, false, "x\n\n[one]", 1},
		{"context of a hook", func(*int) *realTool { return printer("echo", tool.KindOther) }, AfterTool{Context: "c"}, false, "x\n\n<hook_context>c</hook_context>\n\n[one]", 1},
		{"blocked", func(*int) *realTool { return printer("echo", tool.KindOther) }, AfterTool{Block: true, Reason: "no"}, false, "no", 1},
		{"stopped", func(*int) *realTool { return printer("echo", tool.KindOther) }, AfterTool{Stop: true, Reason: "no"}, false, "no", 1},
		{"continued", func(*int) *realTool { return printer("echo", tool.KindOther) }, AfterTool{}, true, "x\n\n[one]\n\n[two]", 2},
		{"failure", func(ran *int) *realTool { return failing(tool.Fail(tool.ErrUnknown, "failed")) }, AfterTool{}, false, "failed\n\n[one]", 1},
		{"cancelled without an output", func(*int) *realTool { return failing(&tool.Result{}) }, AfterTool{}, false, "", 1},
		{"panic", func(*int) *realTool { return failing(nil) }, AfterTool{}, false, "The tool echo failed unexpectedly: oh no\n\n[one]", 1},
		{"with more permission", func(ran *int) *realTool { return confinedTool(1, ran) }, AfterTool{}, false, "written\n\n[one]\n\n[two]\n\n[This is another run of the command; what it had done before stays. It had lacked a permission: The sandbox refused a write. The user has allowed it for this run only.]", 2},
	} {
		ran, seen := 0, []int{}
		made := tt.tool(&ran)
		o := Options{
			Interactive: true, Around: []Step{reporting(), {Retry: (&permit{rewrites: true}).retry}},
			Tool: func(string) (tool.Tool, bool) { return made, true },
			Hooks: gateHooks{
				before: func(HookedCall) BeforeTool { return BeforeTool{} },
				after: func(c HookedCall, r *tool.Result) AfterTool {
					seen = append(seen, c.Changes.Changed)
					for _, p := range r.Content {
						if strings.Contains(p.Text, "[") {
							t.Errorf("%s: the hook reads %q", tt.name, p.Text)
						}
					}
					if tt.tail && len(seen) == 1 {
						return AfterTool{Tail: &Tail{Name: "echo", Args: []byte(`{"file_path":"a","content":"x"}`)}}
					}
					return tt.after
				},
			},
		}
		list := gate(policy.Yolo, o).Admit(t.Context(), call(made.Spec().Name, "a", "x"), made, answers(t, yes)).Run(t.Context(), agent.Host{Ask: answers(t, yes)})
		r, got := last(list), ""
		if r.Error != nil {
			got = r.Error.Message
		} else if len(r.Content) > 0 {
			got = r.Content[0].Text
		}
		if got != tt.want || len(list) != tt.runs {
			t.Errorf("%s: %d runs, %q, want %q", tt.name, len(list), got, tt.want)
		}
		for i, x := range list {
			if x.Changes == nil || x.Changes.Changed != i+1 {
				t.Errorf("%s: record %d has %+v", tt.name, i, x.Changes)
			}
		}
		if tt.name != "panic" && (len(seen) == 0 || seen[len(seen)-1] != tt.runs) {
			t.Errorf("%s: hooks saw %v", tt.name, seen)
		}
	}
}

// TestSettled checks that the report of a call leaves out the changes that were taken back and did not come back.
func TestSettled(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		changes func(*tool.Changes) *tool.Changes
		want    string // the text for the model
		isKnown bool   // the record has changes
	}{
		"all came back": {nil, "x\n\n[settled]\n\n[one]", true},
		"some":          {func(c *tool.Changes) *tool.Changes { return &tool.Changes{TakenBack: c.Changed, Report: "[less]"} }, "x\n\n[settled]\n\n[less]", true},
		"nothing left":  {func(*tool.Changes) *tool.Changes { return nil }, "x\n\n[settled]", false},
	} {
		review := Step{Review: func(context.Context, *agent.PreparedCall, *agent.Execution) *Review {
			return &Review{Settle: func(context.Context, tool.Outcome) Settled { return Settled{"settled", tt.changes} }}
		}}
		made := printer("echo", tool.KindOther)
		list := gate(policy.Yolo, Options{Around: []Step{reporting(), review}}).Admit(t.Context(), call("echo", "a", "x"), made, nil).Run(t.Context(), agent.Host{})
		if got := last(list).Content[0].Text; got != tt.want || (list[0].Changes != nil) != tt.isKnown {
			t.Errorf("%s: %q, %+v", name, got, list[0].Changes)
		}
	}
}

// failing returns a tool that returns r, or that panics if it is nil.
func failing(r *tool.Result) *realTool {
	t := printer("echo", tool.KindOther)
	t.run = func(context.Context, map[string]any, tool.Host) *tool.Result {
		if r == nil {
			panic("oh no")
		}
		return r
	}
	return t
}
