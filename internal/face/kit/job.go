package kit

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"pollux/agent"
	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/slash"
	"pollux/internal/stats"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// job is work in progress: the beginning or end of the session, a run, a command, or a prompt that the person composes.
type job struct {
	cancel        context.CancelCauseFunc
	steps         chan func() // calls for the loop; closed when the job has ended
	abandoned     chan struct{}
	prompt        string // prompt of the run
	hasOutput     bool   // the model has answered or called a tool
	isCancelled   bool   // queued prompts are not sent
	isInterrupted bool   // cancelled by the person
	isOpening     bool   // the job opens the session
	isRun         bool   // of the model
	hasCalls      bool   // the response in progress asks for tool calls
	isAnswered    bool   // the response is whole and asks for none: hooks and records are left
}

// hasRoom reports whether a command that the person enters can wait for the end of the job. During the work of the model it cannot: files may
// have changed by then.
func (j *job) hasRoom() bool { return !j.isRun || j.isAnswered }

func (j *job) cancelByPerson() {
	j.isInterrupted = true
	j.cancel(nil)
}

// besideCommand is a / command that runs beside the job.
type besideCommand struct {
	BesideCommand
	cancel context.CancelFunc
}

type runFunc func(context.Context) iter.Seq2[agent.Event, error]

// task is work that ends with one step: it returns a function that the loop calls.
type task func(context.Context) (step func())

// startJob calls work on a goroutine of its own, as the job in progress. post makes the loop call a function; it returns
// false if the loop has abandoned the job.
func (d *Driver) startJob(began Began, work func(ctx context.Context, post func(step func()) bool)) {
	ctx, cancel := context.WithCancelCause(d.ctx)
	// The buffer collects chunks while the face draws.
	j := &job{cancel: cancel, steps: make(chan func(), 64), abandoned: make(chan struct{}), prompt: began.Prompt, isRun: began.IsRun}
	d.job = j
	began.Stats = d.stats(j)
	d.emit(began)
	go func() {
		defer close(j.steps)
		defer crash.Recover()
		work(ctx, func(step func()) bool {
			select {
			case j.steps <- step:
				return true
			case <-j.abandoned:
				return false
			}
		})
	}()
}

// stats returns the counts of the session until now if a job is a run of the model, else nil.
func (d *Driver) stats(j *job) *stats.Snapshot {
	if !j.isRun {
		return nil
	}
	s := d.current().Stats()
	return &s
}

func (d *Driver) startTask(began Began, t task) {
	d.startJob(began, func(ctx context.Context, post func(func()) bool) { post(t(ctx)) })
}

// runBeside runs a task beside the job.
func (d *Driver) runBeside(t task) {
	d.sideCount++
	ctx := d.ctx
	go func() {
		defer crash.Recover()
		step := t(ctx)
		select {
		case d.side <- step:
		case <-d.done:
		}
	}()
}

func (d *Driver) openSession() {
	life, end := context.WithCancel(d.ctx) // the session outlives the job
	d.startTask(Began{}, func(context.Context) func() {
		s, err := d.options.Open(life, d)
		if err == nil {
			d.mu.Lock()
			d.session = s
			d.mu.Unlock()
		}
		return func() { d.sessionOpened(err) }
	})
	cancelJob := d.job.cancel
	d.job.isOpening = true
	d.job.cancel = func(cause error) {
		end() // before the open question is dismissed: the cancellation is no answer to it
		cancelJob(cause)
	}
}

func (d *Driver) isOpening() bool { return d.job != nil && d.job.isOpening }

// sessionOpened takes the end of opening: the session outlives the job, or err ends the driver. A person who left before, and was asked
// nothing, does not hear of it.
func (d *Driver) sessionOpened(err error) {
	switch {
	case d.job.isInterrupted && (err == nil || errors.Is(err, context.Canceled)):
		err = exit.Errorf(exit.Interrupted, "%s", wording.NotStarted)
	case d.isLeaving && !d.job.isInterrupted && (err == nil || exit.CodeOf(err) == exit.Interrupted):
		return
	}
	if err != nil {
		d.leave(err)
		return
	}
	d.job.cancel = func(error) {} // the end of the job is not the end of the session
}

func (d *Driver) endSession() {
	d.isLeaving, d.queue = true, nil
	d.startTask(Began{}, func(ctx context.Context) func() {
		text := d.current().End(ctx)
		return func() {
			if text != "" {
				d.emit(Ended{text})
			}
		}
	})
}

func (d *Driver) startPrompt(p agent.Prompt, began Began) {
	s := d.current()
	began.IsRun, began.Prompt = true, p.Text()
	d.startRun(began, func(ctx context.Context) iter.Seq2[agent.Event, error] { return s.Run(ctx, p) })
}

func (d *Driver) startRun(began Began, run runFunc) {
	d.calls = nil
	d.startJob(began, func(ctx context.Context, post func(func()) bool) {
		for e, err := range run(ctx) {
			isTaken := post(func() {
				if err != nil {
					d.fail(err)
				} else {
					d.handleEvent(e)
				}
			})
			if !isTaken {
				return
			}
		}
	})
}

// runCommand runs a / command: beside the current job if there is one, else as the job.
func (d *Driver) runCommand(line string) {
	if d.job != nil {
		d.runCommandBeside(line, d.command(line, true))
	} else {
		d.startTask(Began{Command: line}, d.command(line, false))
	}
}

// command returns the task that runs a / command.
func (d *Driver) command(line string, isBeside bool) task {
	s := d.current()
	return func(ctx context.Context) func() {
		r, err := s.RunCommand(ctx, line)
		return func() {
			switch {
			case err == nil:
				d.handleResult(r)
			case ctx.Err() != nil && !isBeside:
				d.cancelled()
			case errors.Is(err, context.Canceled) && ctx.Err() != nil:
				d.emit(Notice{"Cancelled: " + Brief(line)})
			default:
				d.fail(err)
			}
		}
	}
}

// runCommandBeside runs a / command beside the job, until [Driver.Cancel].
func (d *Driver) runCommandBeside(line string, run task) {
	ctx, cancel := context.WithCancel(d.ctx)
	c := &besideCommand{BesideCommand{Brief(line), time.Now()}, cancel}
	d.beside = append(d.beside, c)
	d.reportBeside()
	d.runBeside(func(context.Context) func() {
		step := run(ctx)
		return func() {
			if i := slices.Index(d.beside, c); i >= 0 {
				d.beside = slices.Delete(d.beside, i, i+1)
				d.reportBeside()
			}
			step()
			cancel()
		}
	})
}

// cancelBeside cancels the / command that began last of those beside the job. It returns false if there is none.
func (d *Driver) cancelBeside() bool {
	n := len(d.beside)
	if n == 0 {
		return false
	}
	d.beside[n-1].cancel()
	d.beside = d.beside[:n-1]
	d.reportBeside()
	return true
}

// reportBeside reports the / commands beside the work.
func (d *Driver) reportBeside() {
	var e Beside
	for _, c := range d.beside {
		e.Commands = append(e.Commands, c.BesideCommand)
	}
	d.emit(e)
}

// runShell runs the shell command that the person has entered after "!", or makes it wait.
func (d *Driver) runShell(command string) {
	switch {
	case d.job != nil && !d.job.hasRoom():
		d.emit(Notice{"Shell commands cannot run while the model works. Wait, or press Ctrl+C to stop the model."})
	case isBlank(command):
		d.emit(Notice{"Type a command behind the exclamation mark."})
	case d.job != nil:
		d.send(queued{line: command, isShell: true})
	default:
		d.startShell(command, Began{})
	}
}

func (d *Driver) startShell(command string, began Began) {
	s := d.current()
	began.Shell = command
	d.startJob(began, func(ctx context.Context, post func(func()) bool) {
		text, err := s.RunTyped(ctx, command, func(e agent.Event) {
			post(func() { d.emit(ShellRan{e}) })
		})
		post(func() {
			if err != nil {
				d.handleResult(slash.Failure(err))
			} else {
				d.emit(ShellDone{text})
			}
		})
	})
}

// compose makes the prompt that f returns the first one of the queue.
func (d *Driver) compose(f func(context.Context) (string, error)) {
	d.suspect = ""
	if d.job != nil {
		d.emit(Notice{"The editor opens only while nothing is under way."})
		return
	}
	d.startTask(Began{}, func(ctx context.Context) func() {
		text, err := f(ctx)
		return func() {
			switch {
			case err == nil:
				d.current().LogPrompt(text)
				d.queue = append([]queued{{prompt: agent.TextPrompt(text)}}, d.queue...)
			case ctx.Err() == nil:
				d.emit(Notice{terminal.Text(err.Error())})
			default:
				d.fail(err)
			}
		}
	})
}

// fail reports the error of work, or that the person has cancelled it.
func (d *Driver) fail(err error) {
	if errors.Is(err, context.Canceled) && d.job != nil && d.job.isInterrupted {
		d.cancelled()
	} else {
		d.emit(Failed{err})
	}
}

func (d *Driver) handleEvent(e agent.Event) {
	switch e := e.(type) {
	case agent.Cancelled:
		d.cancelled()
		return
	case agent.TurnStarted:
		d.job.hasCalls, d.job.isAnswered = false, false
	case agent.Finished:
		d.job.isAnswered = !d.job.hasCalls
	case agent.Text:
		d.job.hasOutput = d.job.hasOutput || e.Text != ""
	case agent.ToolRequested:
		d.job.hasOutput, d.job.hasCalls = true, true
		d.calls = append(d.calls, e.Call.ID)
	}
	d.emit(Ran{e})
	switch e := e.(type) {
	case agent.ToolAsked:
		d.addCallQuestion(e)
	case agent.Overflow:
		d.job.isCancelled = true // queued prompts would not fit either
		d.job.hasOutput = true
		d.emit(NotSent{[]string{d.job.prompt}, true})
	}
}

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

// finishJob ends the job, and starts the work that was queued during it.
func (d *Driver) finishJob() {
	j := d.job
	d.dismiss()
	j.cancel(nil)
	d.job = nil
	d.emit(Finished{d.stats(j)})
	if j.isCancelled && j.prompt != "" && !j.hasOutput {
		d.emit(NotSent{[]string{j.prompt}, true})
	}
	if j.isOpening && !d.isLeaving {
		d.begin()
	}
	if d.job == nil {
		if j.isRun {
			d.takeHints()
		}
		d.runQueued(j.isCancelled || j.isInterrupted)
	}
}

// begin starts with the first line, and with those that were entered before the session was open.
func (d *Driver) begin() {
	early := d.queue
	d.queue = nil
	d.emit(Opened{d.current()})
	if first := terminal.Clean(d.options.First); first != "" {
		d.submit(first, d.sendText)
	}
	for _, q := range early {
		switch {
		case q.isShell:
			d.shell(q.line)
		case q.line != "":
			d.enter(q.line, d.sendText)
		default:
			d.send(q)
		}
	}
}
