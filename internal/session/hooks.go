package session

import (
	"context"
	"strings"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/llm"
)

// Hooks run the user's programs around the model ([agent.Hooks]), around tools
// ([guard.Hooks]) and around the session.
type Hooks interface {
	agent.Hooks
	guard.Hooks

	// SessionStart runs when a session has opened, and after a conversation was cleared.
	// The session adds the verdict's Context to the conversation, except after a clear,
	// and shows its SystemMessage. Hooks cannot stop or block a session.
	SessionStart(ctx context.Context, source StartSource) agent.Verdict
	// SessionEnd runs before a conversation is cleared, and when the session is closed,
	// once. The session waits for it.
	SessionEnd(ctx context.Context, reason EndReason)
}

// StartSource is why a conversation starts. The values appear in the input of hooks.
type StartSource string

// The sources.
const (
	StartupSource StartSource = "startup"
	ResumeSource  StartSource = "resume"
	ClearSource   StartSource = "clear"
)

// EndReason is why a conversation ends. The values appear in the input of hooks.
type EndReason string

// The reasons.
const (
	ExitReason  EndReason = "exit"
	ClearReason EndReason = "clear"
)

// startHooks runs the hooks of a conversation that starts.
func (s *Session) startHooks(ctx context.Context, source StartSource) {
	if s.Hooks == nil {
		return
	}
	v := s.Hooks.SessionStart(ctx, source)
	if v.SystemMessage != "" {
		s.Warn(v.SystemMessage)
	}
	if v.Context != "" && source != ClearSource {
		escaped := strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(v.Context)
		s.agent.AddMessage(ctx, agent.Message{Content: llm.User(llm.Text("<hook_context>" + escaped + "</hook_context>"))})
	}
}

// endHooks runs the hooks of a conversation that ends.
func (s *Session) endHooks(ctx context.Context, reason EndReason) {
	if s.Hooks != nil {
		s.Hooks.SessionEnd(ctx, reason)
	}
}
