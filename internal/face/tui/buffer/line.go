package buffer

import "bytes"

// LineStart returns the start of the line of a position.
func (b *Buffer) LineStart(at int) int {
	at = b.floor(at)
	if i := b.layoutIndex(at); i < len(b.layouts) && b.layouts[i].start <= at {
		return b.layouts[i].start
	}
	return bytes.LastIndexByte(b.text[:at], '\n') + 1
}

// LineEnd returns the end of the line of a position, before its line feed.
func (b *Buffer) LineEnd(at int) int {
	at = b.floor(at)
	if i := b.layoutIndex(at); i < len(b.layouts) && b.layouts[i].start <= at {
		return b.layouts[i].end
	}
	if n := bytes.IndexByte(b.text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(b.text)
}

// FirstNonBlank returns the position of the first character of a line that is neither space nor tab, or the end of the
// line.
func (b *Buffer) FirstNonBlank(at int) int {
	at = b.LineStart(at)
	for at < len(b.text) && (b.text[at] == ' ' || b.text[at] == '\t') {
		at++
	}
	return b.floor(at)
}

// LineCount returns the number of lines, at least 1.
func (b *Buffer) LineCount() int { return bytes.Count(b.text, []byte{'\n'}) + 1 }

// LineNumber returns the number of the line of a position, counted from 0.
func (b *Buffer) LineNumber(at int) int { return bytes.Count(b.text[:b.floor(at)], []byte{'\n'}) }

// Line returns the line with a number that counts from 0, without its line feed, or the first or last line if there is
// no such line.
func (b *Buffer) Line(number int) Range {
	start := 0
	for ; number > 0; number-- {
		n := bytes.IndexByte(b.text[start:], '\n')
		if n < 0 {
			break
		}
		start += n + 1
	}
	return Range{start, b.LineEnd(start)}
}

// FindInLine returns the position of the n-th occurrence of a cluster behind a position in its line, or before it if n
// is negative. ok is false if there are fewer.
func (b *Buffer) FindInLine(at int, cluster string, n int) (found int, ok bool) {
	start, end := b.LineStart(at), b.LineEnd(at)
	step, left := b.Next, n
	if n < 0 {
		step, left = b.Prev, -n
	}
	for left > 0 {
		next := step(at)
		if next == at || next < start || next >= end {
			return 0, false
		}
		if at = next; string(b.text[at:b.Next(at)]) == cluster {
			left--
		}
	}
	return at, n != 0
}
