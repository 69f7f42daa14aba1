package kit

import (
	"context"
	"iter"

	"pollux/agent"
	"pollux/internal/records"
	"pollux/internal/session"
	"pollux/internal/slash"
	"pollux/internal/terminal"
)

// Session is a session as a driver works with it. [Live] is one.
type Session interface {
	Names
	// Run, Steer, Withdraw, RunTyped, Allowed and Close are those of [session.Session].
	Run(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error]
	Steer(ctx context.Context, p agent.Prompt) error
	Withdraw() []string
	RunTyped(ctx context.Context, command string) (string, error)
	Allowed(call *agent.PreparedCall) bool
	Close()
	// RecordForcedExit records that the person has pressed Ctrl+C a third time.
	RecordForcedExit()
	// Lookup, RunCommand and Unknown are those of [slash.Runner].
	Lookup(line string) (slash.Call, bool)
	RunCommand(ctx context.Context, line string) (slash.Result, error)
	Unknown(line string) string
	// Record keeps the text that the person has entered for later sessions.
	Record(text string)
	// End does what remains to be done when the person has left, and may ask questions. It returns the last text to
	// show, "" for none.
	End(ctx context.Context) string
}

// Live is an open session with its / commands.
type Live struct {
	names
	Commands *slash.Runner
}

// Open opens a session whose questions and warnings go to a driver. shortcuts is the text of /shortcuts, "" if the face
// has no keys.
func Open(ctx context.Context, d *Driver, o session.Options, t *terminal.Terminal, shortcuts string) (*Live, error) {
	o.Project.Asker, o.Project.Interactive = d, true
	if o.Project.Warn == nil {
		o.Project.Warn = d.Warn
	}
	s, err := session.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Live{names{s}, &slash.Runner{Session: s, Terminal: t, Shortcuts: shortcuts}}, nil
}

// Lookup implements [Session].
func (l *Live) Lookup(line string) (slash.Call, bool) { return l.Commands.Lookup(line) }

// RunCommand implements [Session].
func (l *Live) RunCommand(ctx context.Context, line string) (slash.Result, error) {
	r, _, err := l.Commands.Run(ctx, line)
	return r, err
}

// Unknown implements [Session].
func (l *Live) Unknown(line string) string { return l.Commands.Unknown(line) }

// Record implements [Session].
func (l *Live) Record(text string) { l.session().PromptLog.Add(l.session().ID(), text) }

// End implements [Session].
func (l *Live) End(ctx context.Context) string {
	if l.session().Project.Worktree == nil {
		return ""
	}
	return l.session().Farewell.EndWorktree(ctx, l.session().Close)
}

func (l *Live) session() *session.Session { return l.Commands.Session }

// Run implements [Session].
func (l *Live) Run(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error] {
	return l.session().Run(ctx, p)
}

// Steer implements [Session].
func (l *Live) Steer(ctx context.Context, p agent.Prompt) error { return l.session().Steer(ctx, p) }

// Withdraw implements [Session].
func (l *Live) Withdraw() []string { return l.session().Withdraw() }

// RunTyped implements [Session].
func (l *Live) RunTyped(ctx context.Context, command string) (string, error) {
	return l.session().RunTyped(ctx, command)
}

// Allowed implements [Session].
func (l *Live) Allowed(call *agent.PreparedCall) bool { return l.session().Rulebook.Allows(call) }

// RecordForcedExit implements [Session].
func (l *Live) RecordForcedExit() { l.session().Observers.Records.Emit(records.ExitForced{}) }

// Close implements [Session].
func (l *Live) Close() { l.session().Close() }

// NamesOf returns the names of a session.
func NamesOf(s *session.Session) Names { return names{s} }

type names struct{ s *session.Session }

func (n names) ModeName() string { return n.s.Rulebook.Mode().String() }

func (n names) ToolTitle(name string) string { return n.s.ToolTitle(name) }

func (n names) ShortPath(path string) string {
	return n.s.Project.Paths.Display(n.s.Workspace.Display(path))
}

func (n names) ShortText(text string) string { return n.s.Project.Paths.DisplayText(text) }
