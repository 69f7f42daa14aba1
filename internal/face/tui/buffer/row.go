package buffer

import "sort"

// row is a row of a line. The row behind the last one of the layout is the empty row of a cursor that is behind a full
// row.
type row struct {
	*layout
	index int
}

// isBefore reports whether r is above another row.
func (r row) isBefore(other row) bool {
	return r.start < other.start || r.start == other.start && r.index < other.index
}

// lastIndex returns the index of the last row of a line.
func (b *Buffer) lastIndex(l *layout) int {
	if b.cursor == l.end && l.tail >= b.rowWidth() {
		return len(l.rows) + 1
	}
	return len(l.rows)
}

// rowAt returns the row of a position: the next one if a row ends and the next begins there.
func (b *Buffer) rowAt(at int) row {
	l := b.layoutAt(at)
	if at == l.end {
		return row{l, b.lastIndex(l)}
	}
	return row{l, sort.SearchInts(l.rows, at-l.start+1)}
}

// rowBehind returns the row below r; false if r is the last one.
func (b *Buffer) rowBehind(r row) (row, bool) {
	if r.index < b.lastIndex(r.layout) {
		return row{r.layout, r.index + 1}, true
	}
	if r.end == len(b.text) {
		return r, false
	}
	return row{b.layoutAt(r.end + 1), 0}, true
}

// rowBefore returns the row above r; false if r is the first one.
func (b *Buffer) rowBefore(r row) (row, bool) {
	if r.index > 0 {
		return row{r.layout, r.index - 1}, true
	}
	if r.start == 0 {
		return r, false
	}
	l := b.layoutAt(r.start - 1)
	return row{l, b.lastIndex(l)}, true
}

// bounds returns the part of the text in a row.
func (b *Buffer) bounds(r row) (start, end int) {
	start, end = r.start, r.end
	if r.index > len(r.rows) {
		return end, end
	}
	if r.index > 0 {
		start += r.rows[r.index-1]
	}
	if r.index < len(r.rows) {
		end = r.start + r.rows[r.index]
	}
	return start, end
}

// columnOf returns the number of columns before the cursor in its row.
func (b *Buffer) columnOf(r row) (column int) {
	start, _ := b.bounds(r)
	for w := b.walk(start, b.cursor); w.at < b.cursor; {
		c := w.next()
		column += columns(c)
		w.at += len(c)
	}
	return column
}

// positionIn returns the last position in a row that is not behind a column. The end of a row belongs to the next one,
// except at the end of a line.
func (b *Buffer) positionIn(r row, column int) int {
	start, end := b.bounds(r)
	w := b.walk(start, end)
	for w.at < end {
		c := w.next()
		if column -= columns(c); column < 0 || w.at+len(c) == end && end < r.end {
			break
		}
		w.at += len(c)
	}
	return w.at
}
