// Package vim has the modes of vi for the text that the user writes: it turns the keys of NORMAL and VISUAL mode into
// movements and edits of a [buffer.Buffer].
//
// In NORMAL mode, keys that type a character never insert it. Chords with Ctrl, Alt or Cmd are left to the caller, but
// for Ctrl+R, which repeats an undone edit, and Ctrl+[, which is Esc.
package vim

import (
	"time"

	"pollux/internal/face/tui/buffer"
	"pollux/internal/face/tui/keys"
)

// Mode is the mode in which keys are read, with a pending command, the register, and the last edit. The zero value is
// INSERT mode.
type Mode struct {
	kind    kind
	pending pending
	found   find      // of the last f, F, t or T
	column  column    // that j and k keep
	anchor  int       // the other end of the selection
	escaped time.Time // when Esc was pressed last in NORMAL mode

	register register
	last     command // the last edit, for "."
	session  session
	typed    buffer.Clip // the text that the last edit inserted
}

type kind uint8

const (
	insert kind = iota
	normal
	visual
	visualLine
)

// Outcome is the effect of a key.
type Outcome uint8

// Outcomes.
const (
	Ignored         Outcome = iota // the mode has no use for the key: handle it as without vi, Enter included
	Handled                        // the text, the cursor or the mode may have changed
	ClearInput                     // Esc was pressed twice in NORMAL mode: clear the text
	HistoryPrevious                // k at the start of the first row: show the previous prompt
	HistoryNext                    // j at the end of the last row: show the next prompt
)

// escPause is the time in which two presses of Esc belong together.
const escPause = 500 * time.Millisecond

// Name returns the name of the mode for the screen: "INSERT", "NORMAL" or "VISUAL".
func (m *Mode) Name() string {
	switch m.kind {
	case insert:
		return "INSERT"
	case normal:
		return "NORMAL"
	}
	return "VISUAL"
}

// Handle takes a key.
func (m *Mode) Handle(k keys.Key, b *buffer.Buffer) Outcome {
	if isEscape(k.Chord) {
		return m.escape(k.At, b)
	}
	m.escaped = time.Time{}
	if m.kind == insert {
		return Ignored
	}
	m.Settle(b)
	key := keyOf(k)
	switch {
	case key == "" || key == "<redo>" && m.kind != normal:
		m.pending = pending{}
		return Ignored
	case m.pending.prefix != "" && k.Text == "": // no character
		m.pending = pending{}
		return Handled
	}
	c, isComplete := m.pending.add(key, m.kind)
	if !isComplete {
		return Handled
	}
	m.pending = pending{}
	return m.run(c, b)
}

// Settle adapts the mode to changes of the text by others, such as another prompt of the history: it moves the cursor
// of NORMAL mode from the end of a line to its last character, and ends VISUAL mode in an empty text.
func (m *Mode) Settle(b *buffer.Buffer) {
	m.anchor = min(m.anchor, b.Len())
	if m.kind == insert {
		return
	}
	if b.Len() == 0 {
		m.kind = normal
	}
	if at := onCharacter(b, b.Cursor()); m.kind == normal && at != b.Cursor() {
		b.MoveTo(at)
	}
}

// onCharacter returns a position, or the one of the last character if it is the end of a line with text.
func onCharacter(b *buffer.Buffer, at int) int {
	if at == b.LineEnd(at) && at > b.LineStart(at) {
		return b.Prev(at)
	}
	return at
}

// isEscape reports whether a chord is Esc, which some terminals report as Ctrl+[.
func isEscape(c keys.Chord) bool {
	return c == keys.Chord{Code: keys.Escape} || c == keys.Chord{Mods: keys.Ctrl, Code: '['}
}

// escape ends the mode or the pending command.
func (m *Mode) escape(at time.Time, b *buffer.Buffer) Outcome {
	last := m.escaped
	m.escaped = time.Time{}
	switch {
	case m.kind == insert:
		m.leaveInsert(b)
	case m.kind != normal:
		m.kind = normal
		m.column = column{}
		m.Settle(b)
	case m.pending != pending{}:
	case !last.IsZero() && at.Sub(last) <= escPause && b.Len() > 0:
		return ClearInput
	default:
		m.escaped = at
		return Ignored
	}
	m.pending = pending{}
	return Handled
}

// keyOf returns the key as a command has it: the text that it types, or the command with the same effect; "" if there
// is none. The key that repeats an undone edit is "<redo>".
func keyOf(k keys.Key) string {
	switch k.Chord {
	case keys.Chord{Mods: keys.Ctrl, Code: 'r'}:
		return "<redo>"
	case keys.Chord{Code: keys.Left}, keys.Chord{Code: keys.Backspace}:
		return "h"
	case keys.Chord{Code: keys.Right}:
		return "l"
	case keys.Chord{Code: keys.Up}:
		return "k"
	case keys.Chord{Code: keys.Down}:
		return "j"
	case keys.Chord{Code: keys.Home}:
		return "<home>" // "0" could belong to a count
	case keys.Chord{Code: keys.End}:
		return "$"
	case keys.Chord{Code: keys.Delete}:
		return "x"
	}
	if k.Chord.Mods&(keys.Ctrl|keys.Alt|keys.Cmd) != 0 {
		return ""
	}
	return k.Text
}
