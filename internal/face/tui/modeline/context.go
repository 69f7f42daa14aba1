package modeline

import (
	"strconv"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
)

// Context counts the things that a session uses beside the conversation. Things of which there are none are not shown.
type Context struct {
	// HasOwnPrompt is set if GEMINI_SYSTEM_MD replaces the system prompt. Only this is then shown.
	HasOwnPrompt bool
	OpenFiles    int // in the IDE
	ContextFiles int // such as GEMINI.md
	// ContextName is the name that all context files have, "" if they have different names.
	ContextName      string
	Servers, Blocked int // of MCP, without and with a block
	Skills           int
	Processes        int // in the background
}

// parts returns the texts of the summary, in order.
func (c Context) parts(b *keys.Bindings) (parts []string) {
	if c.HasOwnPrompt {
		return []string{"custom system prompt"}
	}
	add := func(n int, noun, plural string) {
		if n > 0 {
			parts = append(parts, count(n, noun, plural))
		}
	}
	if add(c.OpenFiles, "open file", "s"); c.OpenFiles > 0 {
		if hint := b.Hint(keys.AppShowIDEContextDetail); hint != "" {
			parts[0] += " (" + hint + " to view)"
		}
	}
	name := styled.Text(c.ContextName)
	if name == "" {
		name = "context"
	}
	add(c.ContextFiles, name+" file", "s")
	add(c.Servers, "MCP server", "s")
	switch blocked := strconv.Itoa(c.Blocked) + " Blocked"; {
	case c.Blocked > 0 && c.Servers > 0:
		parts[len(parts)-1] += ", " + blocked
	case c.Blocked > 0:
		add(c.Blocked, "Blocked MCP server", "s")
	}
	add(c.Skills, "skill", "s")
	add(c.Processes, "Background process", "es")
	return parts
}

// text returns the summary in at most width columns. It leaves out the parts that do not fit behind those before them.
func (c Context) text(width int, b *keys.Bindings) (text string) {
	for _, part := range c.parts(b) {
		longer := part
		if text != "" {
			longer = text + separator + part
		}
		if terminal.Width(longer) <= width {
			text = longer
		}
	}
	return text
}

// count returns a number of things. plural is the ending of the noun for several things.
func count(n int, noun, plural string) string {
	if n != 1 {
		noun += plural
	}
	return strconv.Itoa(n) + " " + noun
}
