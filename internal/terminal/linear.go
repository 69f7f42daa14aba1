package terminal

import (
	"strings"
	"unicode"
)

// Linear is a [Stripper] whose text also runs in one direction only, from the
// first character to the last: what a line-based screen shows and what is read
// aloud are then the same (spec/tui.md §8.6). Carriage returns and the like, which
// let a text write over itself, become line ends; characters that nobody sees or
// that turn the direction of reading are dropped. The zero Linear is ready for use.
type Linear struct {
	strip Stripper
	cr    bool // the last character was a carriage return
}

// Strip returns what can be shown of the text so far.
func (l *Linear) Strip(s string) string { return l.lines(l.strip.Strip(s)) }

// Flush ends the stream: it returns the text of what was held back.
func (l *Linear) Flush() string {
	s := l.lines(l.strip.Flush())
	*l = Linear{}
	return s
}

func (l *Linear) lines(s string) string {
	if !l.cr && straight(s) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for _, r := range s {
		after := l.cr
		l.cr = r == '\r'
		switch {
		case r == '\r', r == '\v', r == '\f':
			out.WriteByte('\n')
		case r == '\n' && after: // the line has ended
		case unseen(r):
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// straight reports whether there is nothing to change in s.
func straight(s string) bool {
	for _, r := range s {
		if r == '\r' || r == '\v' || r == '\f' || r >= 0xAD && unseen(r) {
			return false
		}
	}
	return true
}

// unseen are the characters without a shape that do something to their
// neighbours, but for the joiners, without which some scripts can't be written.
func unseen(r rune) bool {
	switch {
	case r < 0xAD, r == 0x200C, r == 0x200D, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case 0xE0000 <= r && r <= 0xE0FFF: // tags: a text inside the text
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Text returns s as [Linear] leaves it.
func Text(s string) string {
	var l Linear
	return l.Strip(s) + l.Flush()
}

// Line returns s as one line of words: [Text] with single spaces in place of
// line ends, tabs and runs of spaces.
func Line(s string) string { return strings.Join(strings.Fields(Text(s)), " ") }
