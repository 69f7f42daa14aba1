package kit

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/slash"
)

// TestQueueCommand checks that / commands wait among the prompts, run in their order, and return to the person with them.
func TestQueueCommand(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &scene{run: works(release)}
		s.command = func(_ context.Context, line string) (slash.Result, error) {
			r := slash.Result{Outcome: outcome.Textf("%s", line)}
			if line == "/plan" {
				r.Next = manage.Next{Prompt: &agent.Prompt{Shown: "made by /plan"}}
			}
			return r, nil
		}
		err := play(t, s, func() {
			s.Queue("/now")
			s.wants("did /now")
			s.Submit("a")
			s.wants(`began "a" false`)
			s.Submit("b")
			s.Queue("/compress x ")
			s.Queue("c")
			s.Submit("d")
			s.Queue("/plan")
			s.Queue("/side e")
			s.wants("queued b", "queued /compress x", "queued c", "queued d", "queued /plan", "queued /side e")
			release <- struct{}{}
			s.wants("did a", `began "b" true`)
			release <- struct{}{}
			s.wants("did b", "began /compress x", "did /compress x", `began "c\n\nd" true`)
			release <- struct{}{}
			s.wants("did c\n\nd", "began /plan", "did /plan", `began "made by /plan" true`)
			s.Queue("/last")
			if text, ok := s.WithdrawLast(); text != "/last" || !ok {
				t.Error(text, ok)
			}
			s.Queue("/later")
			if got := s.Withdraw(); !cmp.Equal(got, []string{"/side e", "/later"}) {
				t.Errorf("%q", got)
			}
			s.Queue("/then")
			s.Interrupt(false)
			s.wants("queued /last", "queued /later", "queued /then", "Cancelled", `not sent "made by /plan" true`, `not sent "/then" false`)
			s.Leave(nil)
		})
		if want := []string{"/now", "a", "b", "/compress x", "c", "d", "/plan", "/side e", "/last", "/later", "/then"}; err != nil || !cmp.Equal(s.recorded, want) {
			t.Errorf("%v, recorded %q", err, s.recorded)
		}
	})
}
