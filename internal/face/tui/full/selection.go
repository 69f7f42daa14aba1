package full

import "pollux/internal/face/tui/styled"

// selection is the text between two places, which the user marks with the mouse.
type selection struct {
	start, end place // of the character where the button was pressed, within rows
	from, to   place // of the selected text
	row        int   // where the button was pressed, -1 after scrolling
	isOpen     bool  // the button is down
	isSet      bool  // the mouse has moved since
}

// mark returns a row that begins at a place, with the selected part in reverse.
func (s *selection) mark(row styled.Line, p place) styled.Line {
	if !s.isSet {
		return row
	}
	from, to := s.from, s.to
	if p.line < from.line || p.line > to.line {
		return row
	}
	start, end := 0, len(row.String())
	if p.line == from.line {
		start = max(from.start-p.start, 0)
	}
	if p.line == to.line {
		end = min(to.start-p.start, end)
	}
	return reversed(row, start, end)
}

// reversed returns a line with the bytes from start to end in reverse.
func reversed(l styled.Line, start, end int) (out styled.Line) {
	at := 0
	for _, s := range l {
		from, to := min(max(start-at, 0), len(s.Text)), min(max(end-at, 0), len(s.Text))
		to = max(from, to)
		at += len(s.Text)
		for i, text := range [...]string{s.Text[:from], s.Text[from:to], s.Text[to:]} {
			if text == "" {
				continue
			}
			one := s
			one.Text = text
			if i == 1 {
				one.Style.Attrs ^= styled.Reverse
			}
			out = append(out, one)
		}
	}
	return out
}

// locate returns the place of a cell. Behind the lines it is their end. isAfter counts the character in the cell as before it.
func (b *backlog) locate(row, column int, isAfter bool) place {
	if len(b.shown) == 0 || row >= len(b.shown) {
		return place{line: b.bound()}
	}
	p := b.shown[max(row, 0)]
	part := b.part(p.line, p.start, b.endOf(p))
	if isAfter {
		column++
	}
	head, _ := part.Split(max(column, 0))
	n := len(head.String())
	if isAfter && head.Width() < column && n < len(part.String()) { // the second cell of a wide character
		head, _ = part.Split(column + 1)
		n = len(head.String())
	}
	return place{p.line, p.start + n}
}

// press begins a selection at a cell, and ends the one before.
func (b *backlog) press(row, column int) {
	b.marked = selection{start: b.locate(row, column, false), end: b.locate(row, column, true), row: row, isOpen: true}
}

// drag extends the selection to a cell. Another row at the edge of the screen scrolls.
func (b *backlog) drag(row, column int) {
	m := &b.marked
	if !m.isOpen {
		return
	}
	if row = max(min(row, b.height-1), 0); row != m.row {
		b.scrollAt(row)
	}
	m.from, m.to = m.start, b.locate(row, column, true)
	if at := b.locate(row, column, false); at.isBefore(m.start) {
		m.from, m.to = at, m.end
	}
	m.isSet = m.isSet || m.from != m.start || m.to != m.end
}

// scrollAt scrolls if the row is the first or the last one of the screen.
func (b *backlog) scrollAt(row int) {
	switch {
	case row == 0:
		b.scroll(-1)
	case row == b.height-1 && b.isBack:
		b.scroll(1)
	default:
		return
	}
	b.marked.row = -1
}

// release ends the selection, and reports whether it has a text.
func (b *backlog) release() bool {
	wasOpen := b.marked.isOpen
	b.marked.isOpen = false
	return wasOpen && b.selected() != ""
}

// selected returns the selected text, "" for none.
func (b *backlog) selected() string {
	if !b.marked.isSet {
		return ""
	}
	return b.text(b.marked.from, b.marked.to)
}
