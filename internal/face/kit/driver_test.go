package kit

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/companion"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/slash"
	"pollux/internal/stats"
	"pollux/tool"
)

// scene is a driver over a scripted session, in a bubble of synctest. It keeps the reports of the driver.
type scene struct {
	t *testing.T
	*Driver
	home
	run      func(ctx context.Context, prompt string, emit func(agent.Event)) error
	command  func(ctx context.Context, line string) (slash.Result, error)
	allowed  map[string]bool // by id of the call
	unknown  string          // the reason for lines that begin with "/unknown"
	end      func(ctx context.Context) string
	steerErr error
	steered  []string
	recorded []string
	forced   bool
	mu       sync.Mutex // of seen
	seen     []string
	beside   []string // the reports of commands beside the work
	shown    []*Question
	calls    int   // that the session has counted
	counts   []int // of calls, in the reports of runs
	ended    chan error
}

// play runs a driver until act returns and the driver has ended.
func play(t *testing.T, s *scene, act func()) error {
	t.Helper()
	s.t, s.ended = t, make(chan error, 1)
	s.Driver = New(Options{Open: func(context.Context, *Driver) (Session, error) { return scripted{s}, nil }})
	drawn := make(chan struct{})
	go func() {
		defer close(drawn)
		for e := range s.Events() {
			s.draw(e)
		}
	}()
	go func() { s.ended <- s.Driver.Run(t.Context()) }()
	s.settle()
	act()
	err := <-s.ended
	<-drawn
	s.Driver.Close()
	return err
}

func (s *scene) settle() {
	time.Sleep(2 * batchWindow)
	synctest.Wait()
}

func (s *scene) draw(e Event) {
	text := fmt.Sprintf("%T", e)
	s.noteCounts(e)
	switch e := e.(type) {
	case Asked:
		s.shown = append(s.shown, e.Question)
		text = fmt.Sprintf("asked %d/%d %s", e.Question.Number, e.Question.Count, e.Question.Title)
	case Ran:
		text = fmt.Sprintf("%T", e.Event)
		if t, ok := e.Event.(agent.Text); ok {
			text = t.Text
		}
	case Opened, Finished:
		return
	case Beside:
		lines := []string{}
		for _, c := range e.Commands {
			lines = append(lines, c.Line)
		}
		s.beside = append(s.beside, strings.Join(lines, ", "))
		return
	case Began:
		switch {
		case e.IsRun:
			text = fmt.Sprintf("began %q %v", e.Prompt, e.IsNew)
		case e.Command != "" && e.IsNew:
			text = "began " + e.Command
		default:
			return
		}
	case NotSent:
		text = fmt.Sprintf("not sent %q %v", e.Text(), e.WasRun)
	case Notice:
		text = e.Text
	case Warning:
		text = e.Text
	case Failed:
		text = e.Err.Error()
	case Queued:
		text = "queued " + e.Text
	case CommandDone:
		text = "did " + e.Result.Markdown(0)
	case ShellDone:
		text = e.Output
	case Ended:
		text = e.Text
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, strings.TrimPrefix(text, "kit."))
}

// noteCounts keeps the counts in a report.
func (s *scene) noteCounts(e Event) {
	var counts *stats.Snapshot
	switch e := e.(type) {
	case Began:
		counts = e.Stats
	case Finished:
		counts = e.Stats
	}
	if counts != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.counts = append(s.counts, counts.Tools.Calls)
	}
}

// wants compares the reports of the driver since the last time.
func (s *scene) wants(want ...string) {
	s.t.Helper()
	s.settle()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(want, s.seen); diff != "" {
		s.t.Error(diff)
	}
	s.seen = nil
}

// scripted is the session of a scene.
type scripted struct{ s *scene }

func (f scripted) ModeName() string          { return f.s.mode }
func (f scripted) ToolTitle(n string) string { return f.s.home.ToolTitle(n) }
func (f scripted) ShortPath(p string) string { return f.s.home.ShortPath(p) }
func (f scripted) ShortText(t string) string { return f.s.home.ShortText(t) }

func (f scripted) Run(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		isGone := false
		err := f.s.run(ctx, p.Text(), func(e agent.Event) { isGone = isGone || !yield(e, nil) })
		switch {
		case isGone:
		case ctx.Err() != nil:
			yield(agent.Cancelled{}, nil)
		case err != nil:
			yield(nil, err)
		}
	}
}

func (f scripted) Steer(_ context.Context, p agent.Prompt) error {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if f.s.steerErr == nil {
		f.s.steered = append(f.s.steered, p.Text())
	}
	return f.s.steerErr
}

func (f scripted) Withdraw() (texts []string) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	texts, f.s.steered = f.s.steered, nil
	return texts
}

func (f scripted) RunTyped(_ context.Context, command string, _ func(agent.Event)) (string, error) {
	if command == "broken" {
		return "", errors.New("no shell")
	}
	return "ran " + command, nil
}

func (f scripted) Allows(c *agent.PreparedCall) bool { return f.s.allowed[c.Call().ID] }

func (scripted) ShowDiff(context.Context, string, string) (*companion.Diff, string) { return nil, "" }

func (f scripted) Stats() stats.Snapshot {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	return stats.Snapshot{Tools: stats.Tool{Calls: f.s.calls}}
}

func (f scripted) RecordForcedExit() { f.s.forced = true }
func (f scripted) Close()            {}

func (f scripted) Lookup(line string) (slash.Call, bool) {
	return slash.Call{Command: &manage.Command{RunsWhileBusy: strings.HasPrefix(line, "/side")}}, !strings.HasPrefix(line, "/unknown")
}

func (f scripted) RunCommand(ctx context.Context, line string) (slash.Result, error) {
	return f.s.command(ctx, line)
}

func (f scripted) Unknown(line string) string {
	if strings.HasPrefix(line, "/unknown") {
		return f.s.unknown
	}
	return ""
}
func (f scripted) LogPrompt(text string) { f.s.recorded = append(f.s.recorded, text) }
func (f scripted) End(ctx context.Context) string {
	if f.s.end == nil {
		return ""
	}
	return f.s.end(ctx)
}

// works is a model that works until release has a value or the run is cancelled.
func works(release chan struct{}) func(context.Context, string, func(agent.Event)) error {
	return func(ctx context.Context, prompt string, emit func(agent.Event)) error {
		select {
		case <-release:
			emit(agent.Text{Text: "did " + prompt})
		case <-ctx.Done():
		}
		return nil
	}
}

func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// TestQueue checks that typed prompts are joined, that the prompt of a command is sent before them, on its own and as it
// was made, and that an interrupt gives the queue back.
func TestQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &scene{run: works(release)}
		s.command = func(context.Context, string) (slash.Result, error) {
			return slash.Result{Outcome: outcome.Textf("made"), Next: manage.Next{Prompt: &agent.Prompt{Shown: "/side x"}, IsPromptHidden: true}}, nil
		}
		err := play(t, s, func() {
			s.Submit("a")
			s.Submit("b")
			s.Submit("c")
			s.Send(agent.Prompt{Shown: "/d"})
			s.Submit("/side x")
			s.wants(`began "a" false`, "queued b", "queued c", "queued /d", "did made")
			release <- struct{}{}
			s.wants("did a", `began "/side x" false`)
			release <- struct{}{}
			s.wants("did /side x", `began "b\n\nc" true`)
			release <- struct{}{}
			s.wants("did b\n\nc", `began "/d" true`)
			s.Submit("e")
			s.Interrupt(false)
			s.wants("queued e", "Cancelled", `not sent "/d" true`, `not sent "e" false`)
			s.Leave(nil)
		})
		if want := []string{"a", "b", "c", "/d", "/side x", "e"}; err != nil || !cmp.Equal(s.recorded, want) {
			t.Errorf("%v, recorded %q", err, s.recorded)
		}
	})
}

// TestSteer checks that a prompt joins the run in progress, and starts one if there is none.
func TestSteer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &scene{run: works(release)}
		err := play(t, s, func() {
			s.Steer(agent.TextPrompt("a"))
			s.wants(`began "a" false`)
			s.Steer(agent.TextPrompt("b"))
			s.Submit("c")
			s.wants("queued b", "queued c")
			if got := s.Withdraw(); !cmp.Equal(got, []string{"b", "c"}) {
				t.Errorf("withdrawn: %q", got)
			}
			s.steerErr = errors.New("no such file")
			s.Steer(agent.TextPrompt("@x"))
			s.wants("queued @x", "no such file", `not sent "@x" false`)
			release <- struct{}{}
			s.wants("did a")
			s.EndInput()
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestHint checks that a hint is treated as a line, that one which no request has taken is sent behind the run or returned
// after its cancellation, and that the last prompt can be withdrawn.
func TestHint(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &scene{run: works(release)}
		err := play(t, s, func() {
			s.Hint("a") // there is no run
			s.wants(`began "a" false`)
			s.Hint("AIzaSyA1234567890abcdefghijklmnopqrstuv")
			s.wants("Not sent: this looks like an API key. To store a key, type /auth.")
			s.Hint("late")
			s.Submit("queued")
			s.wants("queued late", "queued queued")
			release <- struct{}{}
			s.wants("did a", `began "late\n\nqueued" true`)
			s.Hint("one")
			s.wants("queued one")
			s.Hint("two")
			s.wants("queued two")
			if text, ok := s.WithdrawLast(); text != "two" || !ok {
				t.Errorf("%q %v", text, ok)
			}
			s.Submit("three")
			s.wants("queued three")
			if text, ok := s.WithdrawLast(); text != "three" || !ok {
				t.Errorf("%q %v", text, ok)
			}
			s.Cancel()
			s.wants("Cancelled", `not sent "late\n\nqueued" true`, `not sent "one" false`)
			if text, ok := s.WithdrawLast(); ok {
				t.Errorf("%q", text)
			}
			s.EndInput()
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestCancelBeside checks that Cancel stops the commands beside the run, the last one first, and then the run.
func TestCancelBeside(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &scene{run: works(make(chan struct{})), command: func(ctx context.Context, line string) (slash.Result, error) {
			<-ctx.Done()
			return slash.Result{}, ctx.Err()
		}}
		err := play(t, s, func() {
			s.Submit("go")
			s.Submit("/side one")
			s.Submit("/side two")
			s.wants(`began "go" false`)
			s.Cancel()
			s.wants("Cancelled: /side two")
			if state := s.State(); !state.IsBusy || !state.IsBeside {
				t.Errorf("%+v", state)
			}
			s.Cancel()
			s.wants("Cancelled: /side one")
			if state := s.State(); !state.IsBusy || state.IsBeside {
				t.Errorf("%+v", state)
			}
			s.Cancel()
			s.wants("Cancelled", `not sent "go" true`)
			s.EndInput()
		})
		if want := []string{"/side one", "/side one, /side two", "/side one", ""}; err != nil || !slices.Equal(s.beside, want) {
			t.Errorf("%v, beside the work %q, want %q", err, s.beside, want)
		}
	})
}

// TestInterrupts checks the effects of the first, the second and the third interrupt, and that typing ends a series of them.
func TestInterrupts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		stubborn := func(ctx context.Context, _ string, _ func(agent.Event)) error {
			<-ctx.Done()
			time.Sleep(time.Minute)
			return nil
		}
		s := &scene{run: stubborn}
		err := play(t, s, func() {
			s.Interrupt(false)
			s.Typing()
			s.Interrupt(false)
			time.Sleep(repeatWindow)
			s.Interrupt(false)
			again := "Press Ctrl+C again to exit."
			s.wants(again, again, again)
			s.Submit("go")
			s.Interrupt(false)
			s.wants(`began "go" false`, "Exiting as soon as everything has stopped. Press Ctrl+C again to exit at once.")
			if !s.State().IsLeaving || s.forced {
				t.Errorf("%+v, forced: %v", s.State(), s.forced)
			}
			s.Typing() // too late
			s.Interrupt(false)
		})
		if exit.CodeOf(err) != exit.Interrupted || !s.forced {
			t.Errorf("%v, forced: %v", err, s.forced)
		}
		time.Sleep(time.Minute)
	})
}

// TestBatch checks that questions of parallel calls are asked in the order of the calls, that rules settle them, that an
// answer to another question has no effect, and that Refuse refuses all.
func TestBatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got [3]tool.Answer
		s := &scene{allowed: map[string]bool{}}
		s.run = func(ctx context.Context, _ string, emit func(agent.Event)) error {
			answered := make(chan struct{}, len(got))
			var calls []*agent.ToolCall
			for i := range got {
				calls = append(calls, &agent.ToolCall{ID: fmt.Sprint(i), Name: "run_shell_command"})
				emit(agent.ToolRequested{Call: calls[i]})
			}
			for i := len(got) - 1; i >= 0; i-- {
				q := agenttest.Question(calls[i], &tool.ExecConfirmation{Title: fmt.Sprint(i), Command: "x"})
				emit(agent.ToolAsked{Call: calls[i], Question: q, Answer: func(a tool.Answer) { got[i] = a; answered <- struct{}{} }})
			}
			for range got {
				<-answered
			}
			return nil
		}
		err := play(t, s, func() {
			s.Submit("go")
			s.settle()
			s.allowed["1"] = true
			first := s.shown[0]
			s.Answer(&Question{}, tool.Answer{Outcome: tool.ProceedAlways})
			s.Answer(first, first.Option("y").Answer(""))
			s.settle()
			if first.Context().Err() == nil || s.shown[1].Context().Err() != nil {
				t.Error("the wrong question is open")
			}
			s.Answer(first, tool.Answer{Outcome: tool.ProceedAlways}) // again
			s.Refuse()
			request, asked := "agent.ToolRequested", "agent.ToolAsked"
			s.wants(`began "go" false`, request, request, request, asked, asked, asked, "asked 1/3 0", "Settled", "asked 2/2 2")
			s.Leave(nil)
		})
		want := [3]tool.Answer{{Outcome: tool.ProceedOnce}, {Outcome: tool.ProceedOnce, ByRules: true}, {Outcome: tool.Cancel}}
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%v, answered %+v", err, got)
		}
	})
}

// TestBeside checks that a command that runs beside the work can ask, that others cannot run then, and that the driver
// waits for it at the end of the input.
func TestBeside(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &scene{run: works(release)}
		s.command = func(ctx context.Context, _ string) (slash.Result, error) {
			a, err := s.Ask(ctx, &tool.QuestionConfirmation{Title: "Which?", Questions: []tool.Question{{Text: "x", Kind: tool.TextQuestion}}})
			if err != nil {
				return slash.Result{}, err
			}
			time.Sleep(time.Minute)
			return slash.Result{Outcome: outcome.Textf("%s", a.Reply.Answers["0"])}, nil
		}
		err := play(t, s, func() {
			s.Submit("go")
			s.Submit("/side")
			s.Submit("/other")
			s.Submit("!ls")
			s.wants(`began "go" false`,
				"/other cannot run while the model works. Wait, or press Ctrl+C to stop the model. /help, /stats and /mode run at any time.",
				"Shell commands cannot run while the model works. Wait, or press Ctrl+C to stop the model.", "asked 1/1 Which?")
			s.Answer(s.shown[0], s.shown[0].Reply([]string{"that"}))
			close(release)
			s.settle()
			if st := s.State(); st.IsBusy || !st.IsBeside {
				t.Errorf("%+v", st)
			}
			s.Warn("careful\x1b[2J")
			s.EndInput()
		})
		if want := []string{"did go", "careful", "did that"}; err != nil || !cmp.Equal(s.seen, want) {
			t.Errorf("%v, %q", err, s.seen)
		}
		if _, err := s.Ask(t.Context(), &tool.InfoConfirmation{}); !errors.Is(err, ErrOver) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// TestStop checks that a driver that is stopped answers no question, and ends although its face takes no events.
func TestStop(t *testing.T) {
	bubble(t, func(t *testing.T) {
		cause := errors.New("gone")
		answered := false
		s := &scene{}
		s.run = func(ctx context.Context, _ string, emit func(agent.Event)) error {
			call := &agent.ToolCall{ID: "1", Name: "x"}
			emit(agent.ToolAsked{Call: call, Question: agenttest.Question(call, &tool.InfoConfirmation{}), Answer: func(tool.Answer) { answered = true }})
			<-ctx.Done()
			for range 1000 {
				emit(agent.Text{Text: "more"}) // nothing takes it
			}
			return nil
		}
		d := New(Options{First: "go", Open: func(context.Context, *Driver) (Session, error) { return scripted{s}, nil }})
		ended := make(chan error, 1)
		go func() { ended <- d.Run(t.Context()) }()
		for e := range d.Events() {
			if _, ok := e.(Asked); ok {
				break
			}
		}
		d.Submit("more")
		d.Stop(cause)
		if err := <-ended; !errors.Is(err, cause) || answered {
			t.Errorf("%v, answered: %v", err, answered)
		}
	})
}

// TestSlowFace checks that a face that is slow gets all events before the driver ends in order, also with an error.
func TestSlowFace(t *testing.T) {
	for _, cause := range []error{nil, errors.New("broken")} {
		t.Run(fmt.Sprint(cause), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &scene{}
				d := New(Options{Open: func(context.Context, *Driver) (Session, error) { return scripted{s}, nil }})
				ended := make(chan error, 1)
				go func() { ended <- d.Run(t.Context()) }()
				notices, last := 0, Event(nil)
				for last = range d.Events() {
					time.Sleep(time.Second)
					switch last.(type) {
					case Opened:
						for range 10 {
							d.Submit("!")
						}
						d.Leave(cause)
					case Notice:
						notices++
					}
				}
				if err := <-ended; !errors.Is(err, cause) || notices != 10 {
					t.Errorf("%v, %d notices", err, notices)
				}
				if _, isFinished := last.(Finished); cause == nil && !isFinished {
					t.Errorf("the last event is %T", last)
				}
			})
		})
	}
}

// TestNotOpened checks the errors of a session that cannot be opened, and of a person who leaves before it is open.
func TestNotOpened(t *testing.T) {
	broken, own := errors.New("broken"), exit.Errorf(exit.Interrupted, "its own words")
	for name, tt := range map[string]struct {
		err  error
		left error // of the session after the question
		act  func(d *Driver)
		want error
		code exit.Code
	}{
		"error":     {broken, nil, func(*Driver) {}, broken, exit.General},
		"interrupt": {nil, nil, func(d *Driver) { d.Interrupt(false) }, nil, exit.Interrupted},
		"leave":     {nil, nil, func(d *Driver) { d.Leave(nil) }, nil, exit.Interrupted},
		"own words": {nil, own, func(d *Driver) { d.Leave(nil) }, own, exit.Interrupted},
		"failure":   {nil, nil, func(d *Driver) { d.Leave(broken); d.Leave(nil) }, broken, exit.General},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := New(Options{Open: func(ctx context.Context, d *Driver) (Session, error) {
					if tt.err != nil {
						return nil, tt.err
					}
					_, err := d.Ask(ctx, &tool.QuestionConfirmation{Title: "Trust"})
					if tt.left != nil {
						err = tt.left
					}
					return scripted{&scene{}}, err
				}})
				ended := make(chan error, 1)
				go func() { ended <- d.Run(t.Context()) }()
				for e := range d.Events() {
					if _, ok := e.(Asked); ok {
						tt.act(d)
					}
				}
				if err := <-ended; tt.want != nil && !errors.Is(err, tt.want) || exit.CodeOf(err) != tt.code {
					t.Errorf("ends with %v", err)
				}
			})
		})
	}
}

// TestLeaveEarly checks that a person who leaves before the session is open, and was asked nothing, has left in order, unless the session
// cannot be opened.
func TestLeaveEarly(t *testing.T) {
	broken := errors.New("broken")
	for name, tt := range map[string]struct{ err, want error }{
		"opened":    {nil, nil},
		"cancelled": {context.Canceled, nil},
		"explained": {exit.Errorf(exit.Interrupted, "cancelled"), nil},
		"broken":    {broken, broken},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				hasEnded := false
				s := scripted{&scene{end: func(context.Context) string { hasEnded = true; return "" }}}
				d := New(Options{First: "not sent", Open: func(ctx context.Context, _ *Driver) (Session, error) {
					<-ctx.Done()
					if tt.err != nil {
						return nil, tt.err
					}
					return s, nil
				}})
				ended := make(chan error, 1)
				go func() { ended <- d.Run(t.Context()) }()
				go d.Leave(nil)
				for e := range d.Events() {
					if _, ok := e.(Opened); ok {
						t.Error("the session begins")
					}
				}
				if err := <-ended; !errors.Is(err, tt.want) || hasEnded != (tt.err == nil) {
					t.Errorf("ends with %v, ended %v", err, hasEnded)
				}
			})
		})
	}
}

// TestNestedQuestions checks that the rules for the main agent do not answer the questions of other agents, and that
// questions that come later are a batch of their own.
func TestNestedQuestions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &scene{allowed: map[string]bool{"inner": true}}
		s.run = func(_ context.Context, _ string, emit func(agent.Event)) error {
			outer := &agent.ToolCall{ID: "outer", Name: "invoke_agent", Args: []byte(`{"agent_name": "scout"}`)}
			inner := &agent.ToolCall{ID: "inner", Name: "run_shell_command"}
			emit(agent.ToolRequested{Call: outer})
			for i := range 2 {
				answered := make(chan struct{})
				q := agenttest.Question(inner, &tool.ExecConfirmation{Title: fmt.Sprint(i), Command: "x"})
				emit(agent.ToolAsked{Call: inner, Question: q, Within: []*agent.ToolCall{outer}, Answer: func(tool.Answer) { close(answered) }})
				<-answered
			}
			return nil
		}
		err := play(t, s, func() {
			s.Submit("go")
			s.settle()
			for i := range 2 {
				q := s.shown[i]
				if q.Agent != "scout" || !q.IsOfCall || q.Call == nil || q.Call.ID != "inner" || len(q.Within) != 1 || q.Within[0].ID != "outer" {
					t.Errorf("%+v", q)
				}
				s.Answer(q, q.Option("y").Answer(""))
				s.settle()
			}
			s.wants(`began "go" false`, "agent.ToolRequested", "agent.ToolAsked", "asked 1/1 0", "agent.ToolAsked", "asked 1/1 1")
			s.Leave(nil)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestCommandRun checks that the run of a command starts when the work in progress has ended, and before the queue; and that
// a prompt that people do not see is not given back to them.
func TestCommandRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &scene{run: works(release)}
		s.command = func(_ context.Context, line string) (slash.Result, error) {
			if line == "/side hidden" {
				return slash.Result{Next: manage.Next{Prompt: new(agent.TextPrompt("hidden")), IsPromptHidden: true}}, nil
			}
			return slash.Result{Next: manage.Next{Run: func(context.Context) iter.Seq2[agent.Event, error] {
				return func(yield func(agent.Event, error) bool) { yield(agent.Text{Text: "restored"}, nil) }
			}}}, nil
		}
		err := play(t, s, func() {
			s.Submit("a")
			s.Submit("b")
			s.Submit("/side restore")
			s.wants(`began "a" false`, "queued b", "did ")
			release <- struct{}{}
			s.wants("did a", `began "" false`, "restored", `began "b" true`)
			s.Submit("/side hidden")
			s.settle()
			s.Submit("c")
			s.Interrupt(false)
			s.wants("did ", "queued c", "Cancelled", `not sent "b" true`, `not sent "c" false`)
			s.Leave(nil)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestOverflow checks that a prompt that does not fit is given back once, with those that wait; that the questions of a run
// end with it; and that a queue has bounds.
func TestOverflow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		var got tool.Answer
		s := &scene{}
		s.run = func(_ context.Context, prompt string, emit func(agent.Event)) error {
			call := &agent.ToolCall{ID: "1", Name: "x"}
			emit(agent.ToolAsked{Call: call, Question: agenttest.Question(call, &tool.InfoConfirmation{Title: "x"}), Answer: func(a tool.Answer) { got = a }})
			<-release
			emit(agent.Overflow{})
			return nil
		}
		err := play(t, s, func() {
			s.Submit("a")
			s.wants(`began "a" false`, "agent.ToolAsked", "asked 1/1 x")
			s.Submit("b")
			s.Submit(strings.Repeat("x", maxQueue))
			s.settle()
			close(release)
			s.wants("queued b", "The queue is full.", fmt.Sprintf("not sent %q false", strings.Repeat("x", maxQueue)), "agent.Overflow", `not sent "a" true`, `not sent "b" false`)
			if got.Outcome != tool.Cancel || s.shown[0].Context().Err() == nil {
				t.Errorf("answered %+v", got)
			}
			s.Submit("sk-proj-" + strings.Repeat("a1B2", 12))
			s.wants("Not sent: this looks like an API key. To store a key, type /auth.")
			s.Leave(nil)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestCancel checks that Cancel stops the run and gives the queue back, and that it never ends the session.
func TestCancel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &scene{run: works(make(chan struct{}))}
		err := play(t, s, func() {
			for range 4 {
				s.Submit("a")
				s.Submit("b")
				s.Cancel()
				s.wants(`began "a" false`, "queued b", "Cancelled", `not sent "a" true`, `not sent "b" false`)
				s.Cancel()
				s.wants()
			}
			s.Leave(nil)
		})
		if err != nil || s.forced {
			t.Errorf("%v, forced: %v", err, s.forced)
		}
	})
}
