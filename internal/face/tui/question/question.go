// Package question draws a [kit.Question], and turns keys into its answer.
//
// A key counts only if it arrived after the question was on the screen: see [Dialog]. One that was typed before was
// meant for something else, and the caller keeps it for the draft.
package question

import (
	"time"

	"pollux/internal/face/kit"
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
	// Handle takes a key or a paste.
	Handle(e keys.Event, b *keys.Bindings) Outcome
	// IsWaiting reports whether the dialog waits [choice.NumberWait] for another digit, and then for Expire.
	IsWaiting() bool
	// Expire ends the wait for another digit.
	Expire() Outcome
	// View returns the dialog in width columns and at most height rows, if that is possible: the possible answers and two
	// lines of the subject are always shown.
	View(width, height int, t theme.Theme) View
}

// Open returns the dialog of a question, with hints for the keys of b.
func Open(q *kit.Question, b *keys.Bindings) Dialog {
	shared := opened{question: q, bindings: b}
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
	shown    time.Time      // zero until the question is on the screen
}

// Question implements [Dialog].
func (o *opened) Question() *kit.Question { return o.question }

// Shown implements [Dialog].
func (o *opened) Shown(at time.Time) {
	if o.shown.IsZero() {
		o.shown = at
	}
}

// takes reports whether an event is a key or a paste that arrived while the question was on the screen.
func (o *opened) takes(e keys.Event) bool {
	var at time.Time
	switch e := e.(type) {
	case keys.Key:
		at = e.At
	case keys.Paste:
		at = e.At
	default:
		return false
	}
	return !o.shown.IsZero() && !at.Before(o.shown)
}
