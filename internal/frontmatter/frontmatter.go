// Package frontmatter separates the front matter of a text, such as the YAML of a skill or a subagent.
package frontmatter

import "strings"

// Cut splits a text into the lines between the first line, which must be "---", and the next such line, and
// the trimmed rest.
func Cut(text string) (front, body string, ok bool) {
	text = strings.TrimPrefix(strings.ToValidUTF8(text, "\ufffd"), "\ufeff")
	first, rest, found := strings.Cut(text, "\n")
	if !found || !isMark(first) {
		return "", "", false
	}
	for from := 0; from < len(rest); {
		line, _, more := strings.Cut(rest[from:], "\n")
		end := from + len(line)
		if isMark(line) {
			if more {
				body = rest[end+1:]
			}
			return rest[:from], strings.TrimSpace(body), true
		}
		from = end + 1
	}
	return "", "", false
}

func isMark(line string) bool { return strings.TrimRight(line, " \t\r") == "---" }
