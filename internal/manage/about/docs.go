package about

import (
	"context"
	"regexp"
	"strings"

	"pollux/docs"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

// showDocs lists the documentation pages, or shows the one with a name.
func showDocs(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	if c.Text != "" {
		text, err := docs.Pages.ReadFile(strings.TrimSuffix(c.Text, ".md") + ".md")
		if err != nil {
			return manage.Misuse("There is no page %q. /docs lists all pages.", terminal.Cut(c.Text, 40))
		}
		if !c.HasPerson() { // not at a terminal, which wraps lines
			return manage.Say("%s", text)
		}
		return manage.Say("%s", joinLines(string(text)))
	}
	entries, err := docs.Pages.ReadDir(".")
	if err != nil {
		return outcome.Outcome{}, err
	}
	t := &outcome.Table{}
	for _, e := range entries {
		text, err := docs.Pages.ReadFile(e.Name())
		if err != nil {
			return outcome.Outcome{}, err
		}
		title, _, _ := strings.Cut(string(text), "\n")
		t.Rows = append(t.Rows, []string{strings.TrimSuffix(e.Name(), ".md"), strings.TrimLeft(title, "# ")})
	}
	return outcome.New(outcome.Text("Pages of the documentation:"), t, outcome.Text("/docs <page> shows one.")), nil
}

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
