// Package plain is the line-based face, for screen readers and for terminals without
// escape sequences. It writes text from top to bottom: it sends no escape sequences,
// moves no cursor, uses no color, and changes no line after writing it. Each line makes
// sense when it is read aloud. The terminal itself edits input lines.
//
// [Face.Run] is a loop on one goroutine that owns all state. Slow work runs on
// goroutines of its own, which send to the loop through channels:
//
//   - a job: a run of the model, a / command, the editor for a prompt (job.go)
//   - a dialog: a question to the user, from its first line to the answer
//     (dialog.go, confirm.go, questions.go)
//   - the reader of input lines (inbox.go)
//
// An input line goes to the open dialog, or else is a prompt, which waits in a queue
// while a job runs (prompt.go). The files render.go and calls.go turn events into text.
// All foreign text is cleaned before it reaches the screen (screen.go).
package plain

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/record"
	"pollux/internal/session"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
)

// Options configures a [Face].
type Options struct {
	Terminal *terminal.Terminal
	// Interrupts has a value for each Ctrl+C. ctx must not end with one.
	Interrupts <-chan struct{}
	// Resumes has a value each time the process continues after Ctrl+Z; see
	// [terminal.CatchResumes].
	Resumes <-chan os.Signal
	// Session holds the options of the session that the face opens. The face answers
	// its questions and shows its warnings.
	Session session.Options
	// First is a prompt or a / command to begin with.
	First string
}

// New returns a face. It shows nothing before [Face.Run].
func New(o Options) *Face {
	f := newFace(backend{Terminal: o.Terminal, Interrupts: o.Interrupts, Resumes: o.Resumes, LookupCommand: lookupCommand})
	f.backend.Open = func(ctx context.Context) (backend, error) { return f.open(ctx, o) }
	return f
}

// RunTask calls task at a terminal, with a function that asks the user questions and one that
// shows a text, and shows the text that task returns. It returns the error of task, or the cause of ctx. ctx must end with a
// Ctrl+C.
func RunTask(ctx context.Context, t *terminal.Terminal, task func(ctx context.Context, ask tool.Ask, show func(string)) (string, error)) error {
	f := newFace(backend{Terminal: t, LookupCommand: lookupCommand, IsTask: true})
	f.backend.Open = func(ctx context.Context) (backend, error) {
		text, err := task(ctx, f.Ask, f.Warn)
		switch {
		case ctx.Err() != nil:
			err = exit.Errorf(exit.Interrupted, "%s", wording.Cancelled)
		case err == nil:
			f.Warn(text)
			err = errTaskDone
		}
		return backend{}, err
	}
	if err := f.Run(ctx); !errors.Is(err, errTaskDone) {
		return err
	}
	return nil
}

var errTaskDone = errors.New("the task is done")

// Editor opens the user's external editor. Its methods wait until the editor ends, and
// return errors that can be shown to the user.
type Editor interface {
	// Open opens a file for editing in place.
	Open(ctx context.Context, path string) error
	// Compose opens text in the editor and returns the edited text.
	Compose(ctx context.Context, text string) (string, error)
	// Change opens the proposed content of the file called name for editing, beside its
	// current content, and returns the edited content.
	Change(ctx context.Context, name, before, after string) (string, error)
	// Leaving says how to end Change in the user's editor, "" if there is no editor.
	Leaving() string
}

// Face shows one session. Its methods may be called from any goroutine.
type Face struct {
	backend     backend
	screen      *screen
	answerDelay time.Duration
	questions   chan *question
	wake        chan struct{} // wakes the loop after a change of the screen
	done        chan struct{} // closed when Run has returned
	closeOnce   sync.Once
	session     atomic.Pointer[session.Session] // nil until the session is open
}

func newFace(o backend) *Face {
	return &Face{backend: o, screen: newScreen(o.Terminal), answerDelay: answerDelay, questions: make(chan *question), wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// Warn shows a message between other output, without disturbing what the user types.
func (f *Face) Warn(text string) {
	f.screen.line(terminal.Visible(terminal.Brief(text)))
	f.screen.flush()
	f.wakeLoop()
}

// wakeLoop makes the loop check its state.
func (f *Face) wakeLoop() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Ask asks the user a question that is not about a tool call, from a / command or
// during sign-in. It is a [tool.Ask]. Questions are asked one after the other. Ask
// returns an error if ctx or the session ends before the answer.
func (f *Face) Ask(ctx context.Context, details tool.Confirmation) (tool.Answer, error) {
	return f.askBeside(ctx, &question{details: details})
}

// Approve implements [session.Asker].
func (f *Face) Approve(ctx context.Context, q *agent.Question) (tool.Answer, error) {
	return f.askBeside(ctx, &question{asked: q, details: q.Details()})
}

// askBeside asks a question that is not about a call of the model.
func (f *Face) askBeside(ctx context.Context, q *question) (tool.Answer, error) {
	answers := make(chan tool.Answer, 1)
	q.done, q.answer = ctx.Done(), func(a tool.Answer) {
		select {
		case answers <- a:
		default: // already answered
		}
	}
	select {
	case f.questions <- q:
	case <-ctx.Done():
		return tool.Answer{}, context.Cause(ctx)
	case <-f.done:
		return tool.Answer{}, errSessionOver
	}
	select {
	case a := <-answers:
		return a, nil
	case <-ctx.Done():
		return tool.Answer{}, context.Cause(ctx)
	case <-f.done:
		return tool.Answer{}, errSessionOver
	}
}

var errSessionOver = errors.New("the session is over")

// Run runs the session until the user leaves. It returns nil if the user left, the
// cause of ctx if ctx was cancelled, and another error if the user left without waiting
// for a job, if the terminal failed, or if the session could not be opened. Run must be
// called only once.
func (f *Face) Run(ctx context.Context) error {
	defer func() {
		f.closeOnce.Do(func() { close(f.done) })
		if s := f.session.Load(); s != nil {
			s.Close()
		}
	}()
	in := newInbox(f.backend.Terminal)
	defer in.close()
	l := &loop{Face: f, inbox: in, now: time.Now}
	return l.run(ctx)
}

// loop is the state of a session. Only the goroutine of Run uses it.
type loop struct {
	*Face
	inbox *inbox
	now   func() time.Time
	ctx   context.Context

	job            *job                                                // nil while no job runs
	queue          []string                                            // prompts typed while a job runs
	nextRun        func(context.Context) iter.Seq2[agent.Event, error] // of a / command, nil for none
	commandPrompt  string                                              // a prompt in the queue that is not shown: that of a / command
	draft          string                                              // text that was not sent
	composer       composer                                            // the prompt being typed
	unknownCommand string                                              // the mistyped command that Enter sends as text
	hasTalked      bool                                                // a prompt was sent in this session
	inputEnded     bool                                                // no more input
	isLeaving      bool                                                // the session ends with the job
	ending         string                                              // the last text to show
	sideCommands   int                                                 // number of commands that run beside the job
	results        chan jobItem                                        // results of side commands

	pending    []*question // questions to ask, in order
	dialog     *dialog     // the open question
	batchTimer *time.Timer // fires when a batch of questions is complete
	batchAsked int         // questions of the current batch that were asked

	openErr        error     // why the session could not be opened, or how the terminal failed
	lastInterrupt  time.Time // time of the last Ctrl+C
	interruptCount int       // Ctrl+C presses within repeatWindow of each other
	lastEOF        time.Time // time of the last Ctrl+D
	renderer       renderer
	silence        silenceTimer
}

const (
	// repeatWindow is how long a second Ctrl+C or Ctrl+D counts as a repetition.
	repeatWindow = 3 * time.Second
	// batchWindow is the pause that separates pasted lines from typed ones, and one
	// batch of questions from the next.
	batchWindow = 30 * time.Millisecond
	// answerDelay is how long a new question accepts no answer: a line typed by then
	// was meant for something else.
	answerDelay = 250 * time.Millisecond
)

func (l *loop) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l.ctx, l.results = ctx, make(chan jobItem)
	l.renderer.screen = l.screen
	l.batchTimer = stoppedTimer()
	l.composer.timer = stoppedTimer()
	l.silence.timer = stoppedTimer()
	l.renderer.timer = stoppedTimer()
	if l.backend.Open != nil {
		l.openSession()
	} else {
		l.showWelcome()
	}
	if err := l.serve(ctx); err != nil {
		l.showResumeHint()
		return err
	}
	if l.canEnd() {
		l.endSession()
		if err := l.serve(ctx); err != nil {
			l.showResumeHint()
			return err
		}
	}
	l.showFarewell()
	if l.interruptCount >= 3 {
		return &exit.Error{Code: exit.Interrupted, Message: wording.Cancelled}
	}
	if err := l.screen.writeError(); err != nil && l.openErr == nil { // a closed terminal can look like Ctrl+D
		return l.terminalError("write to", err, l.backend.Terminal.OutTTY)
	}
	return l.openErr
}

// serve handles events until the user has left. It returns the cause of ctx if ctx ends, or an error
// of the terminal.
func (l *loop) serve(ctx context.Context) error {
	defer l.abandon()
	for !l.isOver() {
		l.showPrompt()
		l.screen.flush()
		if err := l.screen.writeError(); err != nil {
			l.openErr = l.terminalError("write to", err, l.backend.Terminal.OutTTY)
			return l.openErr
		}
		l.step(ctx)
	}
	return context.Cause(ctx)
}

// step handles the next event of any kind.
func (l *loop) step(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-l.backend.Interrupts:
		l.interrupt()
	case <-l.backend.Resumes:
		l.screen.redrawPrompt()
	case <-l.inbox.ready:
		for {
			typed, ok := l.inbox.take()
			if !ok {
				break
			}
			l.handleLine(typed)
		}
	case <-l.composer.timer.C:
		l.submit(l.composer.take())
	case it, ok := <-l.jobItems():
		if !ok {
			l.finishJob()
			return
		}
		l.handle(it)
	case it := <-l.results:
		l.sideCommands--
		l.handle(it)
	case q := <-l.questions:
		l.addQuestion(q)
	case <-l.batchTimer.C:
		l.openDialog()
	case a := <-l.dialogDone():
		l.finishDialog(a)
	case <-l.wake:
	case <-l.renderer.timer.C:
		l.screen.flushWord()
	case <-l.silence.timer.C:
		l.showStillWorking()
	}
}

func (l *loop) showWelcome() {
	if l.backend.Welcome != "" {
		l.screen.line(terminal.Text(l.backend.Welcome))
	}
	if l.backend.Recap != nil {
		l.showRecap(l.backend.Recap)
	}
	if first := terminal.Clean(l.backend.First); first != "" {
		l.screen.line("User: " + excerpt(first, 5))
		l.submit(first)
		return
	}
	if l.backend.Welcome != "" {
		l.screen.line("Type a prompt and press Enter. Type ? for help, Ctrl+D twice to exit.")
	}
}

// showRecap shows where a resumed conversation stands.
func (l *loop) showRecap(r *record.Recap) {
	noun := "prompts"
	if r.Prompts == 1 {
		noun = "prompt"
	}
	l.screen.line(fmt.Sprintf("Resumed after %d %s: %s", r.Prompts, noun, terminal.Line(r.Title)))
	if r.Prompt != "" {
		l.screen.line("User: " + excerpt(terminal.Clean(r.Prompt), 5))
	}
	l.renderer.addText(excerpt(r.Answer, 20))
	l.renderer.endAnswer()
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}
