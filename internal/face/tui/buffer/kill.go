package buffer

// maxKills is the number of entries of the kill ring.
const maxKills = 20

// yank is the text that Yank wrote last.
type yank struct {
	Range
	entry int // in the kill ring
}

// DeleteWordLeft kills the text from the beginning of the word before the cursor.
func (b *Buffer) DeleteWordLeft() { b.kill(b.wordLeft(b.cursor)) }

// DeleteWordRight kills the text to the end of the word behind the cursor.
func (b *Buffer) DeleteWordRight() { b.kill(b.wordRight(b.cursor)) }

// KillToStart kills the text between the start of the line and the cursor.
func (b *Buffer) KillToStart() { b.kill(b.LineStart(b.cursor)) }

// KillToEnd kills the text between the cursor and the end of the line, or the line break if the cursor is there.
func (b *Buffer) KillToEnd() {
	if end := b.LineEnd(b.cursor); end > b.cursor {
		b.kill(end)
	} else {
		b.kill(b.Next(end))
	}
}

// kill removes the text between the cursor and a position, and keeps it in the kill ring. Kills that follow each other
// make one entry.
func (b *Buffer) kill(to int) {
	if to == b.cursor {
		b.last = other
		return
	}
	c := b.Copy(Range{b.cursor, to})
	newest := len(b.ring) - 1
	switch {
	case b.last != killed:
		if b.ring = append(b.ring, c); len(b.ring) > maxKills {
			b.ring = append(b.ring[:0:0], b.ring[1:]...)
		}
	case to < b.cursor:
		b.ring[newest] = c.join(b.ring[newest])
	default:
		b.ring[newest] = b.ring[newest].join(c)
	}
	b.edit(Range{b.cursor, to}, Clip{})
	b.last = killed
}

// Yank writes the text that was killed last at the cursor. It returns false if there is none.
func (b *Buffer) Yank() bool {
	if len(b.ring) == 0 {
		b.last = other
		return false
	}
	b.yankEntry(Range{b.cursor, b.cursor}, len(b.ring)-1)
	return true
}

// YankPop replaces the text that Yank or YankPop has just written by the text that was killed before it, or by the
// newest if there is none. It returns false if the last operation was another one.
func (b *Buffer) YankPop() bool {
	if b.last != yanked {
		b.last = other
		return false
	}
	b.yankEntry(b.yank.Range, (b.yank.entry+len(b.ring)-1)%len(b.ring))
	return true
}

func (b *Buffer) yankEntry(r Range, entry int) {
	after := len(b.text) - r.End
	b.step(func() { b.write(r, b.ring[entry]) })
	b.yank = yank{Range{r.Start, len(b.text) - after}, entry}
	b.last = yanked
}
