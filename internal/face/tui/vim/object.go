package vim

import (
	"strings"

	"pollux/internal/face/tui/buffer"
)

// object returns the range of a text object around the cursor. ok is false if there is none, or if the command is no
// object.
func object(c command, b *buffer.Buffer) (r buffer.Range, ok bool) {
	switch c.name {
	case "iw", "aw":
		return word(c, b)
	case `i"`, `a"`:
		return quoted(b, c.name == `a"`)
	case "i(", "i)":
		return inParentheses(b, c.times())
	case "a(", "a)":
		return parentheses(b, c.times())
	}
	return r, false
}

// run returns the longest range of characters of the same class in a line: the word, the signs or the blanks at a
// position.
func run(b *buffer.Buffer, at int) buffer.Range {
	start, end := at, b.Next(at)
	if isBlank(b, at) {
		for first := b.LineStart(at); start > first && isBlank(b, b.Prev(start)); start = b.Prev(start) {
		}
		for last := b.LineEnd(at); end < last && isBlank(b, end); end = b.Next(end) {
		}
		return buffer.Range{Start: start, End: end}
	}
	return buffer.Range{Start: b.PrevWord(end, false), End: b.Next(lastOfWord(b, at))}
}

// lastOfWord returns the position of the last character of the word at a position.
func lastOfWord(b *buffer.Buffer, at int) int {
	if at > 0 {
		return b.WordEnd(b.Prev(at), false)
	}
	last := b.WordEnd(0, false)
	if b.PrevWord(b.Next(last), false) > 0 {
		return 0 // a word of one character
	}
	return last
}

// isBlank reports whether a space or tab is at a position.
func isBlank(b *buffer.Buffer, at int) bool {
	character := b.Text(buffer.Range{Start: at, End: b.Next(at)})
	return character == " " || character == "\t"
}

// word returns the range of iw and aw: so many words and blanks, or words with the blanks behind them, or before them
// if there are none behind.
func word(c command, b *buffer.Buffer) (r buffer.Range, ok bool) {
	at, last := b.Cursor(), b.LineEnd(b.Cursor())
	if at == last {
		return buffer.Range{Start: at, End: at}, c.operator != "" && c.name == "iw"
	}
	r = run(b, at)
	isBlankFirst := isBlank(b, at)
	if c.name == "iw" {
		for i := 1; i < c.times(); i++ {
			if r.End == last {
				return r, false
			}
			r.End = run(b, r.End).End
		}
		return r, true
	}
	if isBlankFirst {
		for i := range c.times() {
			if r.End == last {
				return r, false
			}
			if r.End = run(b, r.End).End; i > 0 && r.End < last {
				r.End = run(b, r.End).End
			}
		}
		return r, true
	}
	return withBlanks(b, r, c.times(), last)
}

// withBlanks returns n words with their blanks, which begin with the word in r.
func withBlanks(b *buffer.Buffer, r buffer.Range, n, last int) (buffer.Range, bool) {
	hasBlanks := false
	for i := range n {
		if i > 0 {
			if r.End == last {
				return r, false
			}
			r.End = run(b, r.End).End
		}
		if hasBlanks = isBlank(b, r.End); hasBlanks {
			r.End = run(b, r.End).End
		}
	}
	if first := b.LineStart(r.Start); !hasBlanks && r.Start > first && isBlank(b, b.Prev(r.Start)) {
		if before := run(b, b.Prev(r.Start)); before.Start > first {
			r.Start = before.Start
		}
	}
	return r, true
}

// quoted returns the range between two quotes of the line. withQuotes adds the quotes and the blanks behind them, or
// else before them.
func quoted(b *buffer.Buffer, withQuotes bool) (r buffer.Range, ok bool) {
	line := buffer.Range{Start: b.LineStart(b.Cursor()), End: b.LineEnd(b.Cursor())}
	text, at := b.Text(line), b.Cursor()-line.Start
	first, second := quotesAround(text, at)
	if second < 0 {
		return r, false
	}
	if !withQuotes {
		return buffer.Range{Start: line.Start + first + 1, End: line.Start + second}, true
	}
	start, end := first, second+1
	if rest := strings.TrimLeft(text[end:], blanks); len(rest) < len(text)-end {
		end = len(text) - len(rest)
	} else {
		start = len(strings.TrimRight(text[:start], blanks))
	}
	return buffer.Range{Start: line.Start + start, End: line.Start + end}, true
}

// quotesAround returns the positions of the quotes around a position in a line, or of the first pair in it; second is
// -1 if there is none. As in vi, a quote behind a backslash does not close a pair, but it may open one.
func quotesAround(text string, at int) (first, second int) {
	if at < len(text) && text[at] == '"' { // the quotes before tell whether this one opens or closes
		for second = -1; second < at; {
			open := strings.IndexByte(text[second+1:], '"')
			if first = second + 1 + open; open < 0 || first > at {
				return 0, -1
			}
			if second = nextQuote(text, first+1); second < 0 {
				break
			}
		}
		return first, second
	}
	for first = at - 1; first >= 0 && (text[first] != '"' || isEscaped(text, first)); first-- {
	}
	if first < 0 {
		if first = strings.IndexByte(text, '"'); first < 0 {
			return 0, -1
		}
	}
	return first, nextQuote(text, first+1)
}

// blanks are the characters between words in a line.
const blanks = " \t"

// nextQuote returns the position of the next quote that no backslash precedes, -1 if there is none.
func nextQuote(text string, from int) int {
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// isEscaped reports whether an odd number of backslashes precedes a position.
func isEscaped(text string, at int) bool {
	before := text[:at]
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}
