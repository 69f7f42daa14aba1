package session

import (
	"os"
	"strings"
	"sync"

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

// callers are the models that have made calls in a conversation that was read from a file.
type callers struct {
	mu     sync.Mutex
	first  *llm.Content // of the conversation
	models map[string]bool
}

// hasCalled reports whether a model has made calls in this conversation as its protocol has them.
// The generator learns that from answers; this is for a conversation that goes on from a file.
func (s *Session) hasCalled(model string) bool {
	messages := s.agent.MessagesAfter(nil)
	if len(messages) == 0 {
		return false
	}
	s.callers.mu.Lock()
	defer s.callers.mu.Unlock()
	first := messages[0].Content
	if s.callers.first != first { // another conversation than before
		s.callers.first, s.callers.models = first, map[string]bool{}
		for _, m := range messages {
			for _, c := range m.Content.FunctionCalls() {
				if !strings.Contains(c.ID, llm.TextCallID) {
					s.callers.models[m.Model] = true
				}
			}
		}
	}
	return s.callers.models[model]
}
