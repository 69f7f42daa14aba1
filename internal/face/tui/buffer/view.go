package buffer

import "slices"

// View is the visible part of the text.
type View struct {
	Rows []Row // at least one
	// CursorRow is the row of the cursor in Rows, and CursorColumn the number of columns before it.
	CursorRow, CursorColumn int
	// HasAbove and HasBelow report whether there are rows before and behind the visible ones.
	HasAbove, HasBelow bool
}

// Row is one row of the screen.
type Row struct {
	Range
	// Text is the text of the range. It may have tabs, which take 4 columns each, and invisible characters, which take
	// none: the styled package shows both so.
	Text string
}

// spareLayouts is the number of layouts that are kept in addition to twice the visible ones.
const spareLayouts = 1024

// Rows breaks the text into rows of this width and returns at most maxRows of them, with the cursor's. The first row
// stays the same as long as the cursor is visible and the rows fill the view. Both numbers count as 1 if they are less.
func (b *Buffer) Rows(width, maxRows int) View {
	width, maxRows = max(width, 1), max(maxRows, 1)
	if width != b.width {
		b.width, b.layouts = width, nil
	}
	cursor := b.rowAt(b.cursor)
	rows := b.visible(cursor, maxRows)
	b.top, _ = b.bounds(rows[0])

	v := View{Rows: make([]Row, 0, len(rows))}
	for i, r := range rows {
		if r == cursor {
			v.CursorRow = i
		}
		start, end := b.bounds(r)
		v.Rows = append(v.Rows, Row{Range: Range{start, end}, Text: string(b.text[start:end])})
	}
	v.CursorColumn = b.columnOf(cursor)
	_, v.HasAbove = b.rowBefore(rows[0])
	_, v.HasBelow = b.rowBehind(rows[len(rows)-1])
	if len(b.layouts) > 2*maxRows+spareLayouts {
		first, last := rows[0].start, rows[len(rows)-1].end
		b.layouts = slices.DeleteFunc(b.layouts, func(l *layout) bool { return l.start > last || l.end < first })
	}
	return v
}

// Locate returns the position at a cell of the view that Rows returned last, or the nearest one.
func (b *Buffer) Locate(row, column int) int {
	at := b.rowAt(b.top)
	for ; row > 0; row-- {
		next, ok := b.rowBehind(at)
		if !ok {
			break
		}
		at = next
	}
	p := b.positionIn(at, max(column, 0))
	if u, ok := b.tokenAround(p); ok {
		return u.start
	}
	return p
}

// visible returns at most n rows that include the cursor's. They begin with the row of b.top if possible.
func (b *Buffer) visible(cursor row, n int) []row {
	rows := make([]row, 0, min(n, 64))
	top := b.rowAt(min(b.top, len(b.text)))
	hasCursor := false
	for r, ok := top, !cursor.isBefore(top); ok && len(rows) < n; r, ok = b.rowBehind(r) {
		rows = append(rows, r)
		hasCursor = hasCursor || r == cursor
	}
	if !hasCursor {
		rows = append(rows[:0], cursor)
		if !cursor.isBefore(top) { // it becomes the last one
			return b.fillAbove(rows, n)
		}
		for r, ok := b.rowBehind(cursor); ok && len(rows) < n; r, ok = b.rowBehind(r) {
			rows = append(rows, r)
		}
	}
	return b.fillAbove(rows, n)
}

// fillAbove adds rows before the first one until there are n.
func (b *Buffer) fillAbove(rows []row, n int) []row {
	var above []row
	for r, ok := b.rowBefore(rows[0]); ok && len(rows)+len(above) < n; r, ok = b.rowBefore(r) {
		above = append(above, r)
	}
	slices.Reverse(above)
	return append(above, rows...)
}
