package buffer

import (
	"bytes"
	"math"
	"slices"
	"sort"
)

// layout has the rows of one line of the text. Positions of rows are relative to its start.
type layout struct {
	start, end int   // of the line, without its line feed
	rows       []int // the starts of the rows behind the first
	tail       int   // the columns of the last row

	isStale            bool
	staleFrom, staleTo int // the part of the line that has changed, relative
}

// layoutAt returns the layout of the line of a position.
func (b *Buffer) layoutAt(at int) *layout {
	i := b.layoutIndex(at)
	if i < len(b.layouts) && b.layouts[i].start <= at {
		if l := b.layouts[i]; l.isStale {
			b.refresh(l)
		}
		return b.layouts[i]
	}
	l := &layout{start: bytes.LastIndexByte(b.text[:at], '\n') + 1, end: len(b.text)}
	if n := bytes.IndexByte(b.text[at:], '\n'); n >= 0 {
		l.end = at + n
	}
	b.refresh(l)
	b.layouts = slices.Insert(b.layouts, i, l)
	return l
}

// layoutIndex returns the index of the first layout that does not end before a position.
func (b *Buffer) layoutIndex(at int) int {
	return sort.Search(len(b.layouts), func(i int) bool { return b.layouts[i].end >= at })
}

// lookBack is the number of rows before a change that the change may break differently. The character that does not fit
// in a row is at most two rows below it: the row below may begin with the word before that character, and break behind
// the word.
const lookBack = 2

// refresh breaks the stale part of a line into rows, or all of it if it has no rows yet.
func (b *Buffer) refresh(l *layout) {
	first := sort.SearchInts(l.rows, l.staleFrom+1)
	rows := append(make([]int, 0, len(l.rows)+1), l.rows[:max(first-lookBack, 0)]...)
	unchanged := l.rows[sort.SearchInts(l.rows, l.staleTo+1):]
	l.isStale = false
	at := l.start
	if n := len(rows); n > 0 {
		at += rows[n-1]
	}
	for {
		next, columns := b.breakRow(at, l.end)
		if next == l.end {
			l.rows, l.tail = rows, columns
			return
		}
		if i, isKnown := slices.BinarySearch(unchanged, next-l.start); isKnown {
			l.rows = append(rows, unchanged[i:]...)
			return
		}
		rows = append(rows, next-l.start)
		at = next
	}
}

// breakRow returns the end of the row that begins at a position of a line with this end, and the columns of the row if
// it is the last one. A row ends behind a space or between wide characters if it can, else at any cluster.
func (b *Buffer) breakRow(at, end int) (next, column int) {
	width := b.rowWidth()
	chance := -1 // the last position where the row may end
	mayBreak, isWide := false, false
	for w := b.walk(at, end); w.at < end; {
		c := w.next()
		n := columns(c)
		isSpace := c[0] == ' ' || c[0] == '\t'
		if mayBreak || isWide && !isSpace {
			chance = w.at
		}
		if w.at > at && (column >= width || column+n > width) {
			if chance < 0 {
				chance = w.at
			}
			return chance, 0
		}
		w.at += len(c)
		column += n
		isInToken := w.isToken && w.at < w.limit
		mayBreak, isWide = isSpace && !isInToken, n >= 2 && !isSpace
	}
	return end, column
}

// rowWidth returns the width at which lines are broken.
func (b *Buffer) rowWidth() int {
	if b.width == 0 {
		return math.MaxInt / 2
	}
	return b.width
}

// shiftLayouts adapts the layouts to the replacement of a part of the text by n bytes. It drops those of lines that are
// joined or split.
func (b *Buffer) shiftLayouts(start, end, n int, hasBreak bool) {
	first := b.layoutIndex(start)
	kept := slices.DeleteFunc(b.layouts[first:], func(l *layout) bool {
		switch {
		case l.start > end:
			l.start += n - (end - start)
		case start >= l.start && end <= l.end && !hasBreak:
			l.change(start-l.start, end-l.start, n)
		default:
			return true
		}
		l.end += n - (end - start)
		return false
	})
	b.layouts = b.layouts[:first+len(kept)]
}

// change marks the replacement of a part of the line by n bytes.
func (l *layout) change(start, end, n int) {
	grown := n - (end - start)
	rows := l.rows[:0]
	for _, r := range l.rows {
		switch {
		case r <= start:
			rows = append(rows, r)
		case r > end:
			rows = append(rows, r+grown)
		}
	}
	l.rows = rows
	from, to := start, start+n
	if l.isStale {
		from = min(from, l.staleFrom)
		if l.staleTo > end {
			to = l.staleTo + grown
		}
	}
	l.isStale, l.staleFrom, l.staleTo = true, from, to
}
