// Package headless is the face for scripts and pipelines: it renders the events
// of one run as text, as one JSON object or as JSON lines (spec/cli.md §6).
//
// [Prompt] puts together what to ask from standard input and the command
// line. [Run] ranges over the events of a run and tells one of three encoders
// what they mean; answers go to Out, everything else to Err. [Fail] ends, in
// the same shapes, a run that could not begin.
//
// # Errors
//
// The face tells the user what went wrong, in the place and the form that the
// output format asks for. What it returns is then a [*Shown]: the caller takes
// the exit code from it and prints nothing. [ErrClosed] says that nobody reads
// Out any more, which is not a failure.
package headless

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/stats"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
)

// Format is an output format, by the name that --output-format knows.
type Format string

// The output formats.
const (
	Text       Format = "text"
	JSON       Format = "json"
	StreamJSON Format = "stream-json"
)

// Options say how a run is rendered. Out and Err are needed, the rest may be
// left zero; no Format is [Text].
type Options struct {
	Format Format
	Out    io.Writer // answers, and nothing else
	Err    io.Writer // everything else

	// Raw leaves terminal escapes and other control characters in answers;
	// RawAccepted drops the warning about that.
	Raw         bool
	RawAccepted bool
	// Color writes fatal errors in red.
	Color bool
	// Debug adds to a failed request what the vendor answered.
	Debug bool

	SessionID string
	Model     string // as configured, "auto" for instance
	Prompt    string // as the user gave it, standard input included
	// QuotaHint is added where a request was refused with status 429: for
	// instance [QuotaHintKey]. It begins with a line feed.
	QuotaHint string

	// Stats is what the run costs. Run shows it every event; requests reach it
	// through its Meter.
	Stats *stats.Session
	// Start is when the session began, for its duration; zero is now.
	Start time.Time
}

// Shown is a failure that the user has been told about.
type Shown struct{ Err error }

func (e *Shown) Error() string { return e.Err.Error() }

// Reported tells internal/cli not to print it again.
func (e *Shown) Reported() bool { return true }

// Unwrap returns the failure itself, which knows its exit code.
func (e *Shown) Unwrap() error { return e.Err }

// ErrClosed says that the reader of Out has gone: stop, quietly, with status 0.
var ErrClosed = errors.New("nobody reads the output any more")

// Run renders a run until it ends. It returns nil if the run gave an answer,
// even an empty or a blocked one, or else [ErrClosed] or a [*Shown]; all output
// has been written when it returns. A question that reaches this face is
// answered with [tool.Cancel], since there is nobody to ask.
//
// A cancelled run ends with the cause of ctx if that is an [*exit.Error], and
// with [exit.Interrupted] if not.
func Run(ctx context.Context, o Options, events iter.Seq2[agent.Event, error]) error {
	f := newFace(o)
	defer f.announceCancel(ctx)()
	f.enc.begin()
	err := f.follow(events)
	f.deliver(f.batch.rest())
	f.tail()
	err = f.verdict(ctx, err)
	switch {
	case f.out.broken():
		err = nil // there is no one to tell, and finish says so
	case err == nil:
		f.enc.success()
	default:
		f.enc.failure(f.explain(err))
	}
	return f.finish(err)
}

// Say renders a text as the answer of a run that was none: nothing was asked of a
// model. It returns what [Run] does.
func Say(o Options, text string) error {
	f := newFace(o)
	f.enc.begin()
	f.enc.turn()
	f.enc.text(f.strip(text))
	f.tail()
	f.enc.success()
	return f.finish(nil)
}

// Fail ends a run that failed before it began. In every format a person finds
// the message on Err, and in the JSON formats a program finds an object on Out.
// It returns a [*Shown].
func Fail(o Options, err error) error {
	f := newFace(o)
	f.enc.early(f.explain(err))
	return f.finish(err)
}

// face is one run being rendered.
type face struct {
	Options
	out   *output
	err   *errOutput
	enc   encoder
	clean terminal.Stripper
	batch batch

	outcome   error // a failure that was an event
	cancelled bool
	fatal     bool // no sense in going on
}

// encoder is one output format. Its methods are called by one goroutine.
type encoder interface {
	begin()
	turn()                        // a model turn begins
	text(s string)                // a piece of the answer, cleaned
	discard()                     // what was said since turn is void
	call(c *agent.ToolCall)       // the model asks for a tool
	result(r *agent.ToolFinished) // in the order of the calls
	notice(n notice)              // why the answer is not what was hoped for
	invalid(message string)       // there is no usable answer
	success()                     // the end
	failure(x explanation)        // the other end
	early(x explanation)          // the end of a run that did not begin
}

func newFace(o Options) *face {
	if o.Stats == nil {
		o.Stats = stats.New()
	}
	if o.Start.IsZero() {
		o.Start = time.Now()
	}
	f := &face{Options: o, out: newOutput(o.Out), err: &errOutput{w: o.Err}}
	switch o.Format {
	case JSON:
		f.enc = &jsonObject{face: f}
	case StreamJSON:
		f.enc = &jsonLines{face: f}
	default:
		f.enc = &plainText{face: f}
	}
	return f
}

// follow tells the encoder what the events mean until the run is over or there
// is no sense in going on. Leaving the loop stops the run.
func (f *face) follow(events iter.Seq2[agent.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		f.Stats.See(e)
		f.see(e)
		if f.fatal || f.out.broken() {
			break
		}
	}
	return nil
}

func (f *face) see(e agent.Event) {
	switch e := e.(type) {
	case agent.TurnStarted:
		f.tail()
		f.enc.turn()
	case agent.Text:
		f.enc.text(f.strip(e.Text))
	case agent.Retried:
		f.clean = terminal.Stripper{}
		f.enc.discard()
	case agent.ToolRequested:
		f.tail()
		f.batch.add(e.Call)
		f.enc.call(e.Call)
	case agent.ToolAsked:
		e.Answer(agent.Answer{Outcome: tool.Cancel})
	case agent.ToolFinished:
		f.deliver(f.batch.finish(&e))
	case agent.Finished:
		f.tail()
		if note := e.Reason.Note(); note != "" {
			f.tell("[WARNING] " + note)
		}
	case agent.Waiting:
		f.enc.notice(waitingNotice(e))
	case agent.Switched:
		f.enc.notice(switchedNotice(e))
	case agent.LoopDetected:
		f.enc.notice(loopNotice())
	case agent.Stopped:
		f.enc.notice(stoppedNotice(e))
	case agent.Blocked:
		f.enc.notice(blockedNotice(e))
	case agent.InvalidStream:
		f.tail()
		f.enc.invalid(wording.InvalidStream(e))
	case agent.MaxTurns:
		f.outcome = maxTurnsError()
	case agent.Overflow:
		f.outcome = overflowError(e)
	case agent.Cancelled:
		f.cancelled = true
	}
}

// ignored says why a format does not render an event, "" if it does.
func ignored(format Format, e agent.Event) (why string) {
	switch e.(type) {
	case agent.ModelInfo:
		return "init names the configured model, and the statistics those that answered"
	case agent.Thinking, agent.Thought:
		return "thoughts are not part of the answer"
	case agent.Citations:
		return "stdout holds the answer and nothing else, and the formats have no place for sources"
	case agent.ToolUpdated:
		return "a script waits for results"
	case agent.ToolAsked:
		return "nobody is there to be asked: it is answered with Cancel"
	case agent.Compressed:
		return "the answer does not change"
	case agent.TurnStarted:
		if format != JSON {
			return "no format marks turns; json keeps the last answer only"
		}
	case agent.Switched:
		if format == JSON {
			return "the answer is one all the same, and the statistics name the models"
		}
	case agent.Waiting:
		if format != Text {
			return "not in machine-readable output (spec/agent.md §10.1)"
		}
	}
	return ""
}

func (f *face) strip(s string) string {
	if f.Raw {
		return s
	}
	return f.clean.Strip(s)
}

// tail releases what the stripper held back.
func (f *face) tail() {
	if s := f.clean.Flush(); s != "" {
		f.enc.text(s)
	}
}

// deliver hands finished calls to the encoder, in order, up to one that the
// run cannot survive.
func (f *face) deliver(calls []*agent.ToolFinished) {
	for _, r := range calls {
		if f.fatal {
			return
		}
		f.enc.result(r)
		if r.Status != agent.Failed || r.Result == nil || r.Result.Error == nil {
			continue
		}
		message := toolErrorText(r)
		if t := r.Result.Error.Type; t.Fatal() {
			f.fatal = true
			f.outcome = &exit.Error{Code: exit.Tool, Type: string(t), Message: message, Err: r.Result.Error}
			continue
		}
		f.tell(message)
	}
}

// verdict is what the run as a whole came to; err is how its events ended.
func (f *face) verdict(ctx context.Context, err error) error {
	if f.fatal {
		return f.outcome
	}
	if f.cancelled || err != nil && ctx.Err() != nil || errors.Is(err, context.Canceled) {
		var e *exit.Error
		if errors.As(context.Cause(ctx), &e) {
			return e
		}
		return errCancelled()
	}
	if err == nil {
		err = f.outcome
	}
	return err
}

// finish writes what is left, and turns err into what the caller gets.
func (f *face) finish(err error) error {
	lost := f.out.close()
	switch {
	case err != nil:
		return &Shown{err}
	case lost == nil:
		return nil
	case closedPipe(lost):
		return ErrClosed
	}
	err = &exit.Error{Code: exit.General, Message: "Cannot write the answer: " + lost.Error(), Err: lost}
	f.err.line(err.Error())
	return &Shown{err}
}

// tell writes a line to Err, after what was written to Out before it.
func (f *face) tell(line string) {
	f.out.endLine()
	f.out.flush()
	f.err.line(terminal.Clean(line))
}

// announceCancel says so on Err if a cancelled run takes its time to end. The
// function that it returns stops that.
func (f *face) announceCancel(ctx context.Context) (stop func()) {
	over, done := make(chan struct{}), make(chan struct{})
	unregister := context.AfterFunc(ctx, func() {
		defer close(done)
		select {
		case <-time.After(patience):
			if !f.out.broken() {
				f.err.line("Cancelling...")
			}
		case <-over:
		}
	})
	return func() {
		close(over)
		if !unregister() {
			<-done
		}
	}
}

// patience is how long a cancelled run is waited for in silence (spec/cli.md §6.6).
const patience = 200 * time.Millisecond
