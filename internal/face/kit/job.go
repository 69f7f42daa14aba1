package kit

import (
	"context"
	"errors"
	"iter"

	"pollux/agent"
	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/slash"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// job is work in progress: opening or ending the session, a run of the model, a / command, a shell command, or a prompt
// that the person composes.
type job struct {
	cancel        context.CancelCauseFunc
	items         chan item // closed when the job has ended
	abandoned     chan struct{}
	prompt        string // prompt of the run
	hasOutput     bool   // the model has answered or called a tool
	isCancelled   bool   // what is queued is not sent
	isInterrupted bool   // cancelled by the person
	isOpening     bool   // the job opens the session
}

// item is a message from a job to the loop. One of its fields is set, or opened and err.
type item struct {
	event    agent.Event
	err      error
	report   Event
	result   *slash.Result
	composed *string
	opened   Session
}

// runFunc is a run of the model.
type runFunc func(context.Context) iter.Seq2[agent.Event, error]

// startJob calls run on a goroutine of its own, as the job in progress. emit sends an
// item to the loop; it returns false if the loop has abandoned the job.
func (d *Driver) startJob(began Began, run func(ctx context.Context, emit func(item) bool)) {
	ctx, cancel := context.WithCancelCause(d.ctx)
	// The buffer collects chunks while the face draws.
	j := &job{cancel: cancel, items: make(chan item, 64), abandoned: make(chan struct{}), prompt: began.Prompt}
	d.job = j
	d.emit(began)
	go func() {
		defer close(j.items)
		defer crash.Recover()
		run(ctx, func(it item) bool {
			select {
			case j.items <- it:
				return true
			case <-j.abandoned:
				return false
			}
		})
	}()
}

// openSession starts the job that opens the session.
func (d *Driver) openSession() {
	life, end := context.WithCancel(d.ctx) // the session outlives the job
	d.startJob(Began{}, func(_ context.Context, emit func(item) bool) {
		s, err := d.options.Open(life, d)
		if err == nil {
			d.mu.Lock()
			d.session = s
			d.mu.Unlock()
		}
		emit(item{opened: s, err: err})
	})
	cancelJob := d.job.cancel
	d.job.isOpening = true
	d.job.cancel = func(cause error) {
		end() // before the open question is dismissed: the cancellation is no answer to it
		cancelJob(cause)
	}
}

func (d *Driver) isOpening() bool { return d.job != nil && d.job.isOpening }

// sessionOpened takes the end of opening: the session outlives the job, or err ends the driver.
func (d *Driver) sessionOpened(err error) {
	if d.job.isInterrupted && (err == nil || errors.Is(err, context.Canceled)) {
		err = exit.Errorf(exit.Interrupted, "%s", wording.NotStarted)
	}
	if err != nil {
		d.leave(err)
		return
	}
	d.job.cancel = func(error) {} // the end of the job is not the end of the session
}

// endSession starts the job that ends the session.
func (d *Driver) endSession() {
	d.isLeaving, d.queue = true, nil
	d.startJob(Began{}, func(ctx context.Context, emit func(item) bool) {
		if text := d.current().End(ctx); text != "" {
			emit(item{report: Ended{text}})
		}
	})
}

// startPrompt starts a run of the model with a prompt.
func (d *Driver) startPrompt(p agent.Prompt, isNew bool) {
	s := d.current()
	d.startRun(Began{IsRun: true, Prompt: p.Text(), IsNew: isNew}, func(ctx context.Context) iter.Seq2[agent.Event, error] { return s.Run(ctx, p) })
}

// startRun starts a run of the model.
func (d *Driver) startRun(began Began, run runFunc) {
	d.calls = Calls{}
	d.startJob(began, func(ctx context.Context, emit func(item) bool) {
		for e, err := range run(ctx) {
			if !emit(item{event: e, err: err}) {
				return
			}
		}
	})
}

// runCommand runs a / command: beside the current job if there is one, else as the job.
func (d *Driver) runCommand(line string) {
	s := d.current()
	if d.job != nil {
		d.runBeside(func(ctx context.Context) item {
			r, err := s.RunCommand(ctx, line)
			return item{result: &r, err: err}
		})
		return
	}
	d.startJob(Began{}, func(ctx context.Context, emit func(item) bool) {
		r, err := s.RunCommand(ctx, line)
		if err != nil && ctx.Err() != nil {
			emit(item{event: agent.Cancelled{}})
			return
		}
		emit(item{result: &r, err: err})
	})
}

// runBeside calls f on a goroutine of its own, beside the job, and handles the item that it returns.
func (d *Driver) runBeside(f func(context.Context) item) {
	d.sideCount++
	ctx := d.ctx
	go func() {
		defer crash.Recover()
		it := f(ctx)
		select {
		case d.side <- it:
		case <-d.done:
		}
	}()
}

// runShell runs the shell command that the person has entered after "!".
func (d *Driver) runShell(command string) {
	s := d.current()
	switch {
	case d.job != nil:
		d.emit(Notice{"Shell commands cannot run while the model works. Wait, or press Ctrl+C to stop the model."})
	case isBlank(command):
		d.emit(Notice{"Type a command behind the exclamation mark."})
	default:
		d.startJob(Began{}, func(ctx context.Context, emit func(item) bool) {
			text, err := s.RunTyped(ctx, command)
			if err != nil {
				failed := slash.Failure(err)
				emit(item{result: &failed})
				return
			}
			emit(item{report: ShellDone{text}})
		})
	}
}

func (d *Driver) compose(f func(context.Context) (string, error)) {
	d.suspect = ""
	if d.job != nil {
		d.emit(Notice{"The editor opens only while nothing is under way."})
		return
	}
	d.startJob(Began{}, func(ctx context.Context, emit func(item) bool) {
		text, err := f(ctx)
		switch {
		case err == nil:
			emit(item{composed: &text})
		case ctx.Err() == nil:
			emit(item{report: Notice{terminal.Text(err.Error())}})
		default:
			emit(item{err: err})
		}
	})
}

// handle takes an item of the job, or of side work.
func (d *Driver) handle(it item) {
	switch {
	case d.job != nil && d.job.isOpening && (it.opened != nil || it.err != nil):
		d.sessionOpened(it.err)
	case errors.Is(it.err, context.Canceled) && d.job != nil && d.job.isInterrupted:
		d.cancelled()
	case it.err != nil:
		d.emit(Failed{it.err})
	case it.event != nil:
		d.handleEvent(it.event)
	case it.report != nil:
		d.emit(it.report)
	case it.composed != nil:
		d.current().Record(*it.composed)
		d.queue = append([]queued{{prompt: agent.TextPrompt(*it.composed)}}, d.queue...)
	case it.result != nil:
		d.handleResult(*it.result)
	}
}

// handleEvent takes an event of the run.
func (d *Driver) handleEvent(e agent.Event) {
	switch e := e.(type) {
	case agent.Cancelled:
		d.cancelled()
		return
	case agent.Text:
		d.job.hasOutput = d.job.hasOutput || e.Text != ""
	case agent.ToolRequested:
		d.job.hasOutput = true
	}
	d.calls.Observe(e)
	d.emit(Ran{e})
	switch e := e.(type) {
	case agent.ToolAsked:
		d.addCallQuestion(e)
	case agent.Overflow:
		d.job.isCancelled = true // queued prompts would not fit either
		d.job.hasOutput = true
		d.emit(NotSent{d.job.prompt, true})
	}
}

// cancelled reports that the job was cancelled.
func (d *Driver) cancelled() {
	d.job.isCancelled = true
	d.emit(Cancelled{d.job.isInterrupted, d.isLeaving})
}

// handleResult reports the result of a / command and acts on it.
func (d *Driver) handleResult(r slash.Result) {
	d.emit(CommandDone{r})
	if r.Prompt != nil {
		d.queue = append([]queued{{prompt: *r.Prompt, isHidden: r.IsPromptHidden}}, d.queue...)
	}
	if r.Run != nil {
		d.next = r.Run
	}
	if r.Quit {
		d.leave(nil)
	}
	d.dropSettled()
	if d.job == nil {
		d.runQueued(false) // the job ended before this command
	}
}

// finishJob ends the job, and starts what was queued during it.
func (d *Driver) finishJob() {
	j := d.job
	d.dismiss()
	j.cancel(nil)
	d.job = nil
	d.emit(Finished{})
	if j.isCancelled && j.prompt != "" && !j.hasOutput {
		d.emit(NotSent{j.prompt, true})
	}
	if j.isOpening && d.leaveErr == nil {
		d.begin()
	}
	if d.job == nil {
		d.runQueued(j.isCancelled)
	}
}

// begin starts with the first line, and with those that were entered before the session was open.
func (d *Driver) begin() {
	early := d.queue
	d.queue = nil
	d.emit(Opened{d.current()})
	if first := terminal.Clean(d.options.First); first != "" {
		d.submit(first)
	}
	for _, q := range early {
		if q.line != "" {
			d.submit(q.line)
		} else {
			d.send(q)
		}
	}
}
