package kit

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/slash"
	"pollux/tool"
)

// TestInput checks which input is a shell command, a question for help, a mistyped command or a prompt.
func TestInput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		close(release)
		s := &scene{run: works(release), unknown: "/unknown is not a command."}
		s.command = func(context.Context, string) (slash.Result, error) { return slash.Result{}, errors.New("broken") }
		err := play(t, s, func() {
			s.Submit("!ls")
			s.wants("ran ls")
			s.Submit("!broken")
			s.wants("did no shell")
			s.Submit("! ")
			s.wants("Type a command behind the exclamation mark.")
			s.Submit("!one\n!two")
			s.wants(`began "!one\n!two" false`, "did !one\n!two")
			s.Enter("!ls")
			s.wants(`began "!ls" false`, "did !ls")
			s.Shell("ls\nls -l")
			s.wants("ran ls\nls -l")
			s.Shell(" ")
			s.wants("Type a command behind the exclamation mark.")
			s.Shell("/clear")
			s.wants("ran /clear")
			s.Submit("//x")
			s.wants(`began "//x" false`, "did //x")
			s.Submit(" ? ")
			s.wants("Help")
			s.Submit("/clear")
			s.wants("broken")
			s.Submit("exit")
			s.wants(`To leave, type /quit. To send "exit" to the model, press Enter alone.`)
			s.Submit("/unknown x")
			s.wants(`/unknown is not a command. To send "/unknown x" to the model, press Enter alone.`)
			s.Submit("")
			s.wants(`began "/unknown x" false`, "did /unknown x")
			s.Submit("/unknown x")
			s.Submit("!ls")
			s.Submit("")
			s.wants(`/unknown is not a command. To send "/unknown x" to the model, press Enter alone.`, "ran ls")
			s.Submit("/unknown x")
			s.Send(agent.TextPrompt("/unknown y"))
			s.wants(`/unknown is not a command. To send "/unknown x" to the model, press Enter alone.`, `began "/unknown y" false`, "did /unknown y")
			s.Submit(" ")
			s.wants()
			s.Leave(nil)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestCompose checks a prompt that the person writes in an editor: it is sent at once and before the queue, and an
// interrupt gives nothing to the model.
func TestCompose(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		close(release)
		s := &scene{run: works(release)}
		write := func(text string, err error) func(context.Context) (string, error) {
			return func(ctx context.Context) (string, error) {
				select {
				case <-time.After(time.Second):
					return text, err
				case <-ctx.Done():
					return "", ctx.Err()
				}
			}
		}
		err := play(t, s, func() {
			s.Compose(write("a", nil))
			s.Submit("b")
			s.Compose(write("c", nil))
			time.Sleep(time.Second)
			s.wants("queued b", "The editor opens only while nothing is under way.", "began \"a\\n\\nb\" true", "did a\n\nb")
			s.Compose(write("", errors.New("The editor left nothing.\x1b[2J")))
			time.Sleep(time.Second)
			s.wants("The editor left nothing.")
			s.Compose(write("d", nil))
			s.Interrupt(false)
			s.wants("Cancelled")
			s.Leave(nil)
		})
		if want := []string{"b", "a"}; err != nil || !cmp.Equal(s.recorded, want) {
			t.Errorf("%v, recorded %q", err, s.recorded)
		}
	})
}

// TestEarlyInput checks that lines wait until the session is open, and run in order after the first one of the options.
func TestEarlyInput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		close(release)
		open := make(chan struct{})
		s := &scene{run: works(release), t: t}
		s.command = func(context.Context, string) (slash.Result, error) {
			time.Sleep(time.Millisecond)
			return slash.Result{Outcome: outcome.Textf("made")}, nil
		}
		d := New(Options{First: "first\x1b[2J", Open: func(context.Context, *Driver) (Session, error) { <-open; return scripted{s}, nil }})
		s.Driver = d
		ended := make(chan error, 1)
		go func() { ended <- d.Run(t.Context()) }()
		go func() {
			d.Submit("/side")
			d.Send(agent.TextPrompt("/sent"))
			if _, known := d.Lookup("/stats"); !known || !d.State().IsOpening {
				t.Error("the commands of the table are not known before the session is open")
			}
			close(open)
			s.settle()
			d.Leave(nil)
		}()
		for e := range d.Events() {
			s.draw(e)
		}
		want := []string{"queued /side", "queued /sent", `began "first" false`, "queued /sent", "did first", `began "/sent" true`, "did /sent", "did made"}
		if err := <-ended; err != nil || !cmp.Equal(s.seen, want) {
			t.Errorf("%v\n%s", err, cmp.Diff(want, s.seen))
		}
		if want := []string{"first", "/side", "/sent"}; !cmp.Equal(s.recorded, want) {
			t.Errorf("recorded %q", s.recorded)
		}
	})
}

// TestEarlyShell checks that a shell command waits until the session is open, whatever its lines, and that the face can show it then.
func TestEarlyShell(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release, open := make(chan struct{}), make(chan struct{})
		close(release)
		s := &scene{run: works(release), t: t}
		d := New(Options{Open: func(context.Context, *Driver) (Session, error) { <-open; return scripted{s}, nil }})
		s.Driver = d
		ended := make(chan error, 1)
		go func() { ended <- d.Run(t.Context()) }()
		go func() {
			d.Shell("ls\nls -l")
			close(open)
			s.settle()
			d.Enter("!one")
			s.settle()
			d.Leave(nil)
		}()
		var shells []string
		for e := range d.Events() {
			if began, ok := e.(Began); ok && began.Shell != "" {
				shells = append(shells, began.Shell)
			}
			s.draw(e)
		}
		if want := []string{"queued !ls\nls -l", "ran ls\nls -l", `began "!one" false`, "did !one"}; <-ended != nil || !cmp.Equal(s.seen, want) {
			t.Error(cmp.Diff(want, s.seen))
		}
		if want := []string{"ls\nls -l"}; !cmp.Equal(shells, want) {
			t.Errorf("shown: %q", shells)
		}
	})
}

// TestBegan checks that the beginning of a / command names it, and whether it has waited.
func TestBegan(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &scene{run: works(release), command: func(context.Context, string) (slash.Result, error) { return slash.Result{}, nil }, t: t}
		d := New(Options{Open: func(context.Context, *Driver) (Session, error) { return scripted{s}, nil }})
		s.Driver = d
		ended := make(chan error, 1)
		go func() { ended <- d.Run(t.Context()) }()
		go func() {
			s.settle()
			d.Enter("/typed")
			s.settle()
			d.Enter("work")
			s.settle()
			d.Queue("/waited")
			close(release)
			s.settle()
			d.Leave(nil)
		}()
		var commands []string
		for e := range d.Events() {
			if began, ok := e.(Began); ok && began.Command != "" {
				commands = append(commands, fmt.Sprint(began.Command, " ", began.IsNew))
			}
			s.draw(e)
		}
		if want := []string{"/typed false", "/waited true"}; <-ended != nil || !cmp.Equal(commands, want) {
			t.Errorf("%q", commands)
		}
	})
}

// TestLiveOutput checks that a face knows the running calls and their newest output at any time, and that interrupts
// end a call that runs.
func TestLiveOutput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		call := &agent.ToolCall{ID: "1", Name: "run_shell_command"}
		s := &scene{run: func(ctx context.Context, _ string, emit func(agent.Event)) error {
			emit(agent.ToolRequested{Call: call})
			emit(agent.ToolUpdated{Call: call, Status: agent.Executing, Summary: "make"})
			for i := 0; ctx.Err() == nil; i++ {
				emit(agent.ToolUpdated{Call: call, Status: agent.Executing, Output: tool.TerminalDisplay(fmt.Sprint("line ", i))})
				time.Sleep(time.Second)
			}
			emit(agenttest.Finished(call, agent.CallCancelled, nil))
			return nil
		}}
		var calls Calls
		var shown []string
		d := New(Options{First: "go", Open: func(context.Context, *Driver) (Session, error) { return scripted{s}, nil }})
		ended := make(chan error, 1)
		go func() { ended <- d.Run(t.Context()) }()
		for e := range d.Events() {
			switch e := e.(type) {
			case Ran:
				if calls.Observe(e.Event) {
					shown = append(shown, calls.Get(call).Label(nil))
				}
				for _, c := range calls.Running() {
					if c.Output != nil {
						shown = append(shown, string(c.Output.(tool.TerminalDisplay)))
					}
				}
				if len(shown) == 4 {
					d.Interrupt(false)
				}
			case Cancelled:
				if !e.ByInterrupt || e.IsLeaving || len(calls.Running()) > 0 {
					t.Errorf("%+v, running: %d", e, len(calls.Running()))
				}
				d.Leave(nil)
			}
		}
		want := []string{"run_shell_command: make", "line 0", "line 1", "line 2"}
		if err := <-ended; err != nil || !cmp.Equal(shown, want) {
			t.Errorf("%v, %q", err, shown)
		}
	})
}

// TestWarnings checks that warnings are reported in order, those of the end included, and that a warning never waits.
func TestWarnings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &scene{}
		s.end = func(context.Context) string {
			for i := range 100 {
				s.Warn(fmt.Sprint(i))
			}
			return "bye"
		}
		err := play(t, s, func() {
			s.do(func() { s.Warn("on the loop") })
			s.wants("on the loop")
			s.Leave(nil)
		})
		if err != nil || len(s.seen) != 101 || s.seen[0] != "0" || s.seen[99] != "99" || s.seen[100] != "bye" {
			t.Errorf("%v, %q", err, s.seen)
		}
	})
}

// TestEndOfInput checks that questions get no answer of a person after the end of the input.
func TestEndOfInput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []tool.Answer
		s := &scene{}
		s.run = func(_ context.Context, _ string, emit func(agent.Event)) error {
			call := &agent.ToolCall{ID: "1", Name: "x"}
			for range 2 {
				answered := make(chan struct{})
				emit(agent.ToolAsked{Call: call, Question: agenttest.Question(call, &tool.InfoConfirmation{Title: "x"}), Answer: func(a tool.Answer) {
					got = append(got, a)
					close(answered)
				}})
				<-answered
			}
			return nil
		}
		err := play(t, s, func() {
			s.Submit("go")
			s.wants(`began "go" false`, "agent.ToolAsked", "asked 1/1 x")
			if !s.State().IsBusy || s.State().IsAsking {
				t.Errorf("%+v", s.State())
			}
			s.EndInput()
		})
		no := tool.Answer{Outcome: tool.Cancel, Unattended: true}
		s.wants("agent.ToolAsked", "The input has ended: the answer is no.")
		if err != nil || !cmp.Equal(got, []tool.Answer{no, no}) {
			t.Errorf("%v, %+v", err, got)
		}
	})
}

// TestFollowing checks that a question is not asked before those that follow it, however long they take.
func TestFollowing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &scene{}
		s.run = func(ctx context.Context, _ string, emit func(agent.Event)) error {
			for following := range 2 {
				call := &agent.ToolCall{ID: "1", Name: "x"}
				emit(agent.ToolAsked{
					Call: call, Question: agenttest.Question(call, &tool.InfoConfirmation{Title: "x"}), Answer: func(tool.Answer) {}, Following: 1 - following,
				})
				time.Sleep(time.Minute)
			}
			return nil
		}
		err := play(t, s, func() {
			s.Submit("go")
			s.wants(`began "go" false`, "agent.ToolAsked")
			time.Sleep(time.Minute)
			s.wants("agent.ToolAsked", "asked 1/2 x")
			s.Leave(nil)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestSettledMeanwhile checks that a command that runs beside a question can settle it, and that a question of which the
// asker needs no answer is not asked.
func TestSettledMeanwhile(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got tool.Answer
		s := &scene{allowed: map[string]bool{}}
		s.run = func(ctx context.Context, _ string, emit func(agent.Event)) error {
			call := &agent.ToolCall{ID: "1", Name: "x"}
			answered := make(chan struct{})
			emit(agent.ToolAsked{Call: call, Question: agenttest.Question(call, &tool.InfoConfirmation{Title: "x"}), Answer: func(a tool.Answer) { got = a; close(answered) }})
			<-answered
			return nil
		}
		s.command = func(ctx context.Context, line string) (slash.Result, error) {
			if line == "/side ask" {
				brief, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				_, err := s.Ask(brief, &tool.InfoConfirmation{Title: "y"})
				return slash.Result{Outcome: outcome.Textf("%v", err)}, nil
			}
			return slash.Result{}, nil
		}
		err := play(t, s, func() {
			s.Submit("go")
			s.Submit("/side ask")
			s.wants(`began "go" false`, "agent.ToolAsked", "asked 1/2 x")
			time.Sleep(time.Second)
			s.settle()
			s.allowed["1"] = true
			s.Submit("/side allow")
			s.wants("did context deadline exceeded", "did ", "Settled")
			if got.Outcome != tool.ProceedOnce || s.shown[0].Context().Err() == nil {
				t.Errorf("%+v", got)
			}
			s.Leave(nil)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestRecheck checks that a question ends when the person changes the rules so that they allow the call.
func TestRecheck(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got tool.Answer
		s := &scene{allowed: map[string]bool{}}
		s.run = func(_ context.Context, _ string, emit func(agent.Event)) error {
			call := &agent.ToolCall{ID: "1", Name: "x"}
			answered := make(chan struct{})
			emit(agent.ToolAsked{Call: call, Question: agenttest.Question(call, &tool.InfoConfirmation{Title: "x"}), Answer: func(a tool.Answer) { got = a; close(answered) }})
			<-answered
			return nil
		}
		err := play(t, s, func() {
			s.Submit("go")
			s.Recheck()
			s.wants(`began "go" false`, "agent.ToolAsked", "asked 1/1 x")
			s.allowed["1"] = true
			s.Recheck()
			s.wants("Settled")
			if got.Outcome != tool.ProceedOnce || s.shown[0].Context().Err() == nil {
				t.Errorf("%+v", got)
			}
			s.Leave(nil)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestLentTerminal checks that interrupts only count while another program handles the keys: two change nothing, and the
// third one leaves after the program has ended.
func TestLentTerminal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &scene{}
		closed := false
		err := play(t, s, func() {
			s.Compose(func(ctx context.Context) (string, error) {
				<-ctx.Done()
				time.Sleep(grace / 2)
				closed = true
				return "", ctx.Err()
			})
			s.Interrupt(true)
			s.Interrupt(true)
			s.settle()
			if st := s.State(); !st.IsBusy || st.IsLeaving || closed {
				t.Errorf("%+v, closed: %v", st, closed)
			}
			s.Interrupt(true)
		})
		if exit.CodeOf(err) != exit.Interrupted || !closed || s.forced {
			t.Errorf("%v, closed: %v, forced: %v", err, closed, s.forced)
		}
	})
}

// TestSlowCommand checks that the prompt of a command that ends after the work beside it is sent at once, and that a
// command that an interrupt ends is cancelled, whatever its error.
func TestSlowCommand(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &scene{run: works(release)}
		s.command = func(ctx context.Context, line string) (slash.Result, error) {
			if line == "/wait" {
				<-ctx.Done()
				return slash.Result{}, errors.New("killed")
			}
			time.Sleep(time.Minute)
			return slash.Result{Next: manage.Next{Prompt: new(agent.TextPrompt("made"))}}, nil
		}
		err := play(t, s, func() {
			s.Submit("a")
			s.Submit("/side")
			release <- struct{}{}
			s.wants(`began "a" false`, "did a")
			time.Sleep(time.Minute)
			s.wants("did ", `began "made" true`)
			release <- struct{}{}
			s.wants("did made")
			s.Submit("/wait")
			s.Interrupt(false)
			s.wants("Cancelled")
			s.Leave(nil)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestCallEnds checks that a question closes when its call needs no answer any more, that the next one is asked, and that a dismissal is no answer of the
// person.
func TestCallEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ended := make(chan struct{})
		answers := make(chan tool.Answer, 3)
		s := &scene{allowed: map[string]bool{}}
		s.run = func(ctx context.Context, _ string, emit func(agent.Event)) error {
			for i, title := range []string{"waits", "waits, too", "y"} {
				call := &agent.ToolCall{ID: title, Name: "x"}
				asked := agent.ToolAsked{
					Call: call, Question: agenttest.Question(call, &tool.InfoConfirmation{Title: title, IsWaiting: true}),
					Done: ended, Answer: func(a tool.Answer) { answers <- a },
				}
				if i == 2 {
					asked.Done = ctx.Done()
				}
				emit(asked)
			}
			<-ctx.Done()
			return ctx.Err()
		}
		err := play(t, s, func() {
			s.Submit("go")
			time.Sleep(time.Second)
			s.settle()
			if len(s.shown) != 1 || s.shown[0].Title != "waits" {
				t.Fatalf("%d questions are open", len(s.shown))
			}
			close(ended)
			time.Sleep(time.Second)
			s.settle()
			if len(s.shown) != 2 || s.shown[0].Context().Err() == nil || s.shown[1].Title != "y" || s.shown[1].Context().Err() != nil {
				t.Fatal("the next question is none")
			}
			<-answers // to the first question, which nothing reads
			s.Cancel()
			if a := <-answers; a.Outcome != tool.Cancel || !a.Unattended {
				t.Errorf("the answer is %+v", a)
			}
			s.Leave(nil)
		})
		if err != nil {
			t.Error(err)
		}
	})
}
