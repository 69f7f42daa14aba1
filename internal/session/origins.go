package session

import (
	"pollux/agent"
	"pollux/internal/guard/origin"
	"pollux/llm"
)

// origins knows which words of the conversation come from tools alone.
func (s *Session) origins() *origin.Tracker {
	after := func(seen *llm.Content) []agent.Message { return s.agent.MessagesAfter(seen) }
	return origin.New(after, s.Workspace.HasFile)
}
