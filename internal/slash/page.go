package slash

import (
	"regexp"
	"strings"
)

// joinLines joins the lines of each paragraph and list item of a Markdown page, so that they are
// wrapped once, at the width of the terminal. It removes comments. Code, tables and headings keep
// their lines.
func joinLines(page string) string {
	var (
		comment = regexp.MustCompile(`(?s)<!--.*?-->\n?`)
		// begins matches lines that begin an item, a heading, a quote, a table or a tag.
		begins = regexp.MustCompile(`^([-*+>]\s|\d+[.)]\s|[#|<])`)
	)
	var lines []string
	isCode, isText := false, false // about the last line
	for line := range strings.Lines(comment.ReplaceAllString(page, "")) {
		text := strings.TrimSpace(line)
		isFence := strings.HasPrefix(text, "```")
		switch {
		case isText && text != "" && !isFence && !begins.MatchString(text):
			lines[len(lines)-1] += " " + text
			continue
		case isCode || isFence || text == "" || strings.HasPrefix(line, "    ") && !begins.MatchString(text):
			isText = false
		default:
			isText = !strings.ContainsAny(text[:1], "#|<>")
		}
		isCode = isCode != isFence
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.Join(lines, "\n") + "\n"
}
