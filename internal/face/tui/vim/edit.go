package vim

import (
	"slices"
	"strings"
	"unicode"

	"pollux/internal/face/tui/buffer"
)

// operatorOf returns the operator with a motion for which an edit stands.
func operatorOf(name string) (c command, ok bool) {
	switch name {
	case "x":
		return command{operator: "d", name: "l"}, true
	case "X":
		return command{operator: "d", name: "h"}, true
	case "D":
		return command{operator: "d", name: "$"}, true
	case "C":
		return command{operator: "c", name: "$"}, true
	case "s":
		return command{operator: "c", name: "l"}, true
	case "S":
		return command{operator: "c", name: "line"}, true
	}
	return c, false
}

// isEdit reports whether a command without an operator is an edit, which "." repeats.
func (*Mode) isEdit(name string) bool {
	return len(name) == 1 && strings.Contains("xXDCsS~rJpPiaIAoO", name)
}

// edit carries out an edit. It returns false if it does not apply here.
func (m *Mode) edit(c command, b *buffer.Buffer) bool {
	if o, ok := operatorOf(c.name); ok {
		o.count = c.count
		return m.operate(o, b)
	}
	switch c.name {
	case "~":
		m.swapCase(c, b)
	case "r":
		return m.replace(c, b)
	case "J":
		return m.join(c, b)
	case "p", "P":
		m.put(c, b)
	default:
		m.startInsert(c.name, b)
	}
	return true
}

// startInsert carries out an edit that only begins INSERT mode.
func (m *Mode) startInsert(name string, b *buffer.Buffer) {
	at := b.Cursor()
	switch name {
	case "a":
		if at < b.LineEnd(at) {
			b.Right()
		}
	case "I":
		b.MoveTo(b.FirstNonBlank(at))
	case "A":
		b.End()
	case "o":
		b.End()
		b.Replace(buffer.Range{Start: b.Cursor(), End: b.Cursor()}, "\n")
	case "O":
		b.Home()
		start := b.Cursor()
		b.Replace(buffer.Range{Start: start, End: start}, "\n")
		b.MoveTo(start)
	}
	m.enterInsert(b)
}

// swapCase changes the case of characters of the line, but not of placeholders.
func (m *Mode) swapCase(c command, b *buffer.Buffer) {
	for range c.times() {
		r := m.characters(command{}, b)
		text := b.Text(r)
		if swapped := strings.Map(swapCase, text); swapped != text && !isPlaceholder(b, r) {
			b.Replace(r, swapped)
		} else {
			b.MoveTo(r.End)
		}
	}
}

func isPlaceholder(b *buffer.Buffer, r buffer.Range) bool {
	return slices.Contains(b.Tokens(), buffer.Token{Range: r, Kind: buffer.Pasted})
}

func swapCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

// characters returns the range of as many characters as the count says, or fewer if the line ends before.
func (*Mode) characters(c command, b *buffer.Buffer) buffer.Range {
	return buffer.Range{Start: b.Cursor(), End: sideways(b, command{name: "l", count: c.count})}
}

// replace writes a character in place of each of several ones. It returns false if the line has fewer.
func (m *Mode) replace(c command, b *buffer.Buffer) bool {
	n, r := 0, m.characters(c, b)
	for at := r.Start; at < r.End; at = b.Next(at) {
		n++
	}
	if n < c.times() {
		return false
	}
	b.Replace(r, strings.Repeat(c.argument, n))
	b.Left()
	return true
}

// join joins lines with a space between them. It returns false in the last line.
func (m *Mode) join(c command, b *buffer.Buffer) bool {
	number := b.LineNumber(b.Cursor())
	n := min(max(c.times()-1, 1), b.LineCount()-1-number)
	for range n {
		end := b.Line(number).End
		next := b.FirstNonBlank(end + 1)
		separator := " "
		if end == b.Line(number).Start || isBlank(b, b.Prev(end)) || next == b.LineEnd(next) || b.Text(buffer.Range{Start: next, End: b.Next(next)}) == ")" {
			separator = ""
		}
		b.Replace(buffer.Range{Start: end, End: next}, separator)
		b.MoveTo(end)
	}
	return n > 0
}
