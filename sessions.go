package pollux

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pollux/internal/sessions"
)

// Session describes a recorded conversation.
type Session struct {
	// ID is the value for [Options].Resume.
	ID string
	// Title is a summary of the conversation or its first prompt, on one line.
	Title string
	// Start is the time of its first message, and Updated that of its last one.
	Start, Updated time.Time
	// Prompts is the number of its prompts.
	Prompts int
}

// ErrNoSession is the error of [New] if the conversation to resume does not exist.
var ErrNoSession = errors.New("there is no recorded session with this id")

// SessionID returns the id of the conversation.
func (a *Agent) SessionID() string { return a.session.ID() }

// Sessions returns the recorded conversations of the agent's directory that can be resumed, by the
// time of their start, the oldest first.
func (a *Agent) Sessions(ctx context.Context) ([]Session, error) {
	list, err := a.session.Record.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var recorded []Session
	for _, i := range list {
		recorded = append(recorded, Session{ID: i.ID, Title: i.Title, Start: i.Start, Updated: i.Updated, Prompts: i.Prompts})
	}
	return recorded, nil
}

// openError returns the error of New for the error of a session that does not open.
func openError(o Options, err error) error {
	var unknown *sessions.UnknownError
	if errors.Is(err, sessions.ErrNone) || errors.As(err, &unknown) {
		return fmt.Errorf("resume session %q: %w", o.Resume, ErrNoSession)
	}
	return err
}
