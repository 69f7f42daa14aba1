// Package working has the status row above the input: a sign that Pollux is at work, the activity, and the time that it
// has taken.
package working

import (
	"cmp"
	"strings"
	"time"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/guard/hook"
	"pollux/internal/terminal"
)

// Compressing is the task of the /compress command, for [Row.SetTask].
const Compressing = "Compressing chat history"

// Options say how a row moves.
type Options struct {
	// IsStill replaces the spinner by a sign that does not move. The row then changes once a second.
	IsStill bool
	// frameTime is the time between two frames of the spinner; 0 means 80 ms.
	frameTime time.Duration
	// Wit returns a text to show beside "Thinking...", and Tip one for the right edge of the row, after a time of work; "" is
	// none. They may be nil.
	Wit, Tip func(elapsed time.Duration) string
}

// Row is the status row of the work in progress. The zero value is the row of an idle session. While a question to the
// user is open, its time stands still.
type Row struct {
	Options Options
	// Awaited is a note about a command that may wait for the user. It replaces the activity.
	Awaited string

	isBusy  bool
	isRun   bool // of the model
	watch   stopwatch
	model   string
	subject string // of the newest thought
	task    string
	hooks   []hook.Running
	delay   delay // of a request, nil for none
}

// Handle takes an event of the session, and the time at which it arrived.
func (r *Row) Handle(e kit.Event, at time.Time) {
	switch e := e.(type) {
	case kit.Began:
		*r = Row{Options: r.Options, isBusy: true, isRun: e.IsRun, hooks: r.hooks}
		r.watch.restart(at)
	case kit.Finished:
		r.watch.stop(at)
		*r = Row{Options: r.Options, watch: r.watch, hooks: r.hooks}
	case kit.Asked:
		r.watch.stop(at)
	case kit.HooksRunning:
		r.hooks = e.Hooks
	case kit.Ran:
		r.observe(e.Event, at)
	}
}

// Answered notes that the question of the last [kit.Asked] is closed: the user has answered it, or it is settled. The
// time in the row begins again at 0. Without an open question Answered does nothing.
func (r *Row) Answered(at time.Time) {
	if r.isBusy && r.watch.isStopped {
		r.watch.restart(at)
	}
}

// SetTask names the work in progress, such as [Compressing], until its end. Call it after the [kit.Began] of the work.
func (r *Row) SetTask(task string) {
	r.task = clean(task)
}

// Next returns the time after now at which the row changes without an event. It returns false if the row stays as it
// is.
func (r *Row) Next(now time.Time) (time.Time, bool) {
	if !r.isBusy || r.watch.isStopped {
		return time.Time{}, false
	}
	return r.watch.at(r.tick(now)+1, r.step()), true
}

// step returns the time between two states of the row.
func (r *Row) step() time.Duration {
	if r.Options.IsStill {
		return time.Second
	}
	return cmp.Or(max(r.Options.frameTime, 0), 80*time.Millisecond)
}

// tick returns the number of steps since the time in the row was 0.
func (r *Row) tick(now time.Time) int { return int(r.watch.lap(now) / r.step()) }

// Line returns the row in at most width columns, nil if nothing is in progress. The bindings name the key that cancels.
func (r *Row) Line(width int, now time.Time, t theme.Theme, b *keys.Bindings) styled.Line {
	if !r.isBusy || width < 1 {
		return nil
	}
	line := styled.Line{r.sign(now, t)}
	room := width - line.Width() - 1
	if room < 1 {
		return line
	}
	if !r.watch.isStopped {
		now = r.watch.at(r.tick(now), r.step()) // all parts change at the same moment
	}
	label := r.label(now, t)
	const enough = 10 // columns of the label that matter more than a note
	for _, note := range r.notes(now, b) {
		rest := room - terminal.Width(note)
		if note != "" && rest < min(label.Width(), enough) {
			continue
		}
		line = append(append(line, styled.Span{Text: " "}), label.Cut(rest)...)
		line = append(line, styled.Span{Text: note, Style: t.Secondary()})
		return AtRight(line, r.tip(now), width, t)
	}
	return line // not reached: the last note is empty
}

// frames are the states of the spinner.
var frames = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// sign returns the sign at the beginning of the row.
func (r *Row) sign(now time.Time, t theme.Theme) styled.Span {
	switch {
	case r.watch.isStopped:
		return styled.Span{Text: "?", Style: t.Warning()}
	case r.Options.IsStill:
		return styled.Span{Text: "•", Style: t.Accent()}
	}
	return styled.Span{Text: frames[r.tick(now)%len(frames)], Style: t.Accent()}
}

// label returns the activity.
func (r *Row) label(now time.Time, t theme.Theme) styled.Line {
	text, style, wit := thinking, t.Text(), ""
	hooks := clean(kit.HooksText(r.hooks, now))
	switch {
	case r.watch.isStopped:
		text = "Waiting for your answer"
	case r.Awaited != "":
		text, style = r.Awaited, t.Warning()
	case hooks != "":
		text = hooks
	case r.delay != nil:
		text, style = r.delay.text(now), t.Warning()
	case r.task != "":
		text = r.task
	case !r.isRun:
		text = generic
	case r.subject != "":
		text = r.subject
	case r.Options.Wit != nil:
		wit = clean(r.Options.Wit(r.watch.lap(now)))
	}
	line := styled.Of(text, style)
	if wit != "" {
		line = append(line, styled.Span{Text: " " + wit, Style: t.Comment()})
	}
	return line
}

// tip returns the text for the right edge of the row, "" for none.
func (r *Row) tip(now time.Time) string {
	if r.Options.Tip == nil || r.watch.isStopped {
		return ""
	}
	return clean(r.Options.Tip(r.watch.lap(now)))
}

// AtRight returns a line with a hint at the right edge of width columns. If there is no room for it, it is left out.
func AtRight(line styled.Line, hint string, width int, t theme.Theme) styled.Line {
	right := styled.Of(hint, t.Secondary())
	gap := width - line.Width() - right.Width()
	if hint == "" || gap < min(2, width) && len(line) > 0 || gap < 0 {
		return line
	}
	return append(append(line, styled.Span{Text: strings.Repeat(" ", gap)}), right...)
}

// Thought returns the subject of the model's newest thought while the model works, "" for none.
func (r *Row) Thought() string {
	if !r.isBusy || !r.isRun || r.watch.isStopped {
		return ""
	}
	return r.subject
}

// Labels of work without details.
const (
	generic  = "Working..."
	thinking = "Thinking..."
)

// notes returns the texts to show behind the label, the best one first and an empty one last.
func (r *Row) notes(now time.Time, b *keys.Bindings) []string {
	elapsed := seconds(r.watch.lap(now))
	short := " (" + elapsed + ")"
	hint := strings.ToLower(b.Hint(keys.BasicCancel))
	if hint == "" || r.watch.isStopped { // the key belongs to the question
		return []string{short, ""}
	}
	return []string{" (" + hint + " to cancel, " + elapsed + ")", short, ""}
}

// clean returns the beginning of foreign text on one clean line.
func clean(text string) string {
	const most = 300 // bytes
	return terminal.Title(terminal.Cut(text, most))
}
