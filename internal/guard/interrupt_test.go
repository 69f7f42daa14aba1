package guard

import (
	"context"
	"errors"
	"testing"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/tool"
)

// TestInterrupt checks that a person is asked about a call that runs, and the answer where none comes.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	details := &tool.InfoConfirmation{Title: "A command waits", IsWaiting: true}
	for name, tt := range map[string]struct {
		alone, noHost, unattended bool
		err                       error
		want                      bool
	}{
		"answered":           {want: true},
		"the call has ended": {err: errors.New("ended")},
		"no person is there": {alone: true},
		"no user answers":    {unattended: true},
		"no face asks":       {noHost: true},
	} {
		var got tool.Outcome
		told, isAnswered := 0, false
		made := writer("")
		made.run = func(ctx context.Context, _ map[string]any, _ tool.Host) *tool.Result {
			if CallOf(ctx) == nil {
				t.Errorf("%s: the run has no call", name)
			}
			if ask := InterruptOf(ctx); ask != nil {
				got, isAnswered = ask(t.Context(), details)
			}
			return tool.Text("done")
		}
		host := agent.Host{Ask: func(_ context.Context, q *agent.Question) (tool.Answer, error) {
			if q.Details() != details || q.IsApproval() {
				t.Errorf("%s: the question is %+v", name, q)
			}
			return tool.Answer{Outcome: tool.ProceedOnce, Unattended: tt.unattended}, tt.err
		}}
		if tt.noHost {
			host.Ask = nil
		}
		g := gate(policy.Yolo, Options{Interactive: !tt.alone, Around: []Step{{}}, Hooks: telling{&told}})
		g.Admit(t.Context(), call("write_file", "a", "x"), made, unasked(t)).Run(t.Context(), host)
		if isAnswered != tt.want || tt.want && got != tool.ProceedOnce || (told == 1) == (tt.alone || tt.noHost) {
			t.Errorf("%s: %q %v, and hooks got it %d times", name, got, isAnswered, told)
		}
	}
	if InterruptOf(t.Context()) != nil || CallOf(t.Context()) != nil {
		t.Error("another context has a call")
	}
}

// telling counts the questions that hooks learn of.
type telling struct{ told *int }

func (telling) Before(context.Context, HookedCall) BeforeTool { return BeforeTool{} }

func (telling) After(context.Context, HookedCall, *tool.Result) AfterTool { return AfterTool{} }

func (h telling) Notify(context.Context, HookedCall, tool.Confirmation) { *h.told++ }
