//go:build unix

package gemini

import (
	"regexp"
	"strings"
)

// allowed is an intended or known difference. Each of its scenes and each of its
// paths must have it, so that the table has no outdated rows.
type allowed struct {
	kind   kind
	scenes string   // names, each of which may be a pattern
	paths  []string // * is anything in a key or an index, ** anything
	what   string   // and why, as documentation
	// sometimes is set if the difference depends on timing.
	sometimes bool
}

// kind is why there is a difference.
type kind string

const (
	better  kind = "On purpose"
	words   kind = "In other words"
	missing kind = "Not yet"
)

// pattern is a path as a regular expression.
func pattern(p string) *regexp.Regexp {
	var b strings.Builder
	for i, s := range strings.Split(p, `"`) {
		one := `[^.\]]*`
		if i%2 == 1 { // in quotes
			one = `(?:[^"\\]|\\.)*`
		}
		if i > 0 {
			b.WriteString(`"`)
		}
		b.WriteString(strings.NewReplacer(`\*\*`, `.*`, `\*`, one).Replace(regexp.QuoteMeta(s)))
	}
	return regexp.MustCompile(`^` + b.String() + `$`)
}
