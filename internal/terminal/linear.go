package terminal

import "strings"

// Linear is a [Stripper] for line-based output and screen readers. In its text, the order of
// the characters is the order in which they are shown and read aloud. It replaces carriage
// returns and other characters that overwrite text with line ends, and removes invisible
// characters and those that change the text direction. The zero Linear is ready to use.
type Linear struct {
	strip Stripper
	cr    bool // the last character was a carriage return
}

// Strip returns the text of s that is safe to show, preceded by text that was held back
// before.
func (l *Linear) Strip(s string) string { return l.lines(l.strip.Strip(s)) }

// Flush ends the stream and returns the text that was held back.
func (l *Linear) Flush() string {
	s := l.lines(l.strip.Flush())
	*l = Linear{}
	return s
}

func (l *Linear) lines(s string) string {
	if !l.cr && isStraight(s) {
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
		case r == '\n' && after: // the line has already ended
		case isUnseen(r):
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// isStraight reports whether s needs no change.
func isStraight(s string) bool {
	for _, r := range s {
		if r == '\r' || r == '\v' || r == '\f' || r >= 0xAD && isUnseen(r) {
			return false
		}
	}
	return true
}

// Text returns text of others as a [Linear] returns it: safe to print, possibly with several lines.
// Invisible characters are removed, except those that scripts and emoji need. For text of Pollux with
// names of others in it, use [Visible].
func Text(s string) string {
	var l Linear
	return l.Strip(s) + l.Flush()
}

// Title returns text of others as a single line: [Text] with each line end, tab and run of spaces replaced by
// one space. For a name within a message of Pollux, use [Line].
func Title(s string) string { return strings.Join(strings.Fields(Text(s)), " ") }

// Line returns s as a single line that is safe to print: [Visible] with each line end, tab and
// run of spaces replaced by one space.
func Line(s string) string { return strings.Join(strings.Fields(Visible(s)), " ") }
