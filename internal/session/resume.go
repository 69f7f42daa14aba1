package session

import (
	"context"
	"errors"
	"time"

	"pollux/internal/guard/hook"
	"pollux/internal/sessions"
	"pollux/internal/shellcmd"
	"pollux/internal/terminal"
)

// Recorded returns the recorded sessions of the project, also the current one, by the time of their
// start. It may be called during a run.
func (s *Session) Recorded(ctx context.Context) ([]sessions.Info, error) {
	return s.Setup.store().List(ctx)
}

// errNotRecorded is the error for a session that cannot go on with a recorded one.
var errNotRecorded = errors.New("this session is not recorded")

// Resume ends the conversation and continues a recorded one in its own file, see [Session.Recap]. If
// another process has that one open, it continues a copy. It keeps the approval mode, the approvals, the
// model, the directories and background processes. After an error the conversation is as before.
func (s *Session) Resume(ctx context.Context, info sessions.Info) error {
	if s.Setup.journal == nil {
		return errNotRecorded
	}
	if err := s.Setup.openRecorded(info); err != nil {
		return err
	}
	s.endHooks(ctx, hook.OtherReason)
	s.addResumedDirs(ctx)
	s.restart(ctx, s.Setup.Options.SessionID)
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
func (s *Session) DeleteAtEnd() { s.isUnwanted.Store(true) }

// IsUnwanted reports whether [Session.Close] deletes the record of the conversation.
func (s *Session) IsUnwanted() bool { return s.isUnwanted.Load() }

// deleteRecord deletes the closed record of the conversation, the file at path.
func (s *Session) deleteRecord(path string) {
	const limit = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	store, info := s.Setup.store(), sessions.Info{ID: s.ID(), Path: path}
	list, err := store.List(ctx)
	for _, i := range list {
		if i.ID == info.ID {
			info = i // with all its files
		}
	}
	if err == nil {
		err = store.Delete(ctx, info)
	}
	if err != nil {
		s.Setup.Options.Warn("Warning: This session is not deleted: " + err.Error() + ".")
	}
}
