package buffer

// MoveTo moves the cursor to a position, or to the nearest one before it.
func (b *Buffer) MoveTo(at int) {
	b.cursor = b.floor(at)
	b.last = other
}

// Left moves the cursor one cluster to the left.
func (b *Buffer) Left() { b.MoveTo(b.Prev(b.cursor)) }

// Right moves the cursor one cluster to the right.
func (b *Buffer) Right() { b.MoveTo(b.Next(b.cursor)) }

// WordLeft moves the cursor to the beginning of the word before it, or from the start of a line to the end of the line
// above.
func (b *Buffer) WordLeft() { b.MoveTo(b.wordLeft(b.cursor)) }

// WordRight moves the cursor to the end of the word behind it, or from the end of a line to the start of the next line.
func (b *Buffer) WordRight() { b.MoveTo(b.wordRight(b.cursor)) }

// Home moves the cursor to the start of the line.
func (b *Buffer) Home() { b.MoveTo(b.LineStart(b.cursor)) }

// End moves the cursor to the end of the line.
func (b *Buffer) End() { b.MoveTo(b.LineEnd(b.cursor)) }

// ToStart moves the cursor to the start of the text.
func (b *Buffer) ToStart() { b.MoveTo(0) }

// ToEnd moves the cursor to the end of the text.
func (b *Buffer) ToEnd() { b.MoveTo(len(b.text)) }

// Up moves the cursor one row up, in the layout of the last call of Rows. Moves up and down that follow each other keep
// the column of the first one. In the first row, the cursor moves to the start of the text. Up returns false if the
// cursor is there.
func (b *Buffer) Up() bool {
	from, column := b.vertical()
	to, ok := b.rowBefore(from)
	if !ok {
		isMoved := b.cursor > 0
		b.ToStart()
		return isMoved
	}
	at := b.positionIn(to, column)
	if u, ok := b.tokenAround(at); ok {
		at = u.start
	}
	b.cursor, b.goal, b.last = at, column, movedVertically
	return true
}

// Down moves the cursor one row down, as Up does upwards. In the last row, the cursor moves to the end of the text.
// Down returns false if the cursor is there.
func (b *Buffer) Down() bool {
	from, column := b.vertical()
	to, ok := b.rowBehind(from)
	if !ok {
		isMoved := b.cursor < len(b.text)
		b.ToEnd()
		return isMoved
	}
	at := b.positionIn(to, column)
	if u, ok := b.tokenAround(at); ok {
		if at = u.start; at <= b.cursor {
			at = u.end
		}
	}
	b.cursor, b.goal, b.last = at, column, movedVertically
	return true
}

// vertical returns the cursor's row, and the column that vertical moves keep.
func (b *Buffer) vertical() (from row, column int) {
	from = b.rowAt(b.cursor)
	column = b.goal
	if b.last != movedVertically {
		column = b.columnOf(from)
	}
	return from, min(column, b.rowWidth()-1)
}
