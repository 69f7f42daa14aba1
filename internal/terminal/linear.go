package terminal

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

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

// isUnseen reports whether r is an invisible character that affects its neighbors. It excludes
// the joiners, which some scripts need.
func isUnseen(r rune) bool {
	switch {
	case r < 0xAD, r == 0x200C, r == 0x200D, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case 0xE0000 <= r && r <= 0xE0FFF: // tag characters: hidden text
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// AppendJSON appends JSON text to dst with escape sequences in place of the characters that a
// terminal or an editor does not show as they are: C1 control characters, invisible characters and
// those that change the text direction. In valid JSON they occur only in strings.
func AppendJSON(dst, text []byte) []byte {
	for len(text) > 0 {
		if text[0] < utf8.RuneSelf {
			n := slices.IndexFunc(text, func(b byte) bool { return b >= utf8.RuneSelf })
			if n < 0 {
				n = len(text)
			}
			dst, text = append(dst, text[:n]...), text[n:]
			continue
		}
		r, n := utf8.DecodeRune(text)
		switch {
		case r > 0xFFFF && isUnseen(r):
			high, low := utf16.EncodeRune(r)
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
		case r < 0xA0 || isUnseen(r):
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = append(dst, text[:n]...)
		}
		text = text[n:]
	}
	return dst
}

// Text returns s as a [Linear] returns it: safe to print, possibly with several lines.
func Text(s string) string {
	var l Linear
	return l.Strip(s) + l.Flush()
}

// Line returns s as a single line that is safe to print: [Text] with each line end, tab and
// run of spaces replaced by one space.
func Line(s string) string { return strings.Join(strings.Fields(Text(s)), " ") }
