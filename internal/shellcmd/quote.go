package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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

// Join returns a command that runs a program with these arguments, which are quoted where the
// shell would change them.
func Join(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		q, err := syntax.Quote(w, syntax.LangBash)
		if err != nil { // a NUL byte, which Parse reports
			q = w
		}
		quoted[i] = q
	}
	return strings.Join(quoted, " ")
}
