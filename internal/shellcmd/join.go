package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
