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

// TestQueueBehindAnswer checks that / commands and shell commands wait once the model has answered, and while no model works. They are refused
// while the model still works, and return to the person if the work before them is stopped.
func TestQueueBehindAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		steps := make(chan agent.Event)
		s := &scene{run: func(ctx context.Context, _ string, emit func(agent.Event)) error {
			for {
				select {
				case e := <-steps:
					if e == nil {
						return nil
					}
					emit(e)
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}}
		s.command = func(ctx context.Context, line string) (slash.Result, error) {
			if line == "/wait" {
				<-ctx.Done()
				return slash.Result{}, ctx.Err()
			}
			return slash.Result{Outcome: outcome.Textf("%s", line)}, nil
		}
		const slashRefused = " cannot run while the model works. Wait, or press Ctrl+C to stop the model. /help, /stats and /mode run at any time."
		const shellRefused = "Shell commands cannot run while the model works. Wait, or press Ctrl+C to stop the model."
		turn, called, finished := "agent.TurnStarted", "agent.ToolRequested", "agent.Finished"
		err := play(t, s, func() {
			s.Submit("go")
			for _, e := range []agent.Event{agent.TurnStarted{}, agent.ToolRequested{Call: &agent.ToolCall{ID: "1", Name: "x"}}, agent.Finished{}} {
				steps <- e
			}
			s.settle()
			s.Submit("/plan")
			s.Submit("!ls")
			s.wants(`began "go" false`, turn, called, finished, "/plan"+slashRefused, shellRefused)
			steps <- agent.TurnStarted{}
			steps <- agent.Text{Text: "Done."}
			steps <- agent.Finished{}
			s.settle()
			s.Submit("/plan x ")
			s.Submit("! ")
			s.Submit("!ls")
			s.Submit("next")
			s.wants(turn, "Done.", finished, "queued /plan x", "Type a command behind the exclamation mark.", "queued !ls", "queued next")
			steps <- nil
			s.wants("began /plan x", "did /plan x", "ran ls", `began "next" true`)
			steps <- agent.Finished{}
			steps <- agent.TurnStarted{} // a hook sends the model on
			s.settle()
			s.Submit("!ls")
			s.wants(finished, turn, shellRefused)
			steps <- nil
			s.settle()
			s.Submit("/wait")
			s.Submit("! make")
			s.Interrupt(false)
			s.wants("queued ! make", "Cancelled", `not sent "! make" false`)
			s.Leave(nil)
		})
		if want := []string{"go", "/plan x", "next", "/wait"}; err != nil || !cmp.Equal(s.recorded, want) {
			t.Errorf("%v, recorded %q", err, s.recorded)
		}
	})
}
