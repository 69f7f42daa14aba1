package vim

import "pollux/internal/face/tui/buffer"

// register has the text that was deleted or copied last. Lines are without the line feed of the last one.
type register struct {
	clip    buffer.Clip
	isLines bool
}

// maxPut limits the text that one command inserts, in bytes.
const maxPut = 1 << 20

// put inserts the register behind the cursor, or before it for "P".
func (m *Mode) put(c command, b *buffer.Buffer) {
	size := len(m.register.clip.String())
	if size == 0 && !m.register.isLines {
		return
	}
	n := max(min(c.times(), maxPut/(size+1)), 1)
	if m.register.isLines {
		m.putLines(c.name == "P", n, b)
		return
	}
	at := b.Cursor()
	if c.name == "p" && at < b.LineEnd(at) {
		at = b.Next(at)
	}
	b.MoveTo(at)
	for range n {
		b.Put(buffer.Range{Start: b.Cursor(), End: b.Cursor()}, m.register.clip)
	}
	if end := b.Cursor(); b.LineNumber(at) == b.LineNumber(end) {
		b.MoveTo(b.Prev(end))
	} else {
		b.MoveTo(at)
	}
}

// putLines inserts the lines of the register n times below the line of the cursor, or above it.
func (m *Mode) putLines(isAbove bool, n int, b *buffer.Buffer) {
	start := b.LineStart(b.Cursor())
	insert := func(c buffer.Clip) { b.Put(buffer.Range{Start: b.Cursor(), End: b.Cursor()}, c) }
	feed := buffer.NewClip("\n")
	if isAbove {
		b.MoveTo(start)
	} else {
		b.End()
		start = b.Cursor() + 1
	}
	for range n {
		if !isAbove {
			insert(feed)
		}
		insert(m.register.clip)
		if isAbove {
			insert(feed)
		}
	}
	b.MoveTo(firstNonBlank(b, start))
}
