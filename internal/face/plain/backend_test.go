package plain

import (
	"context"
	"iter"

	"pollux/agent"
	"pollux/internal/companion"
	"pollux/internal/face/kit"
	"pollux/internal/manage"
	"pollux/internal/slash"
	"pollux/internal/stats"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// backend is a session whose parts a test replaces. The zero value of a field turns its feature off.
type backend struct {
	Terminal   *terminal.Terminal
	Interrupts <-chan struct{}
	First      string
	Open       func(ctx context.Context) (backend, error) // returns the backend for the rest of the session
	Run        func(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error]

	LookupCommand  func(line string) (known, busy bool)
	RunCommand     func(ctx context.Context, line string) (slash.Result, error)
	UnknownCommand func(line string) string
	RunShell       func(ctx context.Context, command string) (string, error)
	IsAllowed      func(call *agent.PreparedCall) bool
	Steer          func(prompt string)
	Steers         func() bool
	End            func(ctx context.Context) string
	Mode           func() string
	ToolTitle      func(tool string) string

	Welcome                            string
	Farewell                           func() string
	Place                              func(string) wording.Place
	Editor                             Editor
	ShowThoughts, HideCitations, Debug bool
}

// newTestFace returns a face for a backend.
func newTestFace(o backend) *Face {
	return newFace(Options{Terminal: o.Terminal, Interrupts: o.Interrupts, First: o.First}, func(ctx context.Context, f *Face) (look, error) {
		b := o
		if o.Open != nil {
			var err error
			if b, err = o.Open(ctx); err != nil {
				return look{}, err
			}
		}
		shown := look{
			Session: fake{b}, welcome: b.Welcome, farewell: b.Farewell, resumeHint: func() string { return "" }, place: b.Place, showThoughts: b.ShowThoughts, hideCitations: b.HideCitations, debug: b.Debug, steers: b.Steers,
		}
		if b.Editor != nil {
			shown.editor = func() Editor { return b.Editor }
		}
		if b.Farewell == nil {
			shown.farewell = func() string { return "Agent powering down. Goodbye!" }
		}
		if b.Place == nil {
			shown.place = func(string) wording.Place { return wording.Place{InSession: true} }
		}
		return shown, nil
	})
}

// fake is the session of a backend.
type fake struct{ b backend }

var _ kit.Session = fake{}

func (f fake) Run(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error] {
	return f.b.Run(ctx, p)
}

func (f fake) Steer(_ context.Context, p agent.Prompt) error {
	f.b.Steer(p.Text())
	return nil
}
func (fake) Withdraw() []string { return nil }
func (f fake) RunTyped(ctx context.Context, command string, _ func(agent.Event)) (string, error) {
	return f.b.RunShell(ctx, command)
}

func (f fake) Allows(c *agent.PreparedCall) bool                                { return f.b.IsAllowed != nil && f.b.IsAllowed(c) }
func (fake) ShowDiff(context.Context, string, string) (*companion.Diff, string) { return nil, "" }
func (fake) Stats() (s stats.Snapshot)                                          { return s }
func (fake) RecordForcedExit()                                                  {}
func (fake) Close()                                                             {}

func (f fake) Lookup(line string) (slash.Call, bool) {
	if f.b.LookupCommand == nil {
		return slash.Call{}, false
	}
	known, busy := f.b.LookupCommand(line)
	if !known {
		return slash.Call{}, false
	}
	return slash.Call{Command: &manage.Command{RunsWhileBusy: busy}}, true
}

func (f fake) RunCommand(ctx context.Context, line string) (slash.Result, error) {
	return f.b.RunCommand(ctx, line)
}

func (f fake) Unknown(line string) string {
	if f.b.UnknownCommand == nil {
		return ""
	}
	return f.b.UnknownCommand(line)
}

func (fake) LogPrompt(string) {}

func (f fake) End(ctx context.Context) string {
	if f.b.End == nil {
		return ""
	}
	return f.b.End(ctx)
}

func (f fake) ModeName() string {
	if f.b.Mode == nil {
		return "default"
	}
	return f.b.Mode()
}

func (f fake) ToolTitle(name string) string {
	if f.b.ToolTitle == nil {
		return ""
	}
	return f.b.ToolTitle(name)
}
func (fake) ShortPath(path string) string { return path }
func (fake) ShortText(text string) string { return text }
