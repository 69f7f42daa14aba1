// Package buffer has the text that a user edits in the composer: the text itself, the cursor, undo, the kill ring,
// pasted blocks behind placeholders, and the breaking of lines into rows of the screen. It knows no keys and no styles.
//
// Positions are byte offsets in the shown text; see [Buffer.Shown]. They are always between two grapheme clusters: an
// emoji of several characters, a letter with its accents, and a placeholder are one step of the cursor.
package buffer

import "slices"

// Buffer is a text with a cursor. The zero value is empty and ready to use. It is not safe for concurrent use.
type Buffer struct {
	// EscapeAt makes Paste write each @ of pasted text as \@, which names no file. [Buffer.Value] removes the
	// backslashes. It must not change while the buffer has pasted text.
	EscapeAt bool

	text   []byte // valid UTF-8 without control characters but tabs and line feeds
	cursor int
	units  []unit // sorted and apart; copied on every change, since steps and snapshots share it
	last   action

	undone []*step // steps to redo, the next one last
	done   []*step // steps to undo, the next one last
	open   *step   // the step that collects changes, nil for none

	ring []Clip // killed text, the newest last
	yank yank

	width   int       // of the layouts, 0 for unlimited
	layouts []*layout // of some lines, sorted
	top     int       // a position in the first visible row
	goal    int       // the column that Up and Down keep, valid while last is movedVertically

	tokens    []Token
	hasTokens bool
}

// Range is a part of the shown text, from Start up to but not including End.
type Range struct{ Start, End int }

// action is the kind of an operation. Some operations continue the one before if it was of their kind.
type action int

const (
	other           action = iota
	typed                  // the next character of the word joins the undo step
	killed                 // the next kill joins the kill ring's entry
	yanked                 // YankPop replaces the text
	movedVertically        // the next vertical move keeps the column
)

// Shown returns the text as shown, with placeholders in place of pasted blocks.
func (b *Buffer) Shown() string { return string(b.text) }

// Text returns a part of the shown text.
func (b *Buffer) Text(r Range) string {
	r = b.fit(r)
	return string(b.text[r.Start:r.End])
}

// Len returns the length of the shown text in bytes.
func (b *Buffer) Len() int { return len(b.text) }

// Cursor returns the position of the cursor.
func (b *Buffer) Cursor() int { return b.cursor }

// fit returns r within the text and in order, extended to whole clusters. An empty range stays empty.
func (b *Buffer) fit(r Range) Range {
	start, end := min(r.Start, r.End), max(r.Start, r.End)
	if start == end {
		at := b.floor(start)
		return Range{at, at}
	}
	return Range{b.floor(start), b.ceil(end)}
}

// Snapshot is the state of a buffer without its undo steps and kill ring. The zero value is that of an empty buffer.
type Snapshot struct {
	text   string
	cursor int
	units  []unit
}

// Snapshot returns the text with its placeholders, and the cursor.
func (b *Buffer) Snapshot() Snapshot {
	return Snapshot{text: b.Shown(), cursor: b.cursor, units: b.units}
}

// Restore replaces the text, its placeholders and the cursor in one step that Undo takes back.
func (b *Buffer) Restore(s Snapshot) {
	b.step(func() {
		if s.text != string(b.text) || !slices.Equal(s.units, b.units) {
			b.splice(0, len(b.text), Clip{text: s.text})
		}
		b.units = s.units
		b.cursor = s.cursor
	})
	b.last = other
}
