package session

import (
	"context"
	"errors"

	"pollux/internal/guard/hook"
	"pollux/internal/sessions"
	"pollux/internal/shellcmd"
	"pollux/internal/terminal"
)

// Recorded returns the recorded sessions of the project, also the current one, by the time of their
// start. It may be called during a run.
func (s *Session) Recorded(ctx context.Context) ([]sessions.Info, error) {
	return s.Record.store().List(ctx)
}

// errNotRecorded is the error for a session that cannot go on with a recorded one.
var errNotRecorded = errors.New("this session is not recorded")

// Resume ends the conversation and continues a recorded one in its own file, see [Session.Recap]. If
// another process has that one open, it continues a copy. It keeps the approval mode, the approvals, the
// model, the directories and background processes. After an error the conversation is as before.
func (s *Session) Resume(ctx context.Context, info sessions.Info) error {
	if s.Record.journal == nil {
		return errNotRecorded
	}
	if err := s.Record.openRecorded(info); err != nil {
		return err
	}
	s.endHooks(ctx, hook.OtherReason)
	s.addResumedDirs(ctx)
	s.restart(ctx, s.Record.SessionID())
	s.restore(ctx)
	s.startHooks(ctx, hook.ResumeSource)
	return nil
}

// ResumeCommand returns the command line that continues the conversation later.
func (s *Session) ResumeCommand() string {
	return "pollux --resume " + shellcmd.Quote(terminal.Line(s.ID()))
}

// DeleteAtEnd makes [Session.Close] delete the record of the conversation with all that belongs to it.
// It may be called during a run.
func (s *Session) DeleteAtEnd() { s.Record.isUnwanted.Store(true) }

// IsUnwanted reports whether [Session.Close] deletes the record of the conversation.
func (s *Session) IsUnwanted() bool { return s.Record.isUnwanted.Load() }
