package kit

import (
	"context"
	"iter"

	"pollux/agent"
	"pollux/internal/companion"
	"pollux/internal/records"
	"pollux/internal/session"
	"pollux/internal/slash"
	"pollux/internal/stats"
	"pollux/internal/terminal"
)

// Session is a session as a driver works with it. [Live] is one.
type Session interface {
	Names
	conversation
	// Allows is that of [rulebook.Rulebook].
	Allows(call *agent.PreparedCall) bool
	// RecordForcedExit records that the person has pressed Ctrl+C a third time.
	RecordForcedExit()
	// Lookup, RunCommand and Unknown are those of [slash.Runner].
	Lookup(line string) (slash.Call, bool)
	RunCommand(ctx context.Context, line string) (slash.Result, error)
	Unknown(line string) string
	// ShowDiff shows a change in the person's editor, and returns its name. The diff is nil if no editor can show it.
	ShowDiff(ctx context.Context, path, text string) (diff *companion.Diff, editor string)
	// Stats returns the counts of the session until now.
	Stats() stats.Snapshot
	// LogPrompt keeps the text that the person has entered for later sessions.
	LogPrompt(text string)
	// End completes the session, and may ask questions. It returns the last text to show, "" for none.
	End(ctx context.Context) string
}

// conversation is the part of [session.Session] that a driver uses unchanged.
type conversation interface {
	Run(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error]
	Steer(ctx context.Context, p agent.Prompt) error
	Withdraw() []string
	RunTyped(ctx context.Context, command string, show func(agent.Event)) (string, error)
	ToolTitle(tool string) string
	Close()
}

// Live is an open session with its / commands.
type Live struct {
	conversation
	Commands *slash.Runner
}

// Open opens a session whose questions and warnings go to a driver. shortcuts is the text of /shortcuts, "" for none.
func Open(ctx context.Context, d *Driver, o session.Options, t *terminal.Terminal, shortcuts string) (Live, error) {
	o.Project.Asker, o.Project.Interactive = d, true
	if o.Project.Warn == nil {
		o.Project.Warn, o.Project.Notify = d.Warn, d.Notify
	}
	o.Project.HooksRunning = d.hooksRunning
	s, err := session.Open(ctx, o)
	if err != nil {
		return Live{}, err
	}
	return Live{s, &slash.Runner{Session: s, Terminal: t, Shortcuts: shortcuts}}, nil
}

// NamesOf returns the names of a session.
func NamesOf(s *session.Session) Names { return Live{s, &slash.Runner{Session: s}} }

func (l Live) session() *session.Session { return l.Commands.Session }

// Lookup implements [Session].
func (l Live) Lookup(line string) (slash.Call, bool) { return l.Commands.Lookup(line) }

// RunCommand implements [Session].
func (l Live) RunCommand(ctx context.Context, line string) (slash.Result, error) {
	r, _, err := l.Commands.Run(ctx, line)
	return r, err
}

// Unknown implements [Session].
func (l Live) Unknown(line string) string { return l.Commands.Unknown(line) }

// Stats implements [Session].
func (l Live) Stats() stats.Snapshot { return l.session().Observers.Stats.Snapshot() }

// LogPrompt implements [Session].
func (l Live) LogPrompt(text string) { l.session().PromptLog.Add(l.session().ID(), text) }

// ShowDiff implements [Session].
func (l Live) ShowDiff(ctx context.Context, path, text string) (*companion.Diff, string) {
	c := l.session().Companion
	return c.Diff(ctx, path, text), c.Status().Editor
}

// End implements [Session].
func (l Live) End(ctx context.Context) string {
	if l.session().Project.Worktree == nil {
		return ""
	}
	return l.session().Farewell.EndWorktree(ctx, l.session().Close)
}

// Allows implements [Session].
func (l Live) Allows(call *agent.PreparedCall) bool { return l.session().Rulebook.Allows(call) }

// RecordForcedExit implements [Session].
func (l Live) RecordForcedExit() { l.session().Observers.Records.Emit(records.ExitForced{}) }

// ModeName implements [Names].
func (l Live) ModeName() string { return l.session().Rulebook.Mode().Name() }

// ShortPath implements [Names].
func (l Live) ShortPath(path string) string {
	return l.session().Project.Paths.Display(l.session().Workspace.Display(path))
}

// ShortText implements [Names].
func (l Live) ShortText(text string) string { return l.session().Project.Paths.DisplayText(text) }
