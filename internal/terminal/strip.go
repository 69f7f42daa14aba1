package terminal

import (
	"strings"
	"unicode/utf8"
)

// Stripper removes from a stream of text the characters that a terminal would act on instead of showing them: escape
// sequences in 7-bit form (ESC [) and 8-bit form (U+009B, encoded as UTF-8), and control characters except tab, line
// ends and form feed. It replaces NEL (U+0085) with a line feed, and bytes that are not UTF-8 with U+FFFD.
//
// The result does not depend on how the stream is split: an incomplete sequence is held back until it is complete. Of a
// sequence that is longer than any real one, or incomplete at the end of the stream, only the introducer is removed, so
// that no text is lost. The zero Stripper is ready to use.
type Stripper struct{ held string }

// longest is the maximum length of a sequence in bytes. The longest ones in use are
// hyperlinks, with addresses of up to 2 KiB.
const longest = 4096

// Characters other than ASCII that end a line.
const (
	nextLine           = '\u0085' // NEL
	lineSeparator      = '\u2028'
	paragraphSeparator = '\u2029'
)

// Strip returns the text of s that is safe to show, preceded by text that was held back before.
func (t *Stripper) Strip(s string) string {
	if t.held == "" && isHarmless(s) {
		return s
	}
	s, t.held = t.held+s, ""
	var out strings.Builder
	out.Grow(len(s))
	for len(s) > 0 {
		n := step(&out, s)
		if n == 0 {
			t.held = s
			break
		}
		s = s[n:]
	}
	return out.String()
}

// Flush ends the stream and returns the text that was held back.
func (t *Stripper) Flush() string {
	if t.held == "" {
		return ""
	}
	s := t.held
	*t = Stripper{}
	var out strings.Builder
	for len(s) > 0 {
		n := step(&out, s)
		if n == 0 { // incomplete: remove only its first character
			var r rune
			if r, n = utf8.DecodeRuneInString(s); r == utf8.RuneError {
				out.WriteRune(r)
			}
		}
		s = s[n:]
	}
	return out.String()
}

// Clean returns s without escape sequences and control characters that a terminal would act
// on. It keeps tabs and line ends; see [Stripper].
func Clean(s string) string {
	var t Stripper
	return t.Strip(s) + t.Flush()
}

// isHarmless reports whether s needs no change. It returns false for a lead byte that may begin a control character.
func isHarmless(s string) bool {
	ascii := true
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' && !isKept(rune(c)), c == 0x7F, c == 0xC2:
			return false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return ascii || utf8.ValidString(s)
}

// isKept reports whether a control character is a part of text.
func isKept(c rune) bool { return '\t' <= c && c <= '\r' }

// step consumes the first character or sequence of s, writes its text to out, and returns its
// length in bytes; 0 if it is incomplete.
func step(out *strings.Builder, s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n == 1:
		if !utf8.FullRuneInString(s) {
			return 0
		}
		out.WriteRune(utf8.RuneError)
		return 1
	case r == nextLine:
		out.WriteByte('\n')
		return n
	case r == 0x1B || 0x80 <= r && r <= 0x9F:
		return sequence(s[:min(len(s), longest)], r, n)
	case r < ' ' && !isKept(r), r == 0x7F:
		return n
	}
	out.WriteString(s[:n])
	return n
}

// sequence returns the length in bytes of the control sequence at the start of s; 0 if it is
// incomplete. r is its first character, n bytes long.
func sequence(s string, r rune, n int) int {
	first := n // the removed part of an invalid sequence
	kind := byte(r - 0x40)
	if r == 0x1B {
		if len(s) == n {
			return 0
		}
		kind = s[n]
		n++
	}
	end := -1
	switch kind {
	case '[':
		end = parameters(s, n, '@')
	case ']', 'P', 'X', '^', '_':
		end = command(s, n)
	default:
		if r != 0x1B {
			return n
		}
		end = parameters(s, n-1, '0')
	}
	if end < 0 && len(s) == longest {
		return first
	}
	return max(end, 0)
}

// parameters returns the end of a sequence whose parameters or intermediates start at i, and whose last byte is final
// or greater; -1 if it is not in s. An invalid byte ends the sequence before it.
func parameters(s string, i int, final byte) int {
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case final <= c && c <= 0x7E:
			return i + 1
		case c < 0x20 || c > 0x7E:
			return i
		}
	}
	return -1
}

// command returns the end of a string sequence (OSC, DCS, ...) whose text starts at i; -1 if
// it is not in s. A control sequence ends it.
func command(s string, i int) int {
	for ; i < len(s); i++ {
		switch s[i] {
		case 0x07, 0x18, 0x1A: // BEL ends it, CAN and SUB abort it
			return i + 1
		case 0x1B:
			switch {
			case i+1 == len(s):
				return -1
			case s[i+1] == '\\':
				return i + 2
			}
			return i
		case 0xC2:
			switch {
			case i+1 == len(s):
				return -1
			case s[i+1] == 0x9C:
				return i + 2
			case 0x80 <= s[i+1] && s[i+1] <= 0x9F:
				return i
			}
		}
	}
	return -1
}

// Linear is a [Stripper] for line-based output and screen readers. In its text, the order of
// the characters is the order in which they are shown and read aloud. It replaces carriage
// returns, other characters that overwrite text, and the separators of Unicode with line ends, and
// removes invisible characters and those that change the text direction. The zero Linear is ready to use.
type Linear struct {
	strip Stripper
	cr    bool // the last character was a carriage return
}

// Strip returns the text of s that is safe to show, preceded by text that was held back before.
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
		case r == '\r', r == '\v', r == '\f', r == lineSeparator, r == paragraphSeparator:
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
