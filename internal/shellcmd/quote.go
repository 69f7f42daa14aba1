package shellcmd

import "strings"

// Quote returns a word as a shell takes it, in single quotes if it needs any.
func Quote(word string) string {
	isPlain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !isPlain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
