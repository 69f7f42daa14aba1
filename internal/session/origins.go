package session

import (
	"os"

	"pollux/agent"
	"pollux/internal/guard/origin"
	"pollux/llm"
)

// origins knows which words of the conversation come from tools alone.
func (s *Session) origins() *origin.Tracker {
	after := func(seen *llm.Content) []agent.Message { return s.agent.MessagesAfter(seen) }
	ours := func(name string) bool {
		path := s.Workspace.Resolve(name)
		_, err := os.Lstat(path)
		return err == nil && s.Workspace.Contains(path)
	}
	return origin.New(after, ours)
}
