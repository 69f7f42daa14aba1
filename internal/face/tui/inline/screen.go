// Package inline draws at the bottom of a terminal's main screen, and leaves the screen above to the terminal: its
// scrollback, selection and search work as for every other program.
//
// A [Screen] has a live area, which changes, and prints finished lines above it, once. [Screen.Frame] returns the bytes that
// lead from one state to the next: those of the cells that differ. Finished lines are rows above the live area that
// stay: the rows below move with their content, so that the composer is not drawn again. Lines that the terminal has to break take
// one erasure of the live area, the lines, and the live area again. Nothing is addressed from the top of the screen, because its distance is unknown; the
// screen is never cleared.
//
// A Screen does not write. The caller writes all bytes of a frame before those of the next one, in raw mode.
package inline

import (
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"pollux/internal/face/tui/styled"
)

// Options describes a terminal.
type Options struct {
	Width, Height int                  // in cells; sizes below 1 count as 1
	Colors        colorprofile.Profile // that it can show
	Synchronizes  bool                 // it shows a frame at once: mode 2026
	KeepsRows     bool                 // a change of its width does not rewraps rows
}

// Frame is the live area.
type Frame struct {
	// Lines are the rows from top to bottom. A line wider than the terminal is cut. If there are more lines than the terminal has
	// rows but one, the first ones are left out.
	Lines []styled.Line
	// Open is the number of the first lines that are work in progress. A screen that scrolls by itself keeps them behind the
	// finished lines.
	Open int
	// Cursor is the position of the cursor in Lines.
	Cursor Position
	// HidesCursor is set if nothing has the keyboard.
	HidesCursor bool
}

// Position is a row and a column, from 0.
type Position struct{ Row, Column int }

// Screen is the state of a terminal, as far as it was drawn.
type Screen struct {
	options  Options
	printing []styled.Line // finished lines for the next frame
	leaving  []styled.Line // finished lines before them that the next frame scrolls away

	rows      []row    // of the live area
	cursor    Position // of the terminal, in rows
	isHidden  bool     // the cursor
	isResized bool     // since the last frame
	isCleared bool     // since the last frame

	isRewrapped bool // the width has changed since the last frame

	above   []styled.Line // the last lines that were printed
	last    sentFrame     // the last frame
	inDoubt bool          // it matters in which width the terminal shows it
	strayed *sentFrame    // the last frame, if the terminal has shown it in another width
}

// New returns a screen whose live area begins in the row of the cursor.
func New(o Options) *Screen {
	o.Width, o.Height = max(o.Width, 1), max(o.Height, 1)
	return &Screen{options: o}
}

// Width returns the number of columns.
func (s *Screen) Width() int { return s.options.Width }

// Height returns the number of rows.
func (s *Screen) Height() int { return s.options.Height }

// SetAbilities changes the abilities that a terminal reports late.
func (s *Screen) SetAbilities(colors colorprofile.Profile, synchronizes, keepsRows bool) {
	if colors != s.options.Colors {
		s.isResized = true // draws each cell again
	}
	s.options.Colors, s.options.Synchronizes, s.options.KeepsRows = colors, synchronizes, keepsRows
}

// Resize notes that the terminal has another size. The next frame draws the whole live area.
func (s *Screen) Resize(width, height int) {
	s.isRewrapped = s.isRewrapped || width != s.options.Width
	s.options.Width, s.options.Height = max(width, 1), max(height, 1)
	s.isResized = true
}

// Print puts finished lines above the live area with the next frame. The terminal breaks those that are too wide, and knows that
// they are one line when they are copied.
func (s *Screen) Print(lines ...styled.Line) { s.printing = append(s.printing, lines...) }

// Frame returns the bytes that print the finished lines and show f as the live area, nil if nothing changes.
func (s *Screen) Frame(f Frame) []byte {
	p := painter{cursor: s.cursor, highest: s.cursor.Row, width: s.options.Width, colors: s.options.Colors}
	rows, cursor := s.layOut(f)
	above, fits := s.finished(len(rows))
	sent, isSteady := sentFrame{rows: s.rows, cursor: s.cursor}, false
	switch {
	case s.strayed != nil:
		row, lines := s.strayed.place(s.options.Width, s.options.Height)
		p.cursor = Position{row, s.options.Width} // in whatever column
		s.above = s.above[:max(len(s.above)-len(lines), 0)]
		s.printing = append(lines, s.printing...)
		sent.rows, sent.cursor = nil, Position{row, 0}
	case s.isResized && !s.options.KeepsRows:
		p.cursor.Row = reflowedRow(s.rows, s.cursor, s.options.Width)
	}
	sent.above, sent.lines = s.above, s.printing
	switch {
	case s.isResized, s.isCleared, !fits && len(s.printing) > 0:
		sent.live = s.printAbove(&p, rows)
	default:
		isSteady = s.isSteady(rows, cursor)
		shown := slices.Concat(above, rows)
		moved := p.shift(s.rows, findShift(s.rows, shown))
		p.paint(p.scroll(moved, findScroll(moved, shown)), shown, len(above))
		p.cursor.Row -= len(above)
	}
	p.moveTo(cursor)
	if f.HidesCursor != s.isHidden {
		p.showCursor(!f.HidesCursor)
	}
	sent.bytes = p.bytes
	s.last, s.inDoubt = sent, !isSteady
	s.keepAbove()
	s.rows, s.cursor, s.isHidden, s.isResized, s.isRewrapped, s.isCleared, s.strayed = rows, cursor, f.HidesCursor, false, false, false, nil
	s.printing, s.leaving = nil, nil
	return p.frame(s.options.Synchronizes)
}

// printAbove erases the live area, prints the finished lines, and paints the live area again. It returns the number of bytes before that.
func (s *Screen) printAbove(p *painter, rows []row) int {
	p.moveTo(Position{})
	if len(s.rows) > 0 || s.strayed != nil {
		p.eraseBelow()
	}
	for _, line := range s.leaving {
		p.print(line)
	}
	if s.isCleared {
		p.scrollAway(s.options.Height)
	}
	for _, line := range s.printing {
		p.print(line)
	}
	p.cursor = Position{}
	begins := len(p.bytes)
	p.paint(nil, rows, 0)
	return begins
}

// layOut returns the rows of a frame that the terminal has room for, and the position of the cursor in them.
func (s *Screen) layOut(f Frame) ([]row, Position) {
	lines, cursor := f.Lines, f.Cursor
	if hidden := len(lines) - max(s.options.Height-1, 1); hidden > 0 {
		lines = lines[hidden:]
		cursor.Row -= hidden
	}
	rows := make([]row, len(lines))
	for i, line := range lines {
		if !s.isResized && i < len(s.rows) && slices.Equal(s.rows[i].line, line) {
			rows[i] = s.rows[i]
			continue
		}
		rows[i] = newRow(line, s.options.Width)
	}
	cursor.Row = max(0, min(cursor.Row, len(rows)-1))
	cursor.Column = max(0, min(cursor.Column, s.options.Width-1))
	return rows, cursor
}

// reflowedRow returns the row of the cursor, counted from the top of the live area, after the terminal has wrapped the rows for another width.
// Rows that are not known are taken for short ones.
func reflowedRow(rows []row, cursor Position, width int) int {
	n := max(cursor.Row-len(rows), 0)
	for _, r := range rows[:min(cursor.Row, len(rows))] {
		n += r.height(width)
	}
	return n + cursor.Column/width
}

// Clear makes the next frame move all rows into the scrollback, with the finished lines up to now. The frame begins in the first
// row.
func (s *Screen) Clear() {
	s.leaving, s.printing, s.isCleared = append(s.leaving, s.printing...), nil, true
}

// Erase returns the bytes that print the finished lines and remove the live area, for the end or for another program that
// gets the terminal. The next frame begins in the row of the cursor.
func (s *Screen) Erase() []byte { return s.Frame(Frame{}) }

// Below returns the bytes that move the cursor from its place in the last frame to the row below the live area, "" without one.
func (s *Screen) Below() string {
	if len(s.rows) == 0 {
		return ""
	}
	return strings.Repeat("\n", max(len(s.rows)-s.cursor.Row, 1)) + "\r"
}
