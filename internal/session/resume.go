package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pollux/agent"
	"pollux/internal/guard/hook"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
	"pollux/internal/tools/shell"
	"pollux/internal/tools/toolsearch"
)

// errNotRecorded is the error for a session that cannot go on with a recorded one.
var errNotRecorded = errors.New("this session is not recorded")

// Resume ends the conversation and continues a recorded one in its own file, see [Session.Recap]. If
// another process has that one open, it continues a copy. It keeps the approval mode, the approvals, the
// model, the directories and background processes. After an error the conversation is as before.
func (s *Session) Resume(ctx context.Context, info sessions.Info) error {
	if s.Record.Journal() == nil {
		return errNotRecorded
	}
	if err := s.Record.Continue(info); err != nil {
		return err
	}
	s.Hooks.End(ctx, hook.OtherReason)
	s.Record.AddResumedDirs(ctx, s.Workspace)
	s.restart(ctx, s.Record.SessionID())
	s.restore(ctx)
	s.Hooks.Start(ctx, hook.ResumeSource, s.agent.AddMessage)
	return nil
}

// restore gives the agent the history of the resumed session.
func (s *Session) restore(ctx context.Context) {
	var names, notBegun []string
	resumed := s.Record.Resumed()
	s.Skills.OpenResumed(resumed.SkillFolders)
	messages := s.agent.Opening()
	for _, e := range resumed.Entries {
		messages = append(messages, e.Message)
	}
	s.setHistory(ctx, messages)
	if recap := s.Record.Recap(); recap != nil {
		recap.ReadLast(resumed.Entries)
	}
	for _, c := range resumed.Interrupted {
		names = append(names, terminal.Line(c.Name))
		if !c.HasRun {
			notBegun = append(notBegun, terminal.Line(c.Name))
		}
	}
	if len(names) > 0 {
		s.Project.Warn("Interrupted when Pollux ended, and not repeated: " + strings.Join(names, ", ") + ".")
	}
	if len(notBegun) > 0 {
		s.Project.Warn("Of these, not begun: " + strings.Join(notBegun, ", ") + ".")
	}
	if resumed.SessionID == s.ID() { // not a copy
		for _, p := range s.Processes.Recover() {
			s.Project.Warn(orphanText(p))
		}
	}
	s.Record.Restored()
}

// orphanText describes, for the user, a background command that Pollux left behind when it crashed.
func orphanText(p shell.Process) string {
	const most = 100 // characters of the command
	name := fmt.Sprintf("%s (PID %d)", terminal.Cut(terminal.Line(p.Command), most), p.PID)
	if p.Exited {
		return "Ended with Pollux: the background command " + name + "."
	}
	return fmt.Sprintf("Still running since Pollux ended: the background command %s. To end it: kill %d", name, p.PID)
}

// LoadHistory replaces the conversation by one without the message that opened it.
func (s *Session) LoadHistory(ctx context.Context, history []agent.Message) {
	s.setHistory(ctx, append(s.agent.Opening(), history...))
	s.agent.ReplaceContext(ctx, []agent.Message{s.opening()}) // directories may be new since the session began
}

// setHistory replaces the conversation, and declares the tools that the new one has loaded.
func (s *Session) setHistory(ctx context.Context, messages []agent.Message) {
	s.agent.SetHistory(ctx, messages)
	toolsearch.Recall(s.registry, messages)
}

// endTurn notes the end of a run in the record of the conversation.
func (s *Session) endTurn() {
	s.Record.EndRun()
	s.titler.Start()
}
