package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/journal"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
	"pollux/tool"
)

// openJournal opens the record of the conversation on disk, and the session that it continues, if there
// is one. It does nothing if the session is not recorded, and once only.
func (p *Setup) openJournal(ctx context.Context) error {
	if !p.Recorded || p.journal != nil {
		return nil
	}
	p.journal = journal.New(journal.Options{
		Dir: p.chats, ProjectHash: p.Paths.ProjectHash(), Warn: p.Warn, Directories: p.moreDirs,
	})
	switch {
	case p.Resume != "":
		if err := p.resume(ctx); err != nil {
			return exit.Errorf(exit.Input, "Error resuming session: %w", err)
		}
	case p.SessionID != "" && p.IsNewID:
		if _, err := p.store().Lookup(ctx, p.SessionID); err == nil {
			return exit.Errorf(exit.Input, "Error starting session: Session ID %q already exists. Use --resume to resume it, or provide a different ID.", p.SessionID)
		}
	}
	return nil
}

// chats returns the directory of the project's session files, and makes its parent the project's.
func (p *Setup) chats() (string, error) {
	temp, err := p.Paths.ProjectTemp()
	return filepath.Join(temp, "chats"), err
}

// store returns the project's sessions.
func (p *Setup) store() *sessions.Store {
	return &sessions.Store{Dir: filepath.Join(p.Paths.ProjectTempPath(), "chats")}
}

// moreDirs returns the workspace's directories beside the project's.
func (p *Setup) moreDirs() []string {
	if p.dirs == nil {
		return nil
	}
	return p.dirs()[1:]
}

// resume finds the session to continue. If another process has it open, the session is a copy of it.
func (p *Setup) resume(ctx context.Context) error {
	info, err := p.store().Find(ctx, p.Resume)
	if errors.Is(err, sessions.ErrNone) && p.Resume == sessions.Latest {
		p.Warn(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	opened, err := journal.Open(info.Path)
	switch {
	case err == nil:
		p.journal.Resume(opened)
		p.resumed, p.SessionID = opened.Session, opened.SessionID
	case errors.Is(err, journal.ErrInUse):
		if p.resumed, err = journal.Load(info.Path); err != nil {
			return fmt.Errorf("cannot read %s: %w", info.Path, err)
		}
		p.SessionID = uuid.NewString()
		p.journal.Fork(p.resumed, p.SessionID)
		p.Warn(fmt.Sprintf("Another process has session %s open. This is a copy of it: %s", terminal.Line(p.resumed.SessionID), p.SessionID))
	default:
		return fmt.Errorf("cannot read %s: %w", info.Path, err)
	}
	if p.resumed.Lost > 0 {
		p.Warn(fmt.Sprintf("Warning: %d records of this session are damaged and left out: %s", p.resumed.Lost, info.Path))
	}
	return nil
}

// restore gives the agent the history of the resumed session.
func (s *Session) restore(ctx context.Context) {
	var names []string
	messages := []agent.Message{s.opening()}
	for _, e := range s.resumed.Entries {
		messages = append(messages, e.Message)
	}
	s.agent.SetHistory(ctx, messages)
	for _, c := range s.resumed.Interrupted {
		names = append(names, terminal.Line(c.Name))
	}
	if len(names) > 0 {
		s.Warn("Interrupted when Pollux ended, and not repeated: " + strings.Join(names, ", ") + ".")
	}
	s.resumed = nil // its messages are the agent's
}

// addResumedDirs adds the directories that the resumed session had in its workspace.
func (s *Session) addResumedDirs() {
	if s.resumed == nil {
		return
	}
	for _, dir := range s.resumed.Directories {
		if _, _, err := s.Workspace.Add(dir); err != nil {
			s.Warn(fmt.Sprintf("Warning: Cannot add %s, which this session had in its workspace: %v", terminal.Line(dir), err))
		}
	}
}

// transcript returns the path of the session's file, "" if the conversation is not recorded.
func (p *Setup) transcript() string {
	if p.journal == nil {
		return ""
	}
	return p.journal.Path()
}

// isEnd reports whether a run was cancelled because the process ends, so that --resume goes on with
// its prompt. A person who cancels a prompt does not want it any more.
func (p *Setup) isEnd(cause error) bool {
	var end *exit.Error
	return !p.Interactive || errors.As(cause, &end)
}

// endTurn notes the end of a run in the record of the conversation.
func (p *Setup) endTurn() {
	if p.journal != nil {
		_ = p.journal.Touch() // the journal warns
	}
}

// syncBefore implements [guard.Snapshot]: before a call that may change something, all that led to it
// is on the disk.
type syncBefore struct{ *journal.Journal }

func (b syncBefore) Before(_ context.Context, _ *agent.ToolCall, spec *tool.Spec, _ []tool.Location) error {
	switch spec.Kind {
	case tool.KindRead, tool.KindSearch, tool.KindThink, tool.KindFetch:
		return nil
	}
	_ = b.Sync() // the journal warns, and the call may run without a record
	return nil
}
