package terminal

import (
	"strings"
	"unicode/utf8"
)

// Stripper removes from a stream of text what would make a terminal do
// something else than show it: escape sequences in their 7-bit form (ESC [) and
// in the 8-bit form as UTF-8 has it (U+009B), and control characters other
// than tab, the line ends and form feed. Bytes that are not UTF-8 become U+FFFD.
//
// The result does not depend on where the stream is cut: a sequence that has
// begun is held back until it is whole. One that gets longer than any real one,
// or that the stream leaves unfinished, loses its introducer and is text again, so
// that no text is swallowed. The zero Stripper is ready for use.
type Stripper struct{ held string }

// longest is the length in bytes of the longest sequence that is believed in.
// The longest in use are links, with addresses of up to 2 KiB.
const longest = 4096

// Strip returns what can be shown of the text so far.
func (t *Stripper) Strip(s string) string {
	if t.held == "" && harmless(s) {
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

// Flush ends the stream: it returns the text of what was held back.
func (t *Stripper) Flush() string {
	if t.held == "" {
		return ""
	}
	s := t.held
	*t = Stripper{}
	var out strings.Builder
	for len(s) > 0 {
		n := step(&out, s)
		if n == 0 { // unfinished: only its first character is not text
			var r rune
			if r, n = utf8.DecodeRuneInString(s); r == utf8.RuneError {
				out.WriteRune(r)
			}
		}
		s = s[n:]
	}
	return out.String()
}

// Clean returns a text without what a terminal would act on.
func Clean(s string) string {
	var t Stripper
	return t.Strip(s) + t.Flush()
}

// harmless reports whether s is all text; a lead byte that may begin a control
// character counts as none.
func harmless(s string) bool {
	ascii := true
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' && !kept(rune(c)), c == 0x7F, c == 0xC2:
			return false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return ascii || utf8.ValidString(s)
}

// kept are the control characters that belong to text.
func kept(c rune) bool { return '\t' <= c && c <= '\r' }

// step consumes the first character or sequence of s, writes what is text of
// it, and returns its length; 0 if it is not whole yet.
func step(out *strings.Builder, s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n == 1:
		if !utf8.FullRuneInString(s) {
			return 0
		}
		out.WriteRune(utf8.RuneError)
		return 1
	case r == 0x1B || 0x80 <= r && r <= 0x9F:
		return sequence(s[:min(len(s), longest)], r, n)
	case r < ' ' && !kept(r), r == 0x7F:
		return n
	}
	out.WriteString(s[:n])
	return n
}

// sequence returns the length of the control sequence that s begins with; 0 if
// it is not whole yet. r is its first character, of n bytes.
func sequence(s string, r rune, n int) int {
	first := n // what is dropped of a sequence that makes no sense
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
		end = control(s, n)
	case ']', 'P', 'X', '^', '_':
		end = command(s, n)
	default:
		if r != 0x1B {
			return n
		}
		end = escape(s, n-1)
	}
	if end < 0 && len(s) == longest {
		return first
	}
	return max(end, 0)
}

// control returns the end of a CSI sequence whose parameters start at i; -1 if
// it is not in s. A byte that does not belong ends the sequence before it.
func control(s string, i int) int {
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case 0x40 <= c && c <= 0x7E:
			return i + 1
		case c < 0x20 || c > 0x3F:
			return i
		}
	}
	return -1
}

// command returns the end of a string sequence (OSC, DCS, ...) whose text
// starts at i; -1 if it is not in s. A control sequence in it ends it.
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

// escape returns the end of a two-character escape or one with intermediates,
// which start at i; -1 if it is not in s. What is no escape ends before i.
func escape(s string, i int) int {
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case 0x30 <= c && c <= 0x7E:
			return i + 1
		case c < 0x20 || c > 0x2F:
			return i
		}
	}
	return -1
}
