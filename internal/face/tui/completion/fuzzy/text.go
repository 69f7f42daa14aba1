package fuzzy

import (
	"strings"
	"unicode/utf8"
)

// Text is a text to match, such as a path or the name of a command, with the facts about it that do not depend on the
// query.
type Text struct {
	Shown  string
	folded string // in lower case, of the same length
	bytes  uint64 // the set of the bytes of folded; see setOf
	base   int    // where the last element of a path begins
}

// NewText returns a text to match.
func NewText(s string) Text {
	t := Text{Shown: s, folded: fold(s), base: strings.LastIndexByte(strings.TrimSuffix(s, "/"), '/') + 1}
	t.bytes = setOf(t.folded)
	return t
}

// fold returns a text in lower case, with each character at the same place. A text whose length would change keeps its
// characters that are not ASCII.
func fold(s string) string {
	lower := strings.ToLower(s)
	if len(lower) == len(s) && utf8.ValidString(s) {
		return lower
	}
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// setOf returns the set of the bytes of a text. Some bytes share a bit.
func setOf(s string) (set uint64) {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z':
			set |= 1 << (c - 'a')
		case '0' <= c && c <= '9':
			set |= 1 << (c - '0' + 26)
		default:
			set |= 1 << (c%28 + 36)
		}
	}
	return set
}

// Points for the place of a matched byte: at the start of an element of a path, of a word behind a separator, of a word
// or number within a name, elsewhere.
const (
	atElement = 10
	atWord    = 8
	atHump    = 7
)

// points returns the points for matching the byte at i.
func points(s string, i int) int32 {
	if i == 0 || s[i-1] == '/' {
		return atElement
	}
	switch before, c := s[i-1], s[i]; {
	case c < utf8.RuneSelf && !isLetter(c) && !isDigit(c):
		return 0
	case before < utf8.RuneSelf && !isLetter(before) && !isDigit(before):
		return atWord
	case isUpper(c) && !isUpper(before), isDigit(c) && !isDigit(before):
		return atHump
	}
	return 0
}

func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || isUpper(c) }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
