package session

import (
	"context"
	"testing"

	"pollux/internal/config"
	"pollux/internal/project"
)

// TestAuthInputs checks that the accounts of a session outlive the command that opened them.
func TestAuthInputs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &Session{Project: project.New(project.Options{Env: config.NewEnv()})}
	if err := s.authInputs(ctx).Context.Err(); err != nil {
		t.Error(err)
	}
}
