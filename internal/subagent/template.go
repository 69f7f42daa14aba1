package subagent

import "strings"

// Expand returns text with each ${name} replaced by the value of that name. A name without a value stays
// as it is. Values are not expanded again.
func Expand(text string, values map[string]string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		value, known := values[name]
		if !closed || !known {
			b.WriteString("${")
			text = rest
			continue
		}
		b.WriteString(value)
		text = after
	}
}
