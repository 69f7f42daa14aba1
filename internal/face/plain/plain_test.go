package plain

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/outcome"
	"pollux/internal/slash"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/tool"
)

// paper records the screen.
type paper struct {
	mu   sync.Mutex
	text strings.Builder
	err  error
}

func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return 0, p.err
	}
	return p.text.Write(b)
}

func (p *paper) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// person is a user of the face, in a bubble of synctest.
type person struct {
	t         *testing.T
	face      *Face
	in        *io.PipeWriter
	paper     *paper
	interrupt chan struct{}
	end       context.CancelCauseFunc // by a signal
	done      chan error
	read      int // of the paper
}

// sit starts a session. Its methods return after everything in the bubble has happened.
func sit(t *testing.T, o backend) *person {
	t.Helper()
	r, w := io.Pipe()
	p := &person{t: t, in: w, paper: &paper{}, interrupt: make(chan struct{}, 8), done: make(chan error, 1)}
	o.Terminal = &terminal.Terminal{In: r, Out: terminal.NewWriter(p.paper), Err: terminal.NewNoteWriter(io.Discard)}
	o.Interrupts = p.interrupt
	if o.Run == nil {
		o.Run = echo
	}
	p.face = newTestFace(o)
	var ctx context.Context
	ctx, p.end = context.WithCancelCause(t.Context())
	go func() {
		err := p.face.Run(ctx)
		_ = r.Close()
		p.done <- err
	}()
	p.settle()
	return p
}

// settle waits until the batch timers have fired.
func (p *person) settle() {
	time.Sleep(2 * batchWindow)
	synctest.Wait()
}

// types enters lines at once.
func (p *person) types(lines ...string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Error(err)
	}
	p.settle()
}

// answers enters a line after the answer delay.
func (p *person) answers(line string) {
	p.t.Helper()
	time.Sleep(time.Second)
	p.types(line)
}

func (p *person) ctrlC() {
	p.interrupt <- struct{}{}
	p.settle()
}

// sees compares the new output with a text.
func (p *person) sees(want string) {
	p.t.Helper()
	all := p.paper.String()
	got := all[p.read:]
	p.read = len(all)
	if got != want {
		p.t.Errorf("sees (-want +got):\n%s", cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
}

// skips ignores the new output.
func (p *person) skips() string {
	all := p.paper.String()
	got := all[p.read:]
	p.read = len(all)
	return got
}

// leaves ends the input and the session.
func (p *person) leaves() {
	p.t.Helper()
	_ = p.in.Close()
	if err := <-p.done; err != nil {
		p.t.Errorf("the session ends with %v", err)
	}
}

// echo is a model that repeats the prompt.
func echo(_ context.Context, p agent.Prompt) iter.Seq2[agent.Event, error] {
	return says("You said: " + strings.ReplaceAll(p.Text(), "\n", "|"))
}

// says returns the events of an answer.
func says(chunks ...string) iter.Seq2[agent.Event, error] {
	list := []agent.Event{agent.TurnStarted{Turn: 1}}
	for _, c := range chunks {
		list = append(list, agent.Text{Text: c})
	}
	return happens(append(list, agent.Finished{Reason: llm.FinishStop})...)
}

// happens returns a run with these events.
func happens(events ...agent.Event) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// runs returns a model that calls f.
func runs(f func(ctx context.Context, prompt string, emit func(agent.Event)) error) func(context.Context, agent.Prompt) iter.Seq2[agent.Event, error] {
	return func(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error] {
		return func(yield func(agent.Event, error) bool) {
			gone := false
			err := f(ctx, p.Text(), func(e agent.Event) { gone = gone || !yield(e, nil) })
			switch {
			case gone:
			case ctx.Err() != nil:
				yield(agent.Cancelled{}, nil)
			case err != nil:
				yield(nil, err)
			}
		}
	}
}

func callOf(name, id string) *agent.ToolCall {
	return &agent.ToolCall{ID: name + "__" + id, Name: name, Args: json.RawMessage("{}")}
}

// bubble runs a test in a synctest bubble.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// The face asks questions while it opens the session, and queues lines until then.
func TestPrepare(t *testing.T) {
	bubble(t, func(t *testing.T) {
		faces := make(chan *Face, 1)
		o := backend{Welcome: "Pollux 1.0", Run: echo}
		p := sit(t, backend{First: "hello", Open: func(ctx context.Context) (backend, error) {
			a, err := (<-faces).driver.Ask(ctx, &tool.QuestionConfirmation{Title: "Trust", Questions: []tool.Question{{
				Text: "Do you?", Kind: tool.ChoiceQuestion, Options: []tool.Option{{Label: "Yes"}, {Label: "No"}}, Closed: true,
			}}})
			if err != nil || a.Reply == nil || a.Reply.Answers["0"] != "Yes" {
				return backend{}, errors.New("they do not")
			}
			return o, nil
		}})
		faces <- p.face
		p.settle()
		p.sees("Question: Trust\n  Do you?\n1: Yes\n2: No\nAnswer, 1 to 2, or ? for help: ")
		p.answers("maybe")
		p.sees("maybe\nType a number from 1 to 2, or ? for help.\nAnswer, 1 to 2, or ? for help: ")
		p.answers("1")
		p.sees("1\nPollux 1.0\nUser: hello\nModel: You said: hello\n> ")
		p.leaves()
	})
}

// A command typed before the session is open runs afterwards.
func TestEarlyLines(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ready := make(chan backend)
		p := sit(t, backend{Open: func(context.Context) (backend, error) { return <-ready, nil }})
		p.types("/stats")
		p.types("hello")
		p.sees("Queued: /stats\nQueued: hello\n")
		ready <- table(backend{Run: echo}, func(context.Context, string) (slash.Result, error) {
			return slash.Result{Outcome: outcome.Textf("None.")}, nil
		})
		p.settle()
		if s := p.skips(); !strings.Contains(s, "None.\n") || !strings.HasSuffix(s, "Model: You said: hello\n> ") {
			t.Errorf("sees %q", s)
		}
		p.leaves()
	})
}

// A signal during a question of a session that is not open yet ends the face.
func TestSignalWhileOpening(t *testing.T) {
	bubble(t, func(t *testing.T) {
		faces := make(chan *Face, 1)
		p := sit(t, backend{Open: func(ctx context.Context) (backend, error) {
			_, err := (<-faces).driver.Ask(ctx, &tool.QuestionConfirmation{Title: "Key", Questions: []tool.Question{{Text: "Which?", Kind: tool.TextQuestion}}})
			time.Sleep(time.Second) // the question has closed
			return backend{}, err
		}})
		faces <- p.face
		p.settle()
		p.end(errors.New("ended"))
		if err := <-p.done; err == nil {
			t.Error("there is no error")
		}
	})
}

// Run returns the error of a session that cannot be opened.
func TestPrepareFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		terminal, _, _ := terminal.Test("a line\n")
		want := errors.New("no key")
		f := newTestFace(backend{Terminal: terminal, Open: func(context.Context) (backend, error) { return backend{}, want }})
		if err := f.Run(t.Context()); !errors.Is(err, want) {
			t.Errorf("error %v", err)
		}
	})
}

// TestSessionContext checks that the context with which a session was opened lasts as long
// as the face, and not only until the session is open.
func TestSessionContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opened := make(chan context.Context, 1)
		p := sit(t, backend{Open: func(ctx context.Context) (backend, error) {
			opened <- ctx
			return backend{Run: echo}, nil
		}})
		p.settle()
		ctx := <-opened
		p.types("hello")
		if ctx.Err() != nil {
			t.Errorf("the session's context has ended: %v", context.Cause(ctx))
		}
		p.leaves()
		if ctx.Err() == nil {
			t.Error("the session's context outlives the face")
		}
	})
}

func TestConversation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := sit(t, backend{Welcome: "Pollux 1.0", Farewell: func() string { return "2 prompts" }})
		p.sees("Pollux 1.0\nType a prompt and press Enter. Type ? for help, Ctrl+D twice to exit.\n> ")
		p.types("hello")
		p.sees("hello\nModel: You said: hello\n> ")
		p.types("")
		p.sees("\n> ")
		p.types(`one\`)
		p.sees("one\\\nmore> ")
		p.types(`two \\`)
		p.sees("two \\\\\nModel: You said: one|two \\\\\n> ")
		p.leaves()
		p.sees("\n2 prompts\n")
	})
}

// Lines that arrive together are one prompt.
func TestPaste(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := sit(t, backend{})
		p.types("func main() {", "", "\tgo()", "}")
		p.skips()
		if got := p.paper.String(); !strings.Contains(got, "Model: You said: func main() {||\tgo()|}\n> ") {
			t.Errorf("got %q", got)
		}
		p.leaves()
	})
}

func TestFirstPrompt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := sit(t, backend{First: "explain\nthis", Welcome: "Pollux"})
		p.sees("Pollux\nUser: explain\nthis\nModel: You said: explain|this\n> ")
		p.leaves()
	})
}

func TestFirstCommand(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := sit(t, table(backend{First: "/stats"}, func(context.Context, string) (slash.Result, error) {
			return slash.Result{Outcome: outcome.Textf("None.")}, nil
		}))
		p.sees("User: /stats\nNone.\n> ")
		p.leaves()
	})
}

// The end of an input that is no terminal waits for the answer in progress.
func TestInputEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		p := sit(t, backend{Run: runs(func(_ context.Context, prompt string, emit func(agent.Event)) error {
			<-release
			emit(agent.Text{Text: "About " + prompt})
			return nil
		})})
		p.types("a")
		p.types("b")
		if _, err := io.WriteString(p.in, "unfinished"); err != nil {
			t.Error(err)
		}
		_ = p.in.Close()
		p.settle()
		close(release)
		if err := <-p.done; err != nil {
			t.Error(err)
		}
		p.sees("> a\nQueued: b\nQueued: unfinished\nModel: About a\nUser: b\n\nunfinished\nModel: About b\n\nunfinished\nAgent powering down. Goodbye!\n")
	})
}

// TestSteering checks that, where the user wants it, a prompt joins the run in progress. Other input, and a prompt between runs, is
// taken as usual.
func TestSteering(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release, steers := make(chan struct{}), true
		var hints, prompts []string
		p := sit(t, backend{
			Run: runs(func(ctx context.Context, prompt string, _ func(agent.Event)) error {
				prompts = append(prompts, prompt)
				<-release
				return nil
			}),
			Steer: func(prompt string) { hints = append(hints, prompt) }, Steers: func() bool { return steers },
			LookupCommand: func(line string) (known, busy bool) { return line == "/stats", true },
			RunCommand:    func(context.Context, string) (slash.Result, error) { return slash.Result{}, nil },
		})
		p.types("a")
		p.types("b")
		p.types("/stats")
		p.types("!ls")
		steers = false
		p.types("c")
		release <- struct{}{}
		p.settle()
		steers = true
		release <- struct{}{}
		p.settle()
		p.types("d")
		close(release)
		p.settle()
		if got := strings.Join(hints, " ") + "; " + strings.Join(prompts, " "); got != "b; a c d" {
			t.Errorf("hints; prompts: %s", got)
		}
		if text := p.skips(); !strings.Contains(text, "Shell commands cannot run while the model works.") {
			t.Errorf("%q", text)
		}
		p.leaves()
	})
}

// Lines typed while the model works become one prompt.
func TestQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		p := sit(t, backend{Run: runs(func(ctx context.Context, prompt string, emit func(agent.Event)) error {
			emit(agent.Text{Text: "Working on " + prompt + "\n"})
			select {
			case <-release:
			case <-ctx.Done():
			}
			return nil
		})})
		p.types("a")
		p.sees("> a\nModel: Working on a\n")
		p.types("b")
		p.sees("Queued: b\n")
		p.types(`c\`)
		p.sees("more> ")
		p.types("d")
		p.sees("d\nQueued: c d\n")
		release <- struct{}{}
		p.settle()
		p.sees("User: b\n\nc\nd\nModel: Working on b\n\nc\nd\n")
		// A cancelled turn gives back the lines typed behind it.
		p.types("e")
		p.sees("Queued: e\n")
		p.ctrlC()
		p.sees("\nRequest cancelled. Press Ctrl+C again to exit.\nNot sent: e\n> ")
		p.leaves()
	})
}

func TestCtrlC(t *testing.T) {
	hangs := runs(func(ctx context.Context, prompt string, emit func(agent.Event)) error {
		emit(agent.Text{Text: "I beg"})
		<-ctx.Done()
		if prompt == "stubborn" {
			time.Sleep(10 * time.Second)
		}
		return nil
	})
	t.Run("idle", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			p := sit(t, backend{})
			p.ctrlC()
			p.sees("> \nPress Ctrl+C again to exit.\n> ")
			time.Sleep(repeatWindow)
			p.ctrlC()
			p.sees("\nPress Ctrl+C again to exit.\n> ")
			p.ctrlC()
			if err := <-p.done; err != nil {
				t.Error(err)
			}
			p.sees("\n")
		})
	})
	t.Run("prompt between", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			p := sit(t, backend{Run: hangs})
			p.ctrlC()
			p.types("go")
			p.ctrlC()
			p.sees("> \nPress Ctrl+C again to exit.\n> go\nModel: I\nbeg\nRequest cancelled. Press Ctrl+C again to exit.\n> ")
			p.leaves()
		})
	})
	t.Run("empty line between", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			p := sit(t, backend{})
			p.ctrlC()
			p.types("")
			p.ctrlC()
			p.sees("> \nPress Ctrl+C again to exit.\n> \n> \nPress Ctrl+C again to exit.\n> ")
			p.leaves()
		})
	})
	t.Run("continued line", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			p := sit(t, backend{})
			p.types(`lost\`)
			p.ctrlC()
			p.types("kept")
			p.sees("> lost\\\nmore> \nPress Ctrl+C again to exit.\n> kept\nModel: You said: kept\n> ")
			p.leaves()
		})
	})
	t.Run("busy", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			p := sit(t, backend{Run: hangs})
			p.types("go")
			p.ctrlC()
			p.sees("> go\nModel: I\nbeg\nRequest cancelled. Press Ctrl+C again to exit.\n> ")
			p.ctrlC()
			if err := <-p.done; err != nil {
				t.Error(err)
			}
			p.sees("\nAgent powering down. Goodbye!\n")
		})
	})
	t.Run("stubborn", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			p := sit(t, backend{Run: hangs})
			p.types("stubborn")
			p.ctrlC()
			p.ctrlC()
			if got := p.skips(); !strings.HasSuffix(got, "\nExiting as soon as everything has stopped. Press Ctrl+C again to exit at once.\n") {
				t.Errorf("sees %q", got)
			}
			start := time.Now()
			p.ctrlC()
			if err := <-p.done; exit.CodeOf(err) != exit.Interrupted || time.Since(start) > time.Second {
				t.Errorf("left with %v after %v", err, time.Since(start))
			}
			time.Sleep(time.Minute) // for the goroutine that was left behind
		})
	})
}

// A signal ends the session with its cause, after the job has stopped.
func TestContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := false
		term, _, _ := terminal.Test("")
		r, w := io.Pipe()
		term.In = r
		f := newTestFace(backend{Terminal: term, First: "go", Run: runs(func(ctx context.Context, _ string, _ func(agent.Event)) error {
			<-ctx.Done()
			time.Sleep(50 * time.Millisecond)
			stopped = true
			return nil
		})})
		hangup := errors.New("hung up")
		time.AfterFunc(time.Second, func() { cancel(hangup) })
		if err := f.Run(ctx); !errors.Is(err, hangup) || !stopped {
			t.Errorf("ends with %v, stopped: %v", err, stopped)
		}
		_ = w.Close()
	})
}

// A failed write ends the session.
func TestScreenGone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := sit(t, backend{})
		p.paper.mu.Lock()
		p.paper.err = io.ErrClosedPipe
		p.paper.mu.Unlock()
		p.types("hello")
		if err := <-p.done; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("ends with %v", err)
		}
	})
}

// A warning does not disturb a line being typed.
func TestWarn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := sit(t, backend{})
		p.sees("> ")
		p.face.Warn("the disk\x1b[2J is full")
		p.settle()
		p.sees("\nthe disk is full\n> ")
		p.leaves()
	})
}

func TestLongLines(t *testing.T) {
	bubble(t, func(t *testing.T) {
		got := make(chan int, 3)
		p := sit(t, backend{Run: runs(func(_ context.Context, prompt string, _ func(agent.Event)) error {
			got <- len(prompt)
			return nil
		})})
		for _, n := range []int{1 << 20, maxLine, maxLine + 1000} {
			p.types(strings.Repeat("x", n))
			if have := <-got; have != min(n, maxLine) {
				t.Errorf("of %d bytes %d are sent", n, have)
			}
			if warned := strings.Contains(p.skips(), "Warning: the text was longer than 4 MiB."); warned != (n > maxLine) {
				t.Errorf("%d bytes: warned is %v", n, warned)
			}
		}
		p.leaves()
	})
}

// Escape sequences of arrow keys are removed from a prompt.
func TestTypedEscapes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := sit(t, backend{Run: runs(func(_ context.Context, prompt string, emit func(agent.Event)) error {
			if prompt != "fix it\nplease" {
				t.Errorf("the prompt is %q", prompt)
			}
			return nil
		})})
		p.types("fi\x1b[Dx i\x00t\rplease")
		p.leaves()
	})
}
