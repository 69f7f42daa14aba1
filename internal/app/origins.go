package app

import (
	"os"

	"pollux/agent"
	"pollux/internal/guard/origin"
	"pollux/llm"
)

// origins knows which words of the conversation come from tools alone.
func (a *App) origins() *origin.Words {
	after := func(seen *llm.Content) []agent.Message { return a.Agent.After(seen) }
	ours := func(name string) bool {
		path := a.Workspace.Resolve(name)
		_, err := os.Lstat(path)
		return err == nil && a.Workspace.Contains(path)
	}
	return origin.New(after, ours)
}
