// Package kit has the parts that all faces share. A face draws; the kit decides.
//
//   - [Question] is a question to a person: title, blocks, warnings, and options or a form. [NewQuestion] makes it from
//     a [tool.Confirmation].
//   - [Driver] is a session at work: prompts and commands that the person enters, the queue, the questions of parallel
//     calls, interrupts, the end. It reports [Event]s, in order.
//   - [Calls] are the tool calls of a run, for a face that shows their progress.
//
// A face makes a driver whose options open the session, calls [Driver.Run] on a goroutine, ranges over [Driver.Events],
// and passes on the input of the person: [Driver.Submit], [Driver.Answer], [Driver.Interrupt]. The file face_test.go has a
// face in eighty lines.
package kit

import (
	"context"
	"errors"
	"sync"
	"time"

	"pollux/agent"
	"pollux/internal/guard/hook"
	"pollux/internal/slash"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Options configures a [Driver].
type Options struct {
	// Open opens the session. It runs in the background, and may ask questions with the driver. [Driver.Run] returns its
	// error. ctx lasts as long as the driver. [Open] opens a [Live] session.
	Open func(ctx context.Context, d *Driver) (Session, error)
	// First is a line to begin with, as for [Driver.Submit]; "" is none.
	First string
}

// Driver is a session at work. Its methods may be called from any goroutine, but wait for [Driver.Run] to begin.
type Driver struct {
	options  Options
	requests chan func() // calls of methods
	events   chan Event
	side     chan func() // steps of side work
	wake     chan struct{}
	done     chan struct{}

	mu       sync.Mutex
	warnings []Warning
	hooks    *HooksRunning // not reported yet, nil for none
	session  Session       // nil until it is open

	loop
}

// loop is the state of a driver. Only the goroutine of Run uses it.
type loop struct {
	ctx  context.Context
	stop context.CancelCauseFunc

	out       []Event // that the face has not taken yet
	job       *job    // work in progress, nil for none
	next      runFunc // a run that follows the job, nil for none
	queue     []queued
	suspect   string           // the mistyped command that an empty line sends as text
	sideCount int              // commands and the like that run beside the job
	beside    []*besideCommand // in the order in which they began
	calls     []string         // ids of the calls of the run, in order

	pending []*inquiry // questions, in the order in which they are asked
	open    *inquiry   // the question that the face shows
	batch   *time.Timer
	asked   int // questions of the current batch that were asked

	inputEnded    bool
	isLeaving     bool
	isLent        bool // at the last interrupt
	leaveErr      error
	interrupts    int // within repeatWindow of each other
	lastInterrupt time.Time
}

const (
	// repeatWindow is how long a second interrupt counts as a repetition.
	repeatWindow = 3 * time.Second
	// batchWindow is the pause that separates one batch of questions from the next.
	batchWindow = 30 * time.Millisecond
	// grace is how long work has to stop when the driver ends at once.
	grace = 2 * time.Second
)

// ErrOver is the error of a question when no answer can come any more.
var ErrOver = errors.New("the session is over")

// New returns a driver. It does nothing before [Driver.Run].
func New(o Options) *Driver {
	return &Driver{
		options: o, requests: make(chan func()), events: make(chan Event), side: make(chan func()),
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// Events returns the channel of events. The face takes each of them; it may wait before it takes the next one, which holds
// the work up. The channel is closed at the end.
func (d *Driver) Events() <-chan Event { return d.events }

// Done is closed when Run has ended.
func (d *Driver) Done() <-chan struct{} { return d.done }

// do calls f on the goroutine of Run, and waits. After the end it does nothing.
func (d *Driver) do(f func()) {
	called := make(chan struct{})
	select {
	case d.requests <- func() { defer close(called); f() }:
		<-called
	case <-d.done:
	}
}

// Submit takes a line or text that the person has entered: a prompt, which waits in a queue during other work, a / command,
// or a shell command behind "!". An empty line sends the line before it if that looked like a mistyped command.
func (d *Driver) Submit(line string) { d.do(func() { d.submit(line, d.sendText) }) }

// Enter is [Driver.Submit] for faces that call [Driver.Shell] for shell commands: a text behind "!" is a prompt.
func (d *Driver) Enter(text string) { d.do(func() { d.enter(text, d.sendText) }) }

// Shell takes a shell command that the person has entered. It may have several lines.
func (d *Driver) Shell(command string) { d.do(func() { d.shell(command) }) }

// Queue is [Driver.Submit], but a / command waits for the end of the work in progress, behind the prompts that wait.
func (d *Driver) Queue(line string) { d.do(func() { d.enqueue(line) }) }

// Send takes a prompt. It is no command, whatever its text.
func (d *Driver) Send(p agent.Prompt) { d.do(func() { d.send(queued{prompt: p}) }) }

// Steer adds a prompt to the next request of the run in progress. Without one it is [Driver.Send].
func (d *Driver) Steer(p agent.Prompt) { d.do(func() { d.steer(p) }) }

// Hint is [Driver.Submit], but a prompt goes to the run in progress, as that of [Driver.Steer].
func (d *Driver) Hint(line string) { d.do(func() { d.submit(line, d.steerText) }) }

// EnterHint is [Driver.Enter], but a prompt goes to the run in progress, as that of [Driver.Steer].
func (d *Driver) EnterHint(text string) { d.do(func() { d.enter(text, d.steerText) }) }

// WithdrawLast takes back the last of the prompts that wait. It returns false if there is none.
func (d *Driver) WithdrawLast() (text string, ok bool) {
	d.do(func() { text, ok = d.withdrawLast() })
	return text, ok
}

// Withdraw takes back the prompts that wait: those of [Driver.Steer] that no request has, and the queue.
func (d *Driver) Withdraw() (texts []string) {
	d.do(func() {
		if s := d.current(); s != nil {
			texts = s.Withdraw()
		}
		for _, q := range d.queue {
			texts = append(texts, q.text())
		}
		d.queue = nil
	})
	return texts
}

// Compose calls f as work of the driver, and sends the prompt that the person writes in it. Its error is a [Notice].
func (d *Driver) Compose(f func(ctx context.Context) (string, error)) { d.do(func() { d.compose(f) }) }

// Answer answers a question of [Asked]. A question that is settled needs no answer.
func (d *Driver) Answer(q *Question, a tool.Answer) {
	d.do(func() {
		if d.open != nil && d.open.shown == q {
			d.answerOpen(a)
		}
	})
}

// Refuse refuses all questions.
func (d *Driver) Refuse() { d.do(d.dismiss) }

// Interrupt takes a Ctrl+C: the first one cancels the work in progress, the second one leaves when the work has ended, the
// third one leaves at once. With isLent, another program has the terminal and handles the key: it only counts.
func (d *Driver) Interrupt(isLent bool) { d.do(func() { d.interrupt(isLent) }) }

// Cancel cancels the / command beside the work that began last, or else the work in progress, unless that opens the session,
// and refuses all questions. Unlike [Driver.Interrupt] it never leads to the end of the session.
func (d *Driver) Cancel() {
	d.do(func() {
		if d.cancelBeside() {
			return
		}
		if d.job != nil && !d.isOpening() {
			d.job.cancelByPerson()
		}
		d.dismiss()
	})
}

// Recheck answers the questions about calls that the rules allow by now, after the person has changed the rules.
func (d *Driver) Recheck() { d.do(d.dropSettled) }

// Typing ends a series of interrupts: the person types.
func (d *Driver) Typing() {
	d.do(func() {
		if !d.isLeaving {
			d.interrupts = 0
		}
	})
}

// EndInput says that the person enters nothing more and can answer nothing: the driver ends when all is done.
func (d *Driver) EndInput() {
	d.do(func() {
		d.inputEnded = true
		d.dismiss()
	})
}

// Leave cancels the work in progress and ends the session in order. Run returns err.
func (d *Driver) Leave(err error) { d.do(func() { d.leave(err) }) }

// Stop ends the driver at once, and gives the work in progress two seconds to stop. Run returns cause.
func (d *Driver) Stop(cause error) { d.do(func() { d.stop(cause) }) }

// State is the state of a driver, for prompts and status lines.
type State struct {
	IsOpening bool // the session
	IsBusy    bool // work is in progress
	IsBeside  bool // a command or the like runs beside the work
	IsAsking  bool // questions wait
	IsLeaving bool
	HasMore   bool // there are events to take
}

// State returns the state as of the events that the face has taken. After the end, IsLeaving is set.
func (d *Driver) State() State {
	s := State{IsLeaving: true}
	d.do(func() {
		s = State{
			IsOpening: d.isOpening(), IsBusy: d.job != nil, IsBeside: d.sideCount > 0, IsAsking: len(d.pending) > 0,
			IsLeaving: d.isLeaving, HasMore: len(d.out) > 0,
		}
	})
	return s
}

// Lookup returns the / command that a line calls. Before the session is open, those of users and servers are not known.
func (d *Driver) Lookup(line string) (slash.Call, bool) {
	if len(line) == 0 || line[0] != '/' || len(line) > 1 && (line[1] == '/' || line[1] == '*') {
		return slash.Call{}, false
	}
	if s := d.current(); s != nil {
		return s.Lookup(line)
	}
	return slash.Lookup(line)
}

// Warn reports a text as a [Warning]. It never waits.
func (d *Driver) Warn(text string) { d.warn(Warning{Text: text}) }

// Notify reports a text as a [Warning] that is none. It never waits.
func (d *Driver) Notify(text string) { d.warn(Warning{Text: text, IsNotice: true}) }

func (d *Driver) warn(w Warning) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w.Text = terminal.Visible(terminal.Brief(w.Text))
	d.warnings = append(d.warnings, w)
	d.rouse()
}

// hooksRunning reports the hooks that run. It never waits: of reports that no one has taken yet, the last one counts.
func (d *Driver) hooksRunning(list []hook.Running) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hooks = &HooksRunning{list}
	d.rouse()
}

// rouse wakes the loop for a report.
func (d *Driver) rouse() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// current returns the session, nil until it is open.
func (d *Driver) current() Session {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.session
}

// Close releases the session after the end of Run, or if Run was not called.
func (d *Driver) Close() {
	if s := d.current(); s != nil {
		s.Close()
	}
}
