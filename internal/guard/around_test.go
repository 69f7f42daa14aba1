package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/llm"
	"pollux/tool"
)

// noting returns a step that notes events around a call.
func noting(taken *[]string, name string, before error, panics string) Step {
	note := func(when string) {
		*taken = append(*taken, when+" "+name)
		if panics == when {
			panic("oh no")
		}
	}
	return Step{
		Before: func(ctx context.Context, call *agent.PreparedCall) error {
			if CallOf(ctx) != call {
				*taken = append(*taken, "another call")
			}
			note("before")
			return before
		},
		After: func(_ context.Context, _ *agent.PreparedCall, x *agent.Execution) {
			note(fmt.Sprintf("after %s %v", x.Status, x.HasRun))
		},
	}
}

// TestAround checks that steps surround one another, whatever fails.
func TestAround(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	for _, tt := range []struct {
		name      string
		content   string
		inner     error  // of Before of the inner step
		panics    string // when the inner step panics
		want      string
		wantError string
		hasRun    bool
		noHook    bool
	}{
		{"success", "x", nil, "", "before outer, before inner, run, after success true inner, after success true outer, hook", "", true, false},
		{"failure", "fail", nil, "", "before outer, before inner, run, after error true inner, after error true outer, hook", "failed", true, false},
		{"panic", "panic", nil, "", "before outer, before inner, run, after error true inner, after error true outer", "failed unexpectedly", true, true},
		{"refused", "x", full, "", "before outer, before inner, after error false outer", "Not run: the disk is full", false, true},
		{"panic before", "x", nil, "before", "before outer, before inner, after error false outer", "failed unexpectedly", false, true},
		{"panic after", "x", nil, "after success true", "before outer, before inner, run, after success true inner, after error true outer", "failed unexpectedly", true, true},
	} {
		var taken []string
		echo := printer("echo", tool.KindOther)
		echo.run = func(ctx context.Context, args map[string]any, _ tool.Host) *tool.Result {
			taken = append(taken, "run")
			switch args["content"] {
			case "fail":
				return tool.Fail(tool.ErrUnknown, "failed")
			case "panic":
				panic("oh no")
			}
			return tool.Text("done")
		}
		g := gate(policy.Yolo, Options{
			Around: []Step{noting(&taken, "outer", nil, ""), {}, noting(&taken, "inner", tt.inner, tt.panics)},
			Hooks:  afterHook(func() { taken = append(taken, "hook") }),
		})
		list := g.Admit(t.Context(), call("echo", "a", tt.content), echo, unasked(t)).Run(t.Context(), agent.Host{})
		if got := strings.Join(taken, ", "); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
		if len(list) != 1 || list[0].HasRun != tt.hasRun || (list[0].Result.Error != nil) != (tt.wantError != "") ||
			tt.wantError != "" && !strings.Contains(list[0].Result.Error.Message, tt.wantError) {
			t.Errorf("%s: %+v", tt.name, list)
		}
	}
}

// afterHook is called after each call.
type afterHook func()

func (afterHook) Before(context.Context, HookedCall) BeforeTool { return BeforeTool{} }
func (f afterHook) After(context.Context, HookedCall, *tool.Result) AfterTool {
	f()
	return AfterTool{}
}
func (afterHook) Notify(context.Context, HookedCall, tool.Confirmation) {}

// TestNoSteps checks that a gate without steps adds nothing to the context of a call.
func TestNoSteps(t *testing.T) {
	t.Parallel()
	echo := printer("echo", tool.KindOther)
	echo.run = func(ctx context.Context, _ map[string]any, _ tool.Host) *tool.Result {
		if CallOf(ctx) != nil || ctx != t.Context() {
			t.Error("the context was changed")
		}
		return tool.Text("done")
	}
	run(t, gate(policy.Yolo, Options{}).Admit(t.Context(), call("echo", "a", "x"), echo, unasked(t)))
}

// permit is a step that confines calls to reading, as a sandbox would: a call that fails because of it may
// run again with the argument "additional_permissions", or as it was written.
type permit struct {
	rewrites, isExplained, isRefused bool
}

func (p *permit) retry(_ context.Context, call *agent.PreparedCall, x *agent.Execution) *Retry {
	if x.Result.Error == nil || !strings.Contains(x.Result.Error.Message, "read-only") {
		return nil
	}
	var again *agent.PreparedCall
	var err error
	if p.rewrites {
		again, err = call.Rewrite(json.RawMessage(`{"additional_permissions":"write","content":"x","file_path":"a"}`), agent.AuthorGate)
	} else {
		again, err = call.Again()
	}
	if err != nil {
		panic(err)
	}
	return &Retry{Call: again, Lacked: "The sandbox refused a write.", Reason: "The sandbox has blocked a write.", IsExplained: p.isExplained, IsRefused: p.isRefused}
}

// confinedTool fails the given number of times, unless its arguments permit it to write.
func confinedTool(fails int, ran *int) *realTool {
	t := writer("")
	t.run = func(_ context.Context, args map[string]any, _ tool.Host) *tool.Result {
		if *ran++; args["additional_permissions"] == nil && *ran <= fails {
			return tool.Fail(tool.ErrExecutionFailed, "read-only file system")
		}
		return tool.Text("written")
	}
	return t
}

// TestRetry checks that a call which lacked a permission runs again only after a person's approval of exactly
// that, whatever mode and rules allow, and that both runs are recorded.
func TestRetry(t *testing.T) {
	t.Parallel()
	yes, no := tool.Answer{Outcome: tool.ProceedOnce}, tool.Answer{Outcome: tool.Cancel}
	always := tool.Answer{Outcome: tool.ProceedAlways}
	permissions, err := policy.NewPattern("additional_permissions")
	if err != nil {
		t.Fatal(err)
	}
	deny := policy.Rule{Tools: []string{"write_file"}, Args: permissions, Decision: policy.Deny, Priority: 900}
	for _, tt := range []struct {
		name     string
		rewrites bool
		fails    int
		alone    bool
		rules    []policy.Rule
		answers  []tool.Answer
		runs     int
		records  string
		result   string
	}{
		{"not needed", false, 0, false, nil, nil, 1, "success policy []", "written"},
		{"same call", false, 1, false, nil, []tool.Answer{yes}, 2, "error policy [], success user []", "written"},
		{"more permission", true, 9, false, nil, []tool.Answer{yes}, 2, "error policy [], success user [gate]", "written"},
		{"lasting answer", false, 2, false, nil, []tool.Answer{always, yes}, 3, "error policy [], error user [], success user []", "written"},
		{"refused while it ran", false, 1, false, nil, nil, 1, "error policy []", "It was not run again: The user refused that."},
		{"refused", false, 1, false, nil, []tool.Answer{no}, 1, "error policy []", "It was not run again: The user refused that."},
		{"feedback", false, 1, false, nil, []tool.Answer{{Outcome: tool.Cancel, Feedback: "Use b."}}, 1, "error policy []", "Do what they say instead: Use b."},
		{"no person", false, 1, true, nil, nil, 1, "error policy []", "The sandbox refused a write. It was not run again: In this run no user can allow that"},
		{"denied", true, 9, false, []policy.Rule{deny}, nil, 1, "error policy []", "denied by policy"},
		{"bounded", false, 9, false, nil, []tool.Answer{yes, yes, yes}, 4, "error policy [], error user [], error user [], error user []", "read-only file system"},
	} {
		ran, continued, hooks := 0, 0, 0
		p := &permit{rewrites: tt.rewrites, isRefused: tt.name == "refused while it ran"}
		g := gate(policy.Yolo, Options{
			Interactive: !tt.alone, Around: []Step{{}, {Retry: p.retry}}, Hooks: afterHook(func() { hooks++ }),
		}, tt.rules...)
		person := answers(t, tt.answers...)
		host := agent.Host{Continues: func(*agent.PreparedCall) { continued++ }, Ask: func(ctx context.Context, q *agent.Question) (tool.Answer, error) {
			c := q.Details().(*tool.EditConfirmation)
			if !c.IsRetry || !c.Once() || c.Reason != "The sandbox has blocked a write." || len(c.Offers) > 0 || !q.IsApproval() {
				t.Errorf("%s: the question is %+v", tt.name, c)
			}
			return person(ctx, q)
		}}
		list := g.Admit(t.Context(), call("write_file", "a", "x"), confinedTool(tt.fails, &ran), unasked(t)).Run(t.Context(), host)
		var records []string
		for _, x := range list {
			if x.Decision.Outcome != tool.ProceedOnce {
				t.Errorf("%s: the answer is recorded as %s", tt.name, x.Decision.Outcome)
			}
			records = append(records, fmt.Sprintf("%s %s %v", x.Status, x.Decision.By, x.ChangedBy))
		}
		result := last(list)
		text := llm.PartsText(result.Content)
		if result.Error != nil {
			text = result.Error.Message
		}
		if got := strings.Join(records, ", "); got != tt.records || ran != tt.runs || !strings.Contains(text, tt.result) {
			t.Errorf("%s: %d runs, %s, %q", tt.name, ran, got, text)
		}
		if continued != ran-1 || hooks != 1 {
			t.Errorf("%s: %d runs were reported, %d hooks ran", tt.name, continued, hooks)
		}
		if ran > 1 && list[1].Decision.Reason != "The sandbox has blocked a write." {
			t.Errorf("%s: the second run is recorded for %q", tt.name, list[1].Decision.Reason)
		}
	}
}

// TestRetryExplained checks that what the result of a run says already is not repeated.
func TestRetryExplained(t *testing.T) {
	t.Parallel()
	ran := 0
	g := gate(policy.Yolo, Options{Around: []Step{{Retry: (&permit{isExplained: true}).retry}}})
	list := g.Admit(t.Context(), call("write_file", "a", "x"), confinedTool(1, &ran), unasked(t)).Run(t.Context(), agent.Host{})
	if text := last(list).Error.Message; !strings.Contains(text, "\n\n[It was not run again: In this run") || strings.Contains(text, "It lacked") {
		t.Error(text)
	}
}

// TestRetryAfterTheEnd checks that a cancelled run is not followed by another.
func TestRetryAfterTheEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	ran := 0
	w := confinedTool(1, &ran)
	inner := w.run
	w.run = func(ctx context.Context, args map[string]any, host tool.Host) *tool.Result {
		cancel()
		return inner(ctx, args, host)
	}
	retry := func(context.Context, *agent.PreparedCall, *agent.Execution) *Retry {
		t.Error("a step was asked about a cancelled run")
		return nil
	}
	g := gate(policy.Yolo, Options{Interactive: true, Around: []Step{{Retry: retry}}})
	list := g.Admit(ctx, call("write_file", "a", "x"), w, unasked(t)).Run(ctx, agent.Host{Ask: unasked(t)})
	if ran != 1 || len(list) != 1 || strings.Contains(last(list).Error.Message, "not run again") {
		t.Errorf("%d runs, %+v", ran, list)
	}
}

// TestRetryWithPanic checks that a step which panics leaves the first run in the record.
func TestRetryWithPanic(t *testing.T) {
	t.Parallel()
	ran := 0
	g := gate(policy.Yolo, Options{Around: []Step{{Retry: func(context.Context, *agent.PreparedCall, *agent.Execution) *Retry { panic("oh no") }}}})
	list := g.Admit(t.Context(), call("write_file", "a", "x"), confinedTool(0, &ran), unasked(t)).Run(t.Context(), agent.Host{})
	if len(list) != 1 || !list[0].HasRun || list[0].Status != agent.Failed || !slices.ContainsFunc(list, func(x agent.Execution) bool {
		return strings.Contains(x.Result.Error.Message, "failed unexpectedly")
	}) {
		t.Errorf("%+v", list)
	}
}
