// Package plain is the line-based face, for screen readers and for terminals without escape sequences. It writes text
// from top to bottom: it sends no escape sequences, moves no cursor, uses no color, and changes no line after writing
// it. Each line makes sense when it is read aloud. The terminal itself edits input lines.
//
// A [kit.Driver] does the work. [Face.Run] is a loop on one goroutine that owns the screen's state and selects
//
//   - events of the driver, which job.go, render.go and calls.go turn into text
//   - input lines, which a goroutine reads (inbox.go). A line goes to the open dialog, or else to the driver (prompt.go)
//   - the end of the dialog: a question to the user, on a goroutine of its own from its first line to the answer
//     (dialog.go, confirm.go)
//
// All foreign text is cleaned before it reaches the screen (screen.go).
package plain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/editor"
	"pollux/internal/exit"
	"pollux/internal/face/kit"
	"pollux/internal/guard/hook"
	"pollux/internal/manage/imports"
	"pollux/internal/manage/release"
	"pollux/internal/project"
	"pollux/internal/record"
	"pollux/internal/seen"
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
	// Resumes has a value each time the process continues after Ctrl+Z; see [terminal.CatchResumes].
	Resumes <-chan os.Signal
	// Session holds the options of the session that the face opens. The face answers
	// its questions and shows its warnings.
	Session session.Options
	// First is a prompt or a / command to begin with.
	First string
}

// New returns a face. It shows nothing before [Face.Run].
func New(o Options) *Face {
	return newFace(o, func(ctx context.Context, f *Face) (look, error) { return f.open(ctx, o) })
}

// RunTask calls task at a terminal, with a function that asks the user questions and one that shows a text, and shows
// the text that task returns. It returns the error of task, the cause of ctx, or that the user left before the task was done. ctx must end with a
// Ctrl+C.
func RunTask(ctx context.Context, t *terminal.Terminal, task func(ctx context.Context, ask tool.Ask, show func(string)) (string, error)) error {
	f := newFace(Options{Terminal: t}, func(ctx context.Context, f *Face) (look, error) {
		text, err := task(ctx, f.driver.Ask, f.Warn)
		switch {
		case err == nil:
			f.Warn(text)
			err = errTaskDone
		case ctx.Err() != nil:
			err = exit.Errorf(exit.Interrupted, "%s", wording.Cancelled)
		}
		return look{}, err
	})
	f.isTask = true
	switch err := f.Run(ctx); {
	case err == nil:
		return exit.Errorf(exit.Interrupted, "%s", wording.Cancelled)
	case errors.Is(err, errTaskDone):
		return nil
	default:
		return err
	}
}

var errTaskDone = errors.New("the task is done")

// Face shows one session.
type Face struct {
	options     Options
	terminal    *terminal.Terminal
	driver      *kit.Driver
	screen      *screen
	answerDelay time.Duration
	isTask      bool          // a task runs in place of a session
	wake        chan struct{} // wakes the loop after a change of the screen
}

func newFace(o Options, open func(context.Context, *Face) (look, error)) *Face {
	f := &Face{options: o, terminal: o.Terminal, screen: newScreen(o.Terminal), answerDelay: answerDelay, wake: make(chan struct{}, 1)}
	f.driver = kit.New(kit.Options{First: o.First, Open: func(ctx context.Context, _ *kit.Driver) (kit.Session, error) { return open(ctx, f) }})
	return f
}

// Warn shows a message between other output, without disturbing the line that the user types. It may be called from any goroutine.
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

// Run runs the session until the user leaves. It returns nil if the user left, the cause of ctx if ctx was cancelled,
// and another error if the user left without waiting for a job, if the terminal failed, or if the session could not be
// opened. Run must be called only once.
func (f *Face) Run(ctx context.Context) error {
	defer f.driver.Close()
	l := &loop{Face: f, inbox: newInbox(f.terminal), silence: stoppedTimer(), status: stoppedTimer()}
	defer l.inbox.close()
	l.renderer.screen, l.renderer.timer, l.composer.timer = f.screen, stoppedTimer(), stoppedTimer()
	ended := make(chan error, 1)
	go func() {
		defer crash.Recover()
		ended <- f.driver.Run(ctx)
	}()
	for l.step() {
	}
	l.awaitDialog()
	err := <-ended
	if ctx.Err() != nil || l.failure != nil {
		l.showResumeHint()
		return err
	}
	l.showFarewell()
	if failure := f.screen.writeError(); failure != nil && err == nil { // a closed terminal can look like Ctrl+D
		return terminalError("write to", failure, f.terminal.OutTTY)
	}
	return err
}

// loop is the state of the screen. Only the goroutine of Run uses it.
type loop struct {
	*Face
	inbox *inbox

	look       look      // the zero value until the session is open
	state      kit.State // of the driver, at the last look
	draft      string    // text that was not sent
	composer   composer  // the prompt being typed
	hasTalked  bool      // a prompt was sent in this session
	hasDeleted bool      // a call has deleted files in this session
	isRunning  bool      // the model works on a prompt
	inputEnded bool      // no more input
	ending     string    // the last text to show
	dialog     *dialog   // the open question
	failure    error     // how the terminal failed
	lastEOF    time.Time // time of the last Ctrl+D
	renderer   renderer
	hooks      []hook.Running // just now
	beside     []kit.BesideCommand
	status     *time.Timer   // fires when the status line changes
	silence    *time.Timer   // fires when nothing was shown for some time
	patience   time.Duration // the time before the next message about that
}

const (
	// repeatWindow is how long a second Ctrl+D counts as a repetition.
	repeatWindow = 3 * time.Second
	// batchWindow is the pause that separates pasted lines from typed ones.
	batchWindow = 30 * time.Millisecond
	// answerDelay is how long a new question accepts no answer: a line typed by then was meant for something else.
	answerDelay = 250 * time.Millisecond
)

// step shows the prompt where the user is to type, and handles the next event of any kind. It returns false at the end.
func (l *loop) step() bool {
	l.state = l.driver.State()
	l.showPrompt()
	l.screen.flush()
	if err := l.screen.writeError(); err != nil && l.failure == nil {
		l.failure = terminalError("write to", err, l.terminal.OutTTY)
		l.driver.Stop(l.failure)
	}
	// Nothing is shown while another program has the terminal, or before a settled question has closed.
	events, done := l.driver.Events(), (<-chan struct{})(nil)
	if l.screen.isLent() || l.dialog != nil && l.dialog.ctx.Err() != nil {
		events, done = nil, l.driver.Done()
	}
	select {
	case e, ok := <-events:
		if !ok {
			return false
		}
		l.handle(e)
	case <-done:
		return false
	case <-l.options.Interrupts:
		l.interrupt()
	case <-l.options.Resumes:
		l.screen.redrawPrompt()
	case <-l.inbox.ready:
		for {
			typed, ok := l.inbox.take()
			if !ok {
				break
			}
			l.handleLine(typed)
			if typed.err != nil { // a closed terminal has no end of them
				l.inbox.signal()
				break
			}
		}
	case <-l.composer.timer.C:
		l.submit(l.composer.take())
	case a := <-l.dialogDone():
		l.finishDialog(a)
	case <-l.wake:
	case <-l.renderer.timer.C:
		l.screen.flushWord()
	case <-l.status.C:
		l.showStatus()
	case <-l.silence.C:
		l.showStillWorking()
	}
	return true
}

func (l *loop) showWelcome() {
	if l.look.welcome != "" {
		l.screen.line(terminal.Text(l.look.welcome))
	}
	if l.look.recap != nil {
		l.showRecap(l.look.recap)
	}
	if l.look.offer != "" {
		l.screen.line(l.look.offer)
	}
	if first := terminal.Clean(l.options.First); first != "" {
		l.screen.line("User: " + excerpt(first, 5))
	} else if l.look.welcome != "" {
		l.screen.line("Type a prompt and press Enter. Type ? for help, Ctrl+D twice to exit.")
	}
}

// showRecap shows where a resumed conversation stands.
func (l *loop) showRecap(r *record.Recap) {
	l.screen.line(fmt.Sprintf("Resumed after %s: %s", wording.Count(r.Prompts, "prompt"), terminal.Line(r.Title)))
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

// look is an open session with the data that the face shows of it. The zero value, without a session, shows nothing.
type look struct {
	kit.Session
	welcome string        // shown first
	offer   string        // of an import from another agent, "" for none
	recap   *record.Recap // where a resumed conversation stands, nil for a new one
	// farewell returns the text shown at the end of a session with at least one prompt, and resumeHint how to go on with
	// the conversation after a signal has ended Pollux. "" is nothing.
	farewell, resumeHint func() string
	place                func(model string) wording.Place // the circumstances of a failed request, for advice
	editor               func() Editor                    // the user's editor by the current settings, nil if there is none
	showThoughts         bool                             // the setting ui.inlineThinkingMode is full
	hideCitations        bool                             // the setting ui.showCitations is false
	screenReader         bool                             // put signs into words
	debug                bool                             // add the provider's response to a failed request
	// steers reports whether a prompt joins the run in progress instead of waiting for its end; nil is never.
	steers func() bool
	// firstDeletion reports whether no call of this user has deleted files before; nil is never.
	firstDeletion func() bool
}

// Editor is the user's external editor: an [editor.Editor].
type Editor interface {
	Open(ctx context.Context, path string) error
	Compose(ctx context.Context, text string) (string, error)
	Change(ctx context.Context, name, before, after string) (string, error)
	Leaving() string
}

// open opens the session, which may ask questions.
func (f *Face) open(ctx context.Context, o Options) (look, error) {
	o.Session.Project.Warn, o.Session.Project.DebugLog = f.Warn, debugLog{f}
	live, err := kit.Open(ctx, f.driver, o.Session, o.Terminal, Shortcuts)
	if err != nil {
		return look{}, err
	}
	s, p := live.Commands.Session, live.Commands.Session.Project
	env := p.Options.Env
	if release.IsWanted(p) {
		go f.tellRelease(ctx, p)
	}
	return look{
		Session:  live,
		welcome:  terminal.Line(fmt.Sprintf("Pollux %s in %s, with %s", p.Options.Version, p.Paths.Display(p.Paths.Dir()), s.Models.Current().Model)),
		recap:    s.Record.Recap(),
		offer:    offer(p, s.Record.Recap() != nil),
		farewell: live.Commands.Farewell, resumeHint: live.Commands.ResumeHint,
		place: func(model string) wording.Place { return s.Place(true, model) },
		editor: func() Editor { // it ignores the variables of a project's .env file
			return editor.New(editor.Options{
				Preferred: config.PreferredEditor.In(p.Settings()), NewWindow: config.EditorInNewWindow.In(p.Settings()),
				Visual: env.Get("VISUAL"), Editor: env.Get("EDITOR"),
				Environ: env.List(), Terminal: o.Terminal, Launcher: p.Launcher, Temp: p.Paths.Staging(),
			})
		},
		showThoughts:  config.InlineThinking.In(p.Settings()) == "full",
		hideCitations: hidesCitations(p.Settings()),
		screenReader:  config.ScreenReader.In(p.Settings()),
		debug:         p.Debugging(),
		steers:        func() bool { return config.ModelSteering.In(p.Settings()) },
		firstDeletion: func() bool {
			isFirst, err := seen.First(filepath.Join(p.Paths.GeminiDir(), "state.json"), seen.Deletion)
			if err != nil {
				p.Log.Debug("a notice is not counted", "error", err)
			}
			return isFirst
		},
	}, nil
}

// offer returns the line about other agents of the user at the first start, "" at later ones.
func offer(p *project.Project, isResumed bool) string {
	if isResumed || config.HideTips.In(p.Settings()) {
		return ""
	}
	isFirst, err := seen.First(filepath.Join(p.Paths.GeminiDir(), "state.json"), seen.Import)
	if err != nil {
		p.Log.Debug("a notice is not counted", "error", err)
	}
	if !isFirst {
		return ""
	}
	return imports.Offer(p.Paths.Home())
}

// tellRelease shows that a newer Pollux has been released, when a server has answered.
func (f *Face) tellRelease(ctx context.Context, p *project.Project) {
	defer crash.Recover()
	if text := release.Notice(ctx, p); text != "" {
		f.Warn(text)
	}
}

// debugLog is an io.Writer that shows the lines of the session's log through the face.
type debugLog struct{ face *Face }

func (l debugLog) Write(b []byte) (int, error) {
	if text := strings.TrimRight(string(b), "\n"); text != "" {
		l.face.Warn(text)
	}
	return len(b), nil
}

// hidesCitations reports whether the user has switched off citations, which are shown unless they are.
func hidesCitations(s *config.Settings) bool {
	shows, _ := s.Lookup(string(config.ShowCitations))
	return shows == false
}
