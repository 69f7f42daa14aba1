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
	return origin.New(after, s.isInWorkspace)
}

// isInWorkspace reports whether there is a file with this name in the workspace.
func (s *Session) isInWorkspace(name string) bool {
	path := s.Workspace.Resolve(name)
	_, err := os.Lstat(path)
	return err == nil && s.Workspace.Contains(path)
}
