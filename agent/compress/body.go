package compress

import (
	"strings"

	"pollux/agent"
	"pollux/llm"
)

// isOpening knows the session's context by its tag (spec/agent.md §21).
func isOpening(m agent.Message) bool {
	return m.Content != nil && m.Content.Role == llm.RoleUser && startsWith(m.Content, "<session_context>")
}

func startsWith(c *llm.Content, tag string) bool {
	return len(c.Parts) > 0 && strings.HasPrefix(c.Parts[0].Text, tag)
}

// leading counts the messages in which an earlier compression put its summary.
func leading(messages []agent.Message) int {
	if len(messages) == 0 || !isSnapshot(messages[0]) {
		return 0
	}
	if len(messages) > 1 && messages[1].Content.Role == llm.RoleModel && messages[1].Content.Text() == thanks {
		return 2
	}
	return 1
}

func isSnapshot(m agent.Message) bool {
	return m.Content.Role == llm.RoleUser && startsWith(m.Content, snapshotOpen)
}
