package keys

import (
	"time"
	"unicode"
)

// Times within which an Enter key is not one that a person pressed.
const (
	typedEnterWait  = 30 * time.Millisecond // after a character
	pastedEnterWait = 40 * time.Millisecond // after a paste
	backslashWait   = 5 * time.Millisecond  // after "\": a key map of the terminal
)

// Guard tells an Enter key that submits from a line end in text that the terminal pastes without marks, and from a
// backslash with Enter, which key maps of terminals send for Shift+Enter, those of Gemini CLI with a line feed behind it. It knows only the times of the events. The
// zero Guard is ready to use.
type Guard struct {
	// IsPasteMarked turns off the guard against pasted line ends. Set it once the terminal confirmed bracketed paste, or
	// reports Enter apart from line ends: with kitty's protocol or modifyOtherKeys.
	IsPasteMarked bool

	typed     time.Time // of the last character or line end
	pasted    time.Time
	backslash time.Time
	shifted   time.Time // of the last ShiftedEnter
}

// EnterMeaning is the meaning of an event for a [Guard].
type EnterMeaning uint8

// Meanings of an event.
const (
	Literal      EnterMeaning = iota // the event itself: all events but some Enter keys
	LineBreak                        // the Enter key inserts a line break
	ShiftedEnter                     // with the backslash before it, which was input: Shift+Enter
	SecondEnd                        // the line feed behind a ShiftedEnter, which belongs to it: it is no key
)

// Check takes the next event and returns its meaning. Give it all events, in order.
func (g *Guard) Check(e Event) EnterMeaning {
	switch e := e.(type) {
	case Paste:
		if !e.IsClipboard {
			g.pasted = e.At
		}
	case Key:
		isSecond := e.Chord == (Chord{Ctrl, 'j'}) && isWithin(e.At, g.shifted, backslashWait)
		g.shifted = time.Time{}
		if isSecond {
			return SecondEnd
		}
		if e.Chord != (Chord{Code: Enter}) {
			g.noteKey(e)
			return Literal
		}
		meaning := g.enter(e.At)
		g.backslash = time.Time{}
		if meaning == ShiftedEnter {
			g.shifted = e.At
		}
		if meaning == LineBreak {
			g.typed = e.At // an empty line may follow
		}
		return meaning
	}
	return Literal
}

// noteKey remembers the time of a key that is not Enter.
func (g *Guard) noteKey(k Key) {
	g.typed, g.backslash = time.Time{}, time.Time{}
	for _, r := range k.Text {
		if unicode.IsPrint(r) {
			g.typed = k.At
		}
	}
	if k.Text == `\` {
		g.backslash = k.At
	}
}

// enter returns the meaning of an Enter key.
func (g *Guard) enter(at time.Time) EnterMeaning {
	switch {
	case isWithin(at, g.backslash, backslashWait):
		return ShiftedEnter
	case g.IsPasteMarked:
		return Literal
	case isWithin(at, g.typed, typedEnterWait), isWithin(at, g.pasted, pastedEnterWait):
		return LineBreak
	}
	return Literal
}

// isWithin reports whether at is no more than wait after the time of an event. The event may not have happened.
func isWithin(at, event time.Time, wait time.Duration) bool {
	return !event.IsZero() && !at.Before(event) && at.Sub(event) <= wait
}
