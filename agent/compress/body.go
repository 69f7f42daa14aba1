package compress

import (
	"strings"

	"pollux/agent"
	"pollux/llm"
)

// isOpening reports whether m describes the environment of the session. It recognizes the
// message by its tag.
func isOpening(m agent.Message) bool {
	return m.Content != nil && m.Content.Role == llm.RoleUser && startsWith(m.Content, "<session_context>")
}

func startsWith(c *llm.Content, tag string) bool {
	return len(c.Parts) > 0 && strings.HasPrefix(c.Parts[0].Text, tag)
}

// summaryLen returns the number of leading messages that hold the summary of an earlier
// compression.
func summaryLen(messages []agent.Message) int {
	if len(messages) == 0 || !isSnapshot(messages[0]) {
		return 0
	}
	if len(messages) > 1 && messages[1].Content.Role == llm.RoleModel && messages[1].Content.Text() == acknowledgementText {
		return 2
	}
	return 1
}

func isSnapshot(m agent.Message) bool {
	return m.Content.Role == llm.RoleUser && startsWith(m.Content, snapshotOpen)
}
