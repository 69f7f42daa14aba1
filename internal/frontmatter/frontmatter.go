// Package frontmatter separates the front matter of a text, such as the YAML of a skill or a subagent.
package frontmatter

import (
	"encoding/json"
	"strings"
)

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

// Quote returns a text as a value of front matter, in one line.
func Quote(text string) string {
	data, _ := json.Marshal(strings.ToValidUTF8(text, "\ufffd")) // YAML has the escapes of JSON
	return strings.ReplaceAll(string(data), "\x7f", `\x7f`)
}
