package vim

import (
	"strings"

	"pollux/internal/face/tui/buffer"
)

// part is the part of the text that an operator takes. A part that isLines has whole lines, without the line feed of
// the last.
type part struct {
	buffer.Range
	isLines bool
	first   int // the selected position in the first line
}

// partOf returns the part with exactly a range.
func partOf(r buffer.Range) part { return part{Range: r, first: r.Start} }

// operate applies an operator to the text that the rest of the command selects. It returns false if that is none.
func (m *Mode) operate(c command, b *buffer.Buffer) bool {
	p, ok := m.part(c, b)
	if !ok {
		return false
	}
	if p.isLines || p.Start < p.End {
		m.register = register{clip: b.Copy(p.Range), isLines: p.isLines}
	}
	switch c.operator {
	case "y":
		b.MoveTo(p.first)
	case "c":
		b.Put(p.Range, buffer.Clip{})
		b.MoveTo(p.Start)
		m.enterInsert(b)
	case "d":
		m.remove(p, b)
	}
	return true
}

// remove deletes a part of the text, with a line feed if it has lines.
func (m *Mode) remove(p part, b *buffer.Buffer) {
	if !p.isLines {
		b.Put(p.Range, buffer.Clip{})
		b.MoveTo(p.Start)
		return
	}
	switch {
	case p.End < b.Len():
		p.End = b.Next(p.End)
	case p.Start > 0:
		p.Start = b.Prev(p.Start)
	}
	b.Put(p.Range, buffer.Clip{})
	b.MoveTo(firstNonBlank(b, p.Start))
}

// part returns the part of the text that a command selects for its operator.
func (m *Mode) part(c command, b *buffer.Buffer) (part, bool) {
	at := b.Cursor()
	if c.name == "line" {
		last := b.Line(b.LineNumber(at) + c.times() - 1).Start
		return linesOf(b, at, last), c.times() == 1 || last > at
	}
	if c.name == "selection" {
		return c.shape.part(b), true
	}
	if r, ok := object(c, b); ok {
		return adjusted(b, c.operator, r), true
	}
	if p, ok := changedWord(c, b); ok {
		return p, true
	}
	t, ok := m.motion(c, b)
	if !ok {
		return part{}, false
	}
	r := buffer.Range{Start: min(at, t.at), End: max(at, t.at)}
	switch t.kind {
	case lines:
		return linesOf(b, r.Start, r.End), true
	case inclusive:
		if r.End < b.LineEnd(r.End) {
			r.End = b.Next(r.End)
		}
		return deletable(b, c.operator, r), true
	}
	return adjusted(b, c.operator, r), true
}

// linesOf returns all lines between two positions.
func linesOf(b *buffer.Buffer, first, last int) part {
	return part{buffer.Range{Start: b.LineStart(first), End: b.LineEnd(last)}, true, first}
}

// adjusted returns the part between two positions. One that ends at the start of a line ends with the line before it;
// if only blanks precede its start too, it becomes lines.
func adjusted(b *buffer.Buffer, operator string, r buffer.Range) part {
	if b.LineNumber(r.Start) == b.LineNumber(r.End) {
		return partOf(r)
	}
	if r.End == b.LineStart(r.End) {
		if r.End = b.Prev(r.End); r.Start <= b.FirstNonBlank(r.Start) {
			return linesOf(b, r.Start, r.End)
		}
	}
	return deletable(b, operator, r)
}

// deletable returns the part of a range. If only blanks would remain of several lines, "d" takes them as well.
func deletable(b *buffer.Buffer, operator string, r buffer.Range) part {
	rest := b.Text(buffer.Range{Start: r.End, End: b.LineEnd(r.End)})
	if operator == "d" && b.LineNumber(r.Start) < b.LineNumber(r.End) && r.Start <= b.FirstNonBlank(r.Start) && strings.Trim(rest, blanks) == "" {
		return linesOf(b, r.Start, r.End)
	}
	return partOf(r)
}

// changedWord returns the part for cw and cW on a word: the blanks behind the word stay.
func changedWord(c command, b *buffer.Buffer) (part, bool) {
	at := b.Cursor()
	if c.operator != "c" || c.name != "w" && c.name != "W" || at == b.LineEnd(at) || isBlank(b, at) {
		return part{}, false
	}
	isBig := c.name == "W"
	end := min(b.NextWord(at, isBig), b.LineEnd(at))
	for end > at && isBlank(b, b.Prev(end)) {
		end = b.Prev(end)
	}
	last := repeatMove(b.Prev(end), c.times()-1, func(at int) int { return b.WordEnd(at, isBig) })
	return partOf(buffer.Range{Start: at, End: b.Next(last)}), true
}
