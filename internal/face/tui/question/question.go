// Package question draws a [kit.Question], and turns keys into its answer.
//
// A question opens for answers once it is on the screen and no key has come for a while: see [Open]. A key that comes
// before was meant for something else, and the caller keeps it for the draft. No letter chooses an answer.
package question

import (
	"slices"
	"strings"
	"time"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/diff"
	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

// Dialog is a question on the screen. [Open] returns one.
type Dialog interface {
	// Question returns the question.
	Question() *kit.Question
	// Shown notes that the question is on the screen since a time. Keys that arrived before are ignored.
	Shown(at time.Time)
	// PauseEnds returns the time at which the question opens for answers if no key comes until then. ok is false if it is
	// open, or not on the screen.
	PauseEnds() (at time.Time, ok bool)
	// Rest notes that no key has come until now.
	Rest(now time.Time)
	// Distract notes that the user typed a key for something else. The pause begins again.
	Distract(e keys.Event)
	// Handle takes a key or a paste.
	Handle(e keys.Event, b *keys.Bindings) Outcome
	// IsWaiting reports whether the dialog waits [choice.NumberWait] for another digit, and then for Expire.
	IsWaiting() bool
	// Expire ends the wait for another digit.
	Expire() Outcome
	// Written returns the text that the user has written for the answer, without secrets.
	Written() string
	// View returns the dialog in width columns and at most height rows, if that is possible: the possible answers and two
	// lines of the subject are always shown.
	View(width, height int, t theme.Theme) View
}

// Pause is the usual time without a key before a question takes an answer. A user who types does not pause for so long
// between two keys of a word, and takes longer to read a question.
const Pause = 250 * time.Millisecond

// Open returns the dialog of a question, with hints for the keys of b, and with changes of files in a layout. It takes an answer once the question was on the
// screen for the time of a pause without a key. Its last line lists the keys from then on, and is empty before.
func Open(q *kit.Question, b *keys.Bindings, layout diff.Layout, pause time.Duration) Dialog {
	shared := opened{question: q, bindings: b, layout: layout, pause: pause}
	if q.Options == nil {
		return newForm(shared)
	}
	return newMenu(shared)
}

// View is the dialog on the screen.
type View struct {
	Lines  []styled.Line
	Cursor inline.Position // of the text, if HasText
	// HasText is set while the user writes a text.
	HasText bool
}

// Outcome is the effect of a key.
type Outcome interface{ outcome() }

// Ignored means that the dialog has no use for the key.
type Ignored struct{}

// Changed means that the dialog looks different, perhaps.
type Changed struct{}

// Answered has the answer.
type Answered struct{ Answer tool.Answer }

// EditorNeeded asks the caller to open the user's editor for the first block of the question. [kit.Option.Answer] takes
// the edited text.
type EditorNeeded struct{ Option *kit.Option }

func (Ignored) outcome()      {}
func (Changed) outcome()      {}
func (Answered) outcome()     {}
func (EditorNeeded) outcome() {}

// refused is the outcome of the key that refuses to answer.
func refused() Outcome { return Answered{tool.Answer{Outcome: tool.Cancel}} }

// opened is the part that all dialogs share.
type opened struct {
	question *kit.Question
	bindings *keys.Bindings // for hints
	layout   diff.Layout    // of changes of files
	pause    time.Duration
	shown    time.Time // zero until the question is on the screen
	last     time.Time // of the last key that was for something else, or shown
	isOpen   bool      // the pause is over, as far as the screen shows
}

// joined returns the texts that are not blank as one.
func joined(texts []string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" }), "\n\n")
}

// Question implements [Dialog].
func (o *opened) Question() *kit.Question { return o.question }

// Shown implements [Dialog].
func (o *opened) Shown(at time.Time) {
	if o.shown.IsZero() {
		o.shown = at
		o.restart(at)
	}
}

// PauseEnds implements [Dialog].
func (o *opened) PauseEnds() (at time.Time, ok bool) {
	return o.last.Add(o.pause), !o.shown.IsZero() && !o.isOpen
}

// Rest implements [Dialog].
func (o *opened) Rest(now time.Time) {
	if end, ok := o.PauseEnds(); ok && !now.Before(end) {
		o.isOpen = true
	}
}

// Distract implements [Dialog].
func (o *opened) Distract(e keys.Event) {
	if at, ok := timeOf(e); ok {
		o.restart(at)
	}
}

// restart begins the pause at a time.
func (o *opened) restart(at time.Time) {
	if at.After(o.last) {
		o.last = at
	}
	o.isOpen = o.pause == 0
}

// takes reports whether an event is a key or a paste that arrived after the pause. One that arrives earlier begins the
// pause again.
func (o *opened) takes(e keys.Event) bool {
	at, ok := timeOf(e)
	switch {
	case !ok || o.shown.IsZero() || at.Before(o.shown):
		return false
	case at.Before(o.last.Add(o.pause)):
		o.restart(at)
		return false
	}
	o.isOpen = true
	return true
}

// timeOf returns the time of a key or a paste, and false for another event.
func timeOf(e keys.Event) (at time.Time, ok bool) {
	switch e := e.(type) {
	case keys.Key:
		return e.At, true
	case keys.Paste:
		return e.At, true
	}
	return time.Time{}, false
}
