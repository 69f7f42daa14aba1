package terminal

import (
	"strings"
	"unicode/utf8"
)

// Stripper removes from a stream of text the characters that a terminal would act on instead of
// showing them: escape sequences in 7-bit form (ESC [) and 8-bit form (U+009B, encoded as
// UTF-8), and control characters except tab, line ends and form feed. It replaces bytes that
// are not UTF-8 with U+FFFD.
//
// The result does not depend on how the stream is split: an incomplete sequence is held back
// until it is complete. Of a sequence that is longer than any real one, or incomplete at the
// end of the stream, only the introducer is removed, so that no text is lost. The zero
// Stripper is ready to use.
type Stripper struct{ held string }

// longest is the maximum length of a sequence in bytes. The longest ones in use are
// hyperlinks, with addresses of up to 2 KiB.
const longest = 4096

// Strip returns the text of s that is safe to show, preceded by text that was held back
// before.
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

// isHarmless reports whether s needs no change. It returns false for a lead byte that may
// begin a control character.
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

// control returns the end of a CSI sequence whose parameters start at i; -1 if it is not in s.
// An invalid byte ends the sequence before it.
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

// escape returns the end of an escape sequence with two characters, or with intermediates,
// which start at i; -1 if it is not in s. An invalid byte ends the sequence before it.
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
