package plain

import (
	"context"
	"errors"
	"iter"
	"strings"

	"pollux/agent"
	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/slash"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// job is the task in progress: opening the session, a run of the model, a / command, or
// composing a prompt in the editor.
type job struct {
	cancel        context.CancelCauseFunc
	items         chan jobItem // closed when the job has ended
	abandoned     chan struct{}
	prompt        string // prompt of the run
	hasOutput     bool   // the model has answered or called a tool
	isCancelled   bool   // the cancellation was shown
	isInterrupted bool   // cancelled by Ctrl+C
	isOpening     bool   // the job opens the session
}

// jobItem is a message from a job to the loop. One of its fields is set, or opened and
// err.
type jobItem struct {
	event    agent.Event
	err      error
	result   *slash.Result
	output   *string // output of a program
	composed *string // text from the editor
	ending   *string // the last text to show
	opened   *backend
}

// startJob calls run on a goroutine of its own, as the job in progress. emit sends an
// item to the loop; it returns false if the loop has abandoned the job.
func (l *loop) startJob(prompt string, run func(ctx context.Context, emit func(jobItem) bool)) {
	ctx, cancel := context.WithCancelCause(l.ctx)
	// The buffer collects chunks while the screen is being written.
	j := &job{cancel: cancel, items: make(chan jobItem, 64), abandoned: make(chan struct{}), prompt: prompt}
	l.job = j
	l.silence.begin(l)
	go func() {
		defer close(j.items)
		defer crash.Recover()
		run(ctx, func(it jobItem) bool {
			select {
			case j.items <- it:
				return true
			case <-j.abandoned:
				return false
			}
		})
	}()
}

// jobItems returns the items of the job, nil while there is no job or the terminal is
// lent out.
func (l *loop) jobItems() <-chan jobItem {
	if l.job == nil || l.screen.isLent() {
		return nil
	}
	return l.job.items
}

// openSession starts the job that opens the session.
func (l *loop) openSession() {
	life, end := context.WithCancel(l.ctx) // the session outlives the job
	l.startJob("", func(_ context.Context, emit func(jobItem) bool) {
		o, err := l.backend.Open(life)
		emit(jobItem{opened: &o, err: err})
	})
	cancelJob := l.job.cancel
	l.job.isOpening = true
	l.job.cancel = func(cause error) {
		end() // before the open question is dismissed: the cancellation is no answer to it
		cancelJob(cause)
	}
}

// sessionOpened stores the opened session, or the error that ends the face.
func (l *loop) sessionOpened(o *backend, err error) {
	if l.job.isInterrupted && (err == nil || errors.Is(err, context.Canceled)) {
		err = exit.Errorf(exit.Interrupted, "%s", wording.NotStarted)
	}
	if err != nil {
		l.openErr = err
		l.leave()
		return
	}
	o.Terminal, o.Interrupts, o.Resumes = l.backend.Terminal, l.backend.Interrupts, l.backend.Resumes
	l.backend = *o
	l.job.cancel = func(error) {} // the end of the job is not the end of the session
}

// canEnd reports whether there is a session to end in order: it was opened, and the user waits for the
// end.
func (l *loop) canEnd() bool {
	return l.backend.End != nil && l.openErr == nil && l.interruptCount < 3
}

// endSession starts the job that ends the session.
func (l *loop) endSession() {
	l.isLeaving = true
	l.queue = nil
	l.composer.clear()
	l.startJob("", func(ctx context.Context, emit func(jobItem) bool) {
		text := l.backend.End(ctx)
		emit(jobItem{ending: &text})
	})
}

// runPrompt starts a run of the model with a prompt.
func (l *loop) runPrompt(p agent.Prompt) {
	l.draft = ""
	l.startRun(p.Text(), func(ctx context.Context) iter.Seq2[agent.Event, error] { return l.backend.Run(ctx, p) })
}

// startRun starts a run of the model; prompt is "" if none started it.
func (l *loop) startRun(prompt string, events func(ctx context.Context) iter.Seq2[agent.Event, error]) {
	l.hasTalked = true
	l.renderer.reset()
	l.startJob(prompt, func(ctx context.Context, emit func(jobItem) bool) {
		for e, err := range events(ctx) {
			if !emit(jobItem{event: e, err: err}) {
				return
			}
		}
	})
}

// runCommand runs a / command: beside the current job if busy is set, else as the job.
func (l *loop) runCommand(line string, busy bool) {
	l.renderer.endAnswer()
	if l.job != nil && busy {
		l.sideCommands++
		go func() {
			defer crash.Recover()
			r, err := l.backend.RunCommand(l.ctx, line)
			select {
			case l.results <- jobItem{result: &r, err: err}:
			case <-l.done:
			}
		}()
		return
	}
	l.startJob("", func(ctx context.Context, emit func(jobItem) bool) {
		r, err := l.backend.RunCommand(ctx, line)
		if err != nil && ctx.Err() != nil {
			emit(jobItem{event: agent.Cancelled{}})
			return
		}
		emit(jobItem{result: &r, err: err})
	})
}

// composeInEditor opens a prompt in the user's editor.
func (l *loop) composeInEditor(text string) {
	switch {
	case l.job != nil:
		l.screen.line("The editor opens only while nothing is under way.")
		return
	case l.backend.Editor == nil:
		l.screen.line(noEditor)
		return
	}
	if text == "" {
		text = l.draft
	}
	l.draft = text // kept until it is sent
	l.startJob("", func(ctx context.Context, emit func(jobItem) bool) {
		var written string
		err := l.lendTerminal(func() (err error) {
			written, err = l.backend.Editor.Compose(ctx, text)
			return err
		})
		if err != nil && ctx.Err() == nil {
			emit(jobItem{result: &slash.Result{Text: err.Error()}})
			return
		}
		emit(jobItem{composed: &written, err: err})
	})
}

// lendTerminal lends the terminal to another program while f runs.
func (l *loop) lendTerminal(f func() error) error {
	l.inbox.input.Pause()
	back := l.screen.lend()
	defer func() {
		back()
		l.inbox.input.Resume()
		l.wakeLoop()
	}()
	return f()
}

// handle processes an item of a job.
func (l *loop) handle(it jobItem) {
	switch {
	case it.opened != nil:
		l.sessionOpened(it.opened, it.err)
	case it.err != nil:
		l.renderer.endAnswer()
		l.screen.message(l.errorText(it.err))
	case it.event != nil:
		l.showEvent(it.event)
	case it.composed != nil:
		l.queueComposed(*it.composed)
	case it.ending != nil:
		l.ending = *it.ending
	case it.output != nil:
		if text := terminal.Text(*it.output); !isBlank(text) {
			l.showQuoted(strings.Split(strings.Trim(text, "\n"), "\n"))
		}
	case it.result != nil:
		l.showResult(*it.result)
	}
}

// queueComposed puts a prompt from the editor at the front of the queue.
func (l *loop) queueComposed(text string) {
	text = terminal.Clean(text)
	if isBlank(text) {
		l.screen.line("The editor left nothing: there is nothing to send.")
		return
	}
	l.record(text)
	l.queue = append([]string{text}, l.queue...)
}

// showResult shows the result of a / command and acts on it.
func (l *loop) showResult(r slash.Result) {
	text := terminal.Text(r.Text)
	switch {
	case r.Recap != nil:
		l.showRecap(r.Recap)
	case isBlank(text) && r.Clear:
		l.screen.line("Starting a new conversation.")
	case isBlank(text):
	case r.Failed:
		l.screen.line("Error: " + terminal.Brief(text))
	default:
		l.screen.line(text)
	}
	if r.Prompt != nil {
		l.queue = append(l.queue, r.Prompt.Text())
		l.commandPrompt = &r
	}
	if r.Run != nil {
		l.nextRun = r.Run
	}
	if r.Draft != "" {
		l.draft = terminal.Clean(r.Draft)
	}
	if r.Quit {
		l.leave()
	}
	l.dropSettled()
	if l.job == nil {
		l.runQueued(false) // the job ended before this command
	}
}

// finishJob ends the job, and starts what was queued during it.
func (l *loop) finishJob() {
	j := l.job
	l.renderer.endAnswer()
	l.dismissQuestions()
	j.cancel(nil)
	l.job = nil
	l.silence.stop()
	if j.isCancelled && j.prompt != "" && !j.hasOutput {
		l.keepDraft(j.prompt)
	}
	if j.isOpening && l.openErr == nil {
		early := l.queue
		l.queue = nil
		l.showWelcome()
		for _, text := range early {
			l.submit(text)
		}
	}
	if l.job == nil {
		l.runQueued(j.isCancelled)
	}
}
