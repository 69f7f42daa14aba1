package plain

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strings"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/editor"
	"pollux/internal/record"
	"pollux/internal/session"
	"pollux/internal/slash"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// backend holds the functions of a session that the face calls. Terminal and Run are
// required; the zero value of any other field turns its feature off.
type backend struct {
	Terminal *terminal.Terminal
	// Open, if set, is called first. It may ask questions, and returns the backend for
	// the rest of the session; Terminal and Interrupts keep their values. [Face.Run]
	// returns its error.
	Open func(ctx context.Context) (backend, error)
	// Run sends a prompt to the model; see [session.Session.Run].
	Run func(ctx context.Context, text string) iter.Seq2[agent.Event, error]

	// LookupCommand reports whether a line is a / command, and whether the command may
	// run while the model works. RunCommand runs it. UnknownCommand explains that
	// a line looks like a command and names none; "" for other lines.
	LookupCommand  func(line string) (known, busy bool)
	RunCommand     func(ctx context.Context, line string) (slash.Result, error)
	UnknownCommand func(line string) string
	// RunShell runs the command that the user typed after "!", and returns the text to
	// show. If it is nil, such lines are prompts.
	RunShell func(ctx context.Context, command string) (string, error)

	// RecordPrompt records a prompt or command that the user has entered, for later sessions.
	RecordPrompt func(text string)

	// Interrupts receives a value for each Ctrl+C, which must not cancel ctx.
	Interrupts <-chan struct{}
	// Resumes receives a value when the process continues after Ctrl+Z.
	Resumes <-chan os.Signal
	// First is the first prompt or / command.
	First string
	// Welcome is shown first. Farewell returns the text shown at the end of a session
	// with at least one prompt; "" is a default text.
	Welcome string
	// End, if set, ends the session when the user has left, and may ask questions. It returns the last
	// text to show.
	End func(ctx context.Context) string
	// Recap is where a resumed conversation stands, nil for a new one.
	Recap    *record.Recap
	Farewell func() string
	// ResumeHint returns how to go on with the conversation after a signal has ended Pollux, "" for nothing.
	ResumeHint func() string
	// ForcedExit, if set, is called when the user presses Ctrl+C a third time.
	ForcedExit func()

	// IsAllowed reports whether the gate would now allow a call without a question,
	// because of another answer or of a new mode.
	IsAllowed func(call *agent.PreparedCall) bool
	// Mode returns the approval mode by its name in policies, such as "autoEdit".
	Mode func() string
	// ToolTitle returns the title of a tool for people, "" if it has none.
	ToolTitle func(tool string) string
	// ShortPath returns an absolute path relative to the workspace, else with ~ for the home
	// directory. ShortText does the latter with the paths in a text.
	ShortPath, ShortText func(string) string

	// Editor is the user's editor, nil if there is none.
	Editor Editor
	// ShowThoughts shows the model's thoughts (setting ui.inlineThinkingMode is full).
	ShowThoughts bool
	// ScreenReader puts signs into words (setting ui.accessibility.screenReader).
	ScreenReader bool
	// IsTask means that no session follows what Open does.
	IsTask bool
	// Place returns what the advice about a failed request depends on. nil means general
	// advice.
	Place func() wording.Place
	// Debug adds the provider's response to a failed request.
	Debug bool
}

// open opens the session, which may ask questions, and returns its backend.
func (f *Face) open(ctx context.Context, o Options) (backend, error) {
	o.Session.Project.Asker, o.Session.Project.Interactive, o.Session.Project.Warn = f, true, f.Warn
	o.Session.Project.DebugLog = debugLog{f}
	s, err := session.Open(ctx, o.Session)
	if err != nil {
		return backend{}, err
	}
	f.session.Store(s)
	commands := &slash.Runner{Session: s, Terminal: o.Terminal, Shortcuts: Shortcuts}
	var end func(context.Context) string
	if s.Project.Worktree != nil {
		end = s.EndWorktree
	}
	return backend{
		Run: s.Run, End: end,
		LookupCommand: func(line string) (known, busy bool) {
			call, known := commands.Lookup(line)
			return known, known && call.Command.RunsWhileBusy
		},
		RunCommand: func(ctx context.Context, line string) (slash.Result, error) {
			r, _, err := commands.Run(ctx, line)
			return r, err
		},
		UnknownCommand: commands.Unknown,
		RunShell:       s.RunTyped,
		RecordPrompt:   func(text string) { s.PromptLog.Add(s.ID(), text) },
		First:          o.First,
		Welcome:        terminal.Line(fmt.Sprintf("Pollux %s in %s, with %s", s.Project.Options.Version, s.Project.Paths.Display(s.Project.Paths.Dir()), s.Current().Model)),
		Recap:          s.Record.Recap(),
		Farewell:       commands.Farewell,
		ResumeHint:     commands.ResumeHint,
		ForcedExit:     s.RecordForcedExit,

		IsAllowed:    s.Allowed,
		Mode:         func() string { return s.Mode().String() },
		ToolTitle:    s.ToolTitle,
		ShortPath:    func(path string) string { return s.Project.Paths.Display(s.Workspace.Display(path)) },
		ShortText:    s.Project.Paths.DisplayText,
		Editor:       externalEditor{s, o.Terminal},
		ShowThoughts: config.InlineThinking.In(s.Project.Settings()) == "full",
		ScreenReader: config.ScreenReader.In(s.Project.Settings()),
		Place:        func() wording.Place { return s.Place(true) },
		Debug:        s.Project.Debugging(),
	}, nil
}

// lookupCommand is the LookupCommand of a backend without a session.
func lookupCommand(line string) (known, busy bool) {
	call, known := slash.Lookup(line)
	return known, known && call.Command.RunsWhileBusy
}

// externalEditor opens the user's editor with the settings at the time of the call. It
// ignores the variables of a project's .env file.
type externalEditor struct {
	session  *session.Session
	terminal *terminal.Terminal
}

func (e externalEditor) editor() *editor.Editor {
	env, settings := e.session.Project.Options.Env, e.session.Project.Settings()
	return editor.New(editor.Options{
		Preferred: config.PreferredEditor.In(settings), NewWindow: config.EditorInNewWindow.In(settings),
		Visual: env.Get("VISUAL"), Editor: env.Get("EDITOR"),
		Environ: env.List(), Terminal: e.terminal, Launcher: e.session.Project.Launcher,
	})
}

func (e externalEditor) Open(ctx context.Context, path string) error {
	return e.editor().Open(ctx, path)
}

func (e externalEditor) Leaving() string { return e.editor().Leaving() }

func (e externalEditor) Compose(ctx context.Context, text string) (string, error) {
	return e.editor().Compose(ctx, text)
}

func (e externalEditor) Change(ctx context.Context, name, before, after string) (string, error) {
	return e.editor().Change(ctx, name, before, after)
}

// debugLog is an io.Writer that shows the lines of the session's log through the face.
type debugLog struct{ face *Face }

func (l debugLog) Write(b []byte) (int, error) {
	if text := strings.TrimRight(string(b), "\n"); text != "" {
		l.face.Warn(text)
	}
	return len(b), nil
}
