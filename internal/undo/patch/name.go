package patch

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote returns a name behind a prefix as git writes it: in quotes if it has characters that could end it, or that no one sees.
func quote(prefix, name string) string {
	var b strings.Builder
	isQuoted := false
	for len(name) > 0 {
		r, n := utf8.DecodeRuneInString(name)
		switch at := strings.IndexRune("\a\b\t\n\v\f\r\"\\", r); {
		case r == utf8.RuneError && n == 1, at < 0 && r != ' ' && !unicode.IsPrint(r):
			isQuoted = true
			for i := range n {
				fmt.Fprintf(&b, `\%03o`, name[i])
			}
		case at >= 0:
			isQuoted = true
			b.WriteString(`\` + `abtnvfr"\`[at:at+1])
		default:
			b.WriteString(name[:n])
		}
		name = name[n:]
	}
	if isQuoted {
		return `"` + prefix + b.String() + `"`
	}
	return prefix + b.String()
}

// ended returns a name for a line that could go on behind it: a tab ends one with a space.
func ended(name string) string {
	if strings.Contains(name, " ") && name[0] != '"' {
		return name + "\t"
	}
	return name
}
