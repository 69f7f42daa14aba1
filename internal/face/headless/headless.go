// Package headless is the face for scripts and pipelines. It renders the events of one
// run as text, as one JSON object, or as JSON lines.
//
// [RunJob] opens a session, reads the prompt with [ReadPrompt], and renders the run with [Run]. Answers are written to
// Out, everything else to Err. [RenderFailure] renders, in the same formats, the failure of a run that could not begin.
//
// # Errors
//
// The face reports errors to the user where and how the output format requires it, and
// returns a [*exit.Shown]: the caller takes the exit code from it and prints nothing.
// [ErrClosed] means that the reader of Out has gone, which is not a failure.
package headless

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/face/kit"
	"pollux/internal/stats"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/tool"
)

// Format is an output format, named as in the flag --output-format.
type Format string

// The output formats.
const (
	Text       Format = "text"
	JSON       Format = "json"
	StreamJSON Format = "stream-json"
)

// Options configures the rendering of a run. Out and Err are required. The zero Format is [Text].
type Options struct {
	Format Format
	Out    *terminal.Writer // receives only answers
	Err    *terminal.Writer // receives everything else

	// OutWidth and ErrWidth return the columns at which texts on Out and Err are broken, 0 to break none. nil is 0.
	OutWidth, ErrWidth func() int

	// Raw keeps terminal escapes and other control characters in answers. RawAccepted suppresses the warning about Raw.
	Raw         bool
	RawAccepted bool
	// IsWatched reports that a person may watch Err on a terminal: the text format shows running calls there. Names
	// are the titles of their tools.
	IsWatched bool
	Names     kit.Names
	// Color prints fatal errors in red.
	Color bool
	// Debug adds the provider's response to a failed request.
	Debug bool

	SessionID string
	Model     string // the configured name, such as "auto"
	Prompt    string // the user's prompt, including standard input
	Sandbox   string // the name of the sandbox that commands run in, "" for none
	// LeftOut are warnings about parts that the run lacks, for the JSON formats. The user has seen them.
	LeftOut []string
	// Place returns the circumstances of a failed request, for advice. nil means general advice.
	Place func(model string) wording.Place

	// Unfinished is the exit code of a run that ended without an error and has not done its work: 0 unless the user wants
	// another.
	Unfinished exit.Code
	// ShowCitations prints the sources that an answer quotes after it in the text format.
	ShowCitations bool

	// Stats has the statistics of the run, which the JSON formats contain. nil is a new counter.
	Stats *stats.Counter
	// Start is the start of the session, from which its duration is computed. The zero value is the current time.
	Start time.Time
}

// ErrClosed is returned when the reader of Out has closed it. The program should exit silently with status 0.
var ErrClosed = errors.New("the reader has closed the output")

// Run renders the events of a run until it ends. It returns nil if the model answered, even if the answer is empty or
// blocked, unless Unfinished is set. Otherwise it returns [ErrClosed] or a [*exit.Shown]. All output is written when Run returns. Run answers
// each question with [tool.Cancel], since there is no user to ask.
//
// The error of a cancelled run is the cause of ctx if that is an [*exit.Error], else an
// error with the code [exit.Interrupted].
func Run(ctx context.Context, o Options, events iter.Seq2[agent.Event, error]) error {
	f := newFace(o)
	defer f.announceCancel(ctx)()
	f.enc.begin()
	err := f.renderEvents(events)
	f.progress.stop()
	f.deliverResults(f.batch.drain())
	f.flushStripper()
	err = f.runError(ctx, err)
	switch {
	case f.out.hasFailed():
		err = nil // the output is closed; finish returns the error
	case err == nil:
		f.enc.success()
		if f.unfinished != "" && f.Unfinished != exit.OK {
			err = &exit.Error{Code: f.Unfinished, Message: "The run is unfinished: " + string(f.unfinished)}
		}
	default:
		f.enc.failure(f.newExplanation(err))
	}
	return f.finish(err)
}

// RenderAnswer renders text as the answer of a run that made no request to a model. It
// returns the same errors as [Run].
func RenderAnswer(o Options, text string) error {
	f := newFace(o)
	f.enc.begin()
	f.enc.turn()
	f.enc.text(f.strip(text))
	f.flushStripper()
	f.enc.success()
	return f.finish(nil)
}

// RenderFailure renders the failure of a run that could not begin. The message is written to Err in every format, and
// an object to Out in the JSON formats. It returns a [*exit.Shown].
func RenderFailure(o Options, err error) error {
	f := newFace(o)
	f.enc.early(f.newExplanation(err))
	return f.finish(err)
}

// face is the state of a run that is being rendered.
type face struct {
	Options
	out      *output
	err      *errOutput
	enc      encoder
	progress *progress // nil shows none
	stripper stripper
	batch    batch
	refused  []string // messages about refused calls that were printed

	unfinished  unfinished
	citations   []string // the sources that the answer quotes
	eventErr    error    // the failure that an event reported
	isCancelled bool
	isFatal     bool // a tool error that ends the run
}

// encoder writes one output format. It is not safe for concurrent use.
type encoder interface {
	begin()
	turn()                        // a model turn begins
	text(s string)                // a clean piece of the answer
	discard(e agent.Retried)      // the text since turn is void
	call(c *agent.ToolCall)       // the model asks for a tool
	result(r *agent.ToolFinished) // in the order of the calls
	notice(n notice)              // a remark about the run
	invalid(message string)       // the response is unusable
	success()                     // the run has succeeded
	failure(x explanation)        // the run has failed
	early(x explanation)          // the run could not begin
}

func newFace(o Options) *face {
	if o.Stats == nil {
		o.Stats = stats.New()
	}
	if o.Start.IsZero() {
		o.Start = time.Now()
	}
	f := &face{Options: o, stripper: newStripper(o.Format), err: &errOutput{w: o.Err, width: o.ErrWidth}}
	switch o.Format {
	case JSON:
		f.out, f.enc = newOutput(o.Out.JSON()), &jsonObject{face: f, warnings: slices.Clone(o.LeftOut)}
	case StreamJSON:
		f.out, f.enc = newOutput(o.Out.JSON()), &jsonLines{face: f}
	default:
		f.out = newOutput(o.Out)
		if o.Raw {
			f.out = newOutput(o.Out.Unsanitized())
		} else {
			f.out.width = o.OutWidth
		}
		f.enc = &plainText{face: f}
		if o.IsWatched && o.ErrWidth != nil {
			f.progress = &progress{show: o.Err.SetStatus, width: o.ErrWidth, names: o.Names, err: f.err}
		}
	}
	return f
}

// renderEvents passes events to the encoder until the run ends, fails fatally, or its
// output breaks. Leaving the loop stops the run.
func (f *face) renderEvents(events iter.Seq2[agent.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		f.progress.observe(e)
		f.renderEvent(e)
		f.progress.showCancelled(e)
		if f.isFatal || f.out.hasFailed() {
			break
		}
	}
	return nil
}

func (f *face) renderEvent(e agent.Event) {
	f.unfinished.observe(e)
	switch e := e.(type) {
	case agent.TurnStarted:
		f.flushStripper()
		f.enc.turn()
	case agent.Text:
		f.enc.text(f.strip(e.Text))
	case agent.Retried:
		f.stripper = newStripper(f.Format)
		if e.Cause.Type == "MEDIA_REFUSED" { // it lacks in all later requests
			f.enc.notice(noticeOf(e))
		} else {
			f.enc.discard(e)
		}
	case agent.ToolRequested:
		f.flushStripper()
		f.batch.add(e.Call)
		f.enc.call(e.Call)
	case agent.ToolAsked:
		e.Answer(tool.Answer{Outcome: tool.Cancel, Unattended: true})
	case agent.ToolFinished:
		f.deliverResults(f.batch.finish(&e))
	case agent.Finished:
		f.flushStripper()
		if note := e.Reason.Note(); note != "" {
			f.printErr("[WARNING] " + note)
		}
	case agent.Citations:
		f.flushStripper()
		f.cite(e)
	case agent.InvalidStream:
		f.flushStripper()
		f.enc.invalid(wording.InvalidStream(e))
	case agent.MaxTurns:
		f.eventErr = &exit.Error{Code: exit.TurnLimit, Message: wording.MaxTurns}
	case agent.Overflow:
		f.eventErr = &exit.Error{Code: exit.General, Message: wording.Overflow(e), Err: e.Err}
	case agent.Cancelled:
		f.isCancelled = true
	default:
		f.enc.notice(noticeOf(e))
	}
}

// cite keeps the sources of an answer, and shows them in the text format.
func (f *face) cite(c agent.Citations) {
	title, list, _ := strings.Cut(terminal.Clean(c.Text), "\n")
	f.citations = append(f.citations, strings.Split(list, "\n")...)
	if f.Format == Text && f.ShowCitations {
		f.out.endLine()
		f.out.writeString("\n" + title + "\n" + list + "\n")
	}
}

// stripper removes characters that must not reach a terminal from a stream of text.
type stripper interface {
	Strip(s string) string
	Flush() string
}

// newStripper returns the stripper of a format. JSON keeps characters that only hide or turn text, as escape sequences.
func newStripper(format Format) stripper {
	if format == Text {
		return &terminal.Linear{}
	}
	return &terminal.Stripper{}
}

func (f *face) strip(s string) string {
	if f.Raw {
		return s
	}
	return f.stripper.Strip(s)
}

// flushStripper writes the text that the stripper has held back.
func (f *face) flushStripper() {
	if s := f.stripper.Flush(); s != "" {
		f.enc.text(s)
	}
}

// deliverResults passes finished calls to the encoder, in order. It stops at a fatal tool error.
func (f *face) deliverResults(calls []*agent.ToolFinished) {
	for _, r := range calls {
		if f.isFatal {
			return
		}
		f.enc.result(r)
		if r.Status == agent.Success && r.Result != nil && r.Result.Problem != "" {
			f.printErr(oneNotice("Warning: " + r.Result.Problem))
		}
		if r.Status != agent.Failed || r.Result == nil || r.Result.Error == nil {
			continue
		}
		message := toolErrorText(r)
		if t := r.Result.Error.Type; t.Fatal() {
			f.isFatal = true
			f.eventErr = &exit.Error{Code: exit.Tool, Type: string(t), Message: message, Err: r.Result.Error}
			continue
		}
		if !f.wasRefused(r.Result.Error.Type, message) {
			f.printErr(oneNotice(message))
		}
	}
}

// wasRefused reports whether a message says again that a tool is not available or not allowed.
func (f *face) wasRefused(t tool.ErrorType, message string) bool {
	if t != tool.ErrPolicyViolation && t != tool.ErrNotRegistered && t != tool.ErrUnhandled {
		return false
	}
	if slices.Contains(f.refused, message) {
		return true
	}
	f.refused = append(f.refused, message)
	return false
}

// runError returns the error of the run as a whole. err is the error that ended its events.
func (f *face) runError(ctx context.Context, err error) error {
	if f.isFatal {
		return f.eventErr
	}
	if f.isCancelled || err != nil && ctx.Err() != nil || errors.Is(err, context.Canceled) {
		var e *exit.Error
		if errors.As(context.Cause(ctx), &e) {
			return e
		}
		return errCancelled()
	}
	if err == nil {
		err = f.eventErr
	}
	return err
}

// finish writes the remaining output and returns the error for the caller.
func (f *face) finish(err error) error {
	lost := f.out.close()
	switch {
	case err != nil:
		return &exit.Shown{Err: err}
	case lost == nil:
		return nil
	case isClosedPipe(lost):
		return ErrClosed
	}
	err = &exit.Error{Code: exit.General, Message: "Cannot write the answer: " + lost.Error(), Err: lost}
	f.err.line(err.Error())
	return &exit.Shown{Err: err}
}

// printErr writes a line to Err, after all earlier output to Out.
func (f *face) printErr(line string) {
	f.out.endLine()
	f.out.flush()
	f.err.line(terminal.Visible(terminal.Brief(line)))
}

// announceCancel writes a line to Err if a cancelled run does not end within
// cancelNoticeDelay. Calling stop ends the watch.
func (f *face) announceCancel(ctx context.Context) (stop func()) {
	over, done := make(chan struct{}), make(chan struct{})
	unregister := context.AfterFunc(ctx, func() {
		defer close(done)
		select {
		case <-time.After(cancelNoticeDelay):
			if !f.out.hasFailed() {
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

// cancelNoticeDelay is the time after which the end of a cancelled run is announced.
const cancelNoticeDelay = 200 * time.Millisecond

// RenderError renders an error that no face has shown, as [RenderFailure] renders that of a run. isForPeople prints a line
// for people to Err in every format. The code of a provider's response is its HTTP status.
func RenderError(o Options, err error, isForPeople bool) {
	f := newFace(o)
	kind, message := exit.TypeOf(err), terminal.Brief(wording.Summary(err))
	x := explanation{
		line: terminal.Brief(wording.Error(err)), isFatal: true, alwaysLine: isForPeople, code: int(exit.CodeOf(err)),
		kind: kind, message: message, streamKind: kind, streamMessage: message,
	}
	var api *llm.Error
	if errors.As(err, &api) {
		x.message, x.details = terminal.Brief(api.Error()), api.Body
		if api.Status != 0 {
			x.code = api.Status
		}
	}
	f.enc.early(x)
	_ = f.out.close() // there is no other place to report it
}
