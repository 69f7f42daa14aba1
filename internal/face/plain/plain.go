// Package plain is the line-based face: for terminals that can do no more, for
// screen readers, and for whoever likes it (spec/tui.md §1.7, §8.7). What it writes
// is text from top to bottom: no escape sequence, no movement of the cursor, nothing
// told by colour, no line that changes after it was written. Each line makes sense
// when it is read aloud. Lines are edited by the terminal itself.
//
// [Face.Run] is a loop on one goroutine that owns all state. What takes time has
// a goroutine of its own and talks to the loop through a channel:
//
//   - a job: the model's turn, a / command, the editor for a prompt (job.go)
//   - a dialog: a question to the person, from its first line to the answer
//     (dialog.go, confirm.go, questions.go)
//   - the reader of lines (inbox.go)
//
// A line that is typed goes to the dialog, if one is open, else it is a prompt;
// while a job runs it waits in the queue (prompt.go). Events are put into words in
// render.go and calls.go. Everything from outside is cleaned on its way to the
// screen, which is in screen.go.
package plain

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/slash"
	"pollux/internal/stats"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Options are what a face works with. Terminal and Run are needed, everything else
// may be left zero.
type Options struct {
	Terminal *terminal.Terminal
	// Prepare, where set, is done before all else, and returns what the face works
	// with from then on; only Terminal and Interrupts stay. It may ask. Its error
	// ends the session: [Face.Run] returns it.
	Prepare func(ctx context.Context) (Options, error)
	// Run puts a prompt to the model; it is [agent.Agent.Run].
	Run func(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error]
	// Expand makes a prompt of what a person wrote, and says what of it was left
	// out. nil takes it as it is.
	Expand func(ctx context.Context, text string) (p agent.Prompt, warnings []string, err error)

	// Command says whether a line is a / command, and whether it may run while the
	// model works. Do runs it. Meant, where set, returns the command that a mistyped
	// one is likely to mean, "/stats" for "/statz", or "".
	Command func(line string) (known, busy bool)
	Do      func(ctx context.Context, line string) (slash.Result, error)
	Meant   func(line string) string
	// Shell runs what is typed behind a "!", and returns what is to be said of it. nil
	// sends such lines to the model.
	Shell func(ctx context.Context, command string) (string, error)

	// Interrupts has a value for each Ctrl+C. ctx must not end with one.
	Interrupts <-chan struct{}
	// First is a prompt or a / command to begin with.
	First string
	// Welcome is said first, Farewell at the end of a session in which something
	// was said, in place of a plain goodbye.
	Welcome  string
	Farewell func() string

	// Offers returns the lasting answers that a person may give to a call. SavedIn is
	// the file that keeps those for all future sessions.
	Offers  func(call *agent.ToolCall) []policy.Offer
	SavedIn string
	// Allowed reports whether a call would now pass without a question: what was
	// answered to another one, or a change of the mode, may have settled it.
	Allowed func(call *agent.ToolCall) bool
	// Mode returns the approval mode as policies call it ("autoEdit").
	Mode func() string
	// Title returns what people call a tool, "" for the name that the model uses.
	Title func(tool string) string

	// Editor is the person's editor; nil if they can't have one here.
	Editor Editor
	// Stats, where set, is shown every event.
	Stats *stats.Session
	// Thoughts tells the model's thoughts (ui.inlineThinkingMode is full).
	Thoughts bool
	// Spoken is for a screen reader: signs are put into words
	// (ui.accessibility.screenReader).
	Spoken bool
	// QuotaHint returns what follows a request refused with status 429, by whoever
	// answers then; it begins with a line feed.
	QuotaHint func() string
	// Debug adds to a failed request what the vendor answered.
	Debug bool
}

// Editor is the editor of a person. Its methods wait until they are through; their
// errors are for the person to read.
type Editor interface {
	// Open opens a file to be changed in place.
	Open(ctx context.Context, path string) error
	// Text has a text written, beginning with what is there.
	Text(ctx context.Context, text string) (string, error)
	// Change has a file's proposed content changed, beside what it is now.
	Change(ctx context.Context, name, before, after string) (string, error)
}

// Face is the face of one session. Its methods may be called by any goroutine.
type Face struct {
	o      Options
	screen *screen
	guard  time.Duration
	asks   chan *question
	wake   chan struct{} // has a value if the loop should look at the screen
	over   chan struct{} // closed when Run has returned
	end    sync.Once
}

// New returns a face. Nothing is shown yet.
func New(o Options) *Face {
	return &Face{o: o, screen: newScreen(o.Terminal.Out), guard: guard, asks: make(chan *question), wake: make(chan struct{}, 1), over: make(chan struct{})}
}

// Warn tells the person something beside all else.
func (f *Face) Warn(text string) {
	f.screen.line(terminal.Text(text))
	f.screen.flush()
	f.rouse()
}

// rouse lets the loop see what has changed.
func (f *Face) rouse() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Ask is an [agent.Ask] for what is no call of the model's: / commands, sign-in.
// It waits for its turn, and returns an error if ctx or the session ends first.
func (f *Face) Ask(ctx context.Context, details tool.Confirmation) (agent.Answer, error) {
	answers := make(chan agent.Answer, 1)
	q := &question{details: details, over: ctx.Done(), answer: func(a agent.Answer) {
		select {
		case answers <- a:
		default: // answered before
		}
	}}
	select {
	case f.asks <- q:
	case <-ctx.Done():
		return agent.Answer{}, context.Cause(ctx)
	case <-f.over:
		return agent.Answer{}, errOver
	}
	select {
	case a := <-answers:
		return a, nil
	case <-ctx.Done():
		return agent.Answer{}, context.Cause(ctx)
	case <-f.over:
		return agent.Answer{}, errOver
	}
}

var errOver = errors.New("the session is over")

// Run talks with the person until they leave. It returns nil if they did, the
// cause of ctx if that ended, and an error if they could not wait, if nothing can be
// read or shown any more, or if the session could not begin. It is called once.
func (f *Face) Run(ctx context.Context) error {
	defer f.end.Do(func() { close(f.over) })
	in := newInbox(f.o.Terminal)
	defer in.close()
	l := &loop{Face: f, inbox: in, now: time.Now}
	return l.run(ctx)
}

// loop is the state of a session. All of it belongs to the goroutine of Run.
type loop struct {
	*Face
	inbox *inbox
	now   func() time.Time
	ctx   context.Context

	job     *job      // nil while nothing is under way
	queue   []string  // what was typed meanwhile
	draft   string    // what was typed and came to nothing
	compose composer  // what is being typed
	suspect string    // a command that may be mistyped
	said    bool      // something, in this session
	ended   bool      // no line will come any more
	leaving bool      // as soon as the job is over
	sides   int       // commands that run beside the job
	results chan item // of them

	waiting []*question // the next one first
	dialog  *dialog     // the one that is open
	settle  *time.Timer // until the questions that come together have come
	asked   int         // questions of this batch so far

	failed error     // the session could not begin
	armed  time.Time // when Ctrl+C was last pressed
	again  int       // how often by then, without a pause
	eof    time.Time // when Ctrl+D was last pressed
	voice  voice
	silent silence
}

const (
	// patience is how long Ctrl+C or Ctrl+D wait to be pressed again.
	patience = 3 * time.Second
	// together is how close to each other lines and questions come that belong
	// together.
	together = 30 * time.Millisecond
	// guard is how long a question takes no answer: what is typed by then was
	// not meant for it.
	guard = 250 * time.Millisecond
)

func (l *loop) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l.ctx, l.results = ctx, make(chan item)
	l.voice.screen = l.screen
	l.settle = stoppedTimer()
	l.compose.timer = stoppedTimer()
	l.silent.timer = stoppedTimer()
	l.voice.timer = stoppedTimer()
	if l.o.Prepare != nil {
		l.prepare()
	} else {
		l.greet()
	}
	for !l.done() {
		l.invite()
		l.screen.flush()
		if err := l.screen.lost(); err != nil {
			l.abandon()
			return l.gone("write to", err, l.o.Terminal.OutTTY)
		}
		l.step(ctx)
	}
	l.abandon()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	l.goodbye()
	if l.again >= 3 {
		return exit.Errorf(exit.Interrupted, "Operation cancelled.")
	}
	return l.failed
}

// step waits for the next thing to happen.
func (l *loop) step(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-l.o.Interrupts:
		l.interrupt()
	case <-l.inbox.ready:
		for {
			typed, ok := l.inbox.take()
			if !ok {
				break
			}
			l.typed(typed)
		}
	case <-l.compose.timer.C:
		l.submit(l.compose.take())
	case it, ok := <-l.jobItems():
		if !ok {
			l.jobDone()
			return
		}
		l.see(it)
	case it := <-l.results:
		l.sides--
		l.see(it)
	case q := <-l.asks:
		l.wait(q)
	case <-l.settle.C:
		l.open()
	case a := <-l.dialogDone():
		l.answered(a)
	case <-l.wake:
	case <-l.voice.timer.C:
		l.voice.speakUp()
	case <-l.silent.timer.C:
		l.breakSilence()
	}
}

func (l *loop) greet() {
	if l.o.Welcome != "" {
		l.screen.line(terminal.Text(l.o.Welcome))
	}
	if first := terminal.Clean(l.o.First); first != "" {
		l.screen.line("User: " + excerpt(first, 5))
		l.submit(first)
		return
	}
	if l.o.Welcome != "" {
		l.screen.line("Type a prompt and press Enter. ? and Enter explains the rest, Ctrl+D leaves.")
	}
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}
