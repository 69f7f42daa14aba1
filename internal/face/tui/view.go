package tui

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"pollux/internal/config"
	"pollux/internal/editor"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/completion"
	"pollux/internal/face/tui/completion/files"
	"pollux/internal/face/tui/keys"
	"pollux/internal/guard/policy"
	"pollux/internal/project"
	"pollux/internal/record"
	"pollux/internal/seen"
	"pollux/internal/session"
)

// view is an open session with the data that the face shows of it. The view of no session has bindings alone.
type view struct {
	live         kit.Live
	session      *session.Session // nil for none
	bindings     *keys.Bindings
	warnings     []string // about the bindings
	engine       *completion.Engine
	files        *files.Source
	touched      files.Touched // by calls of the model
	options      Options
	recap        *record.Recap // of the conversation with which the session was opened, nil for a new one
	seen         seen.Counts   // of notices, when the session was opened
	toldDeletion bool          // the note about how to bring deleted files back was shown, or is not needed
	toldUndo     bool          // the note about how to undo changes was shown, or is not needed
}

func newView(live kit.Live, o Options) *view {
	v := &view{live: live, session: live.Commands.Session, options: o}
	v.recap = v.session.Record.Recap() // before a / command can resume another one
	v.bindings, v.warnings = loadBindings(v.project().Paths, o.GOOS)
	v.engine = newEngine(v)
	v.readSeen()
	return v
}

// loadBindings returns the bindings that keybindings.json of the user changes.
func loadBindings(paths *config.Paths, goos string) (*keys.Bindings, []string) {
	path := filepath.Join(paths.GeminiDir(), "keybindings.json")
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) || errors.Is(err, syscall.ENOTDIR) {
		return keys.Default(goos), nil
	}
	if err != nil {
		return keys.Default(goos), []string{"The keys in keybindings.json do not count: " + err.Error()}
	}
	return keys.Load(goos, data, path)
}

func (v *view) isOpen() bool { return v.session != nil }

func (v *view) project() *project.Project { return v.session.Project }

func (v *view) settings() *config.Settings { return v.project().Settings() }

// mode returns the approval mode.
func (v *view) mode() policy.Mode {
	if !v.isOpen() {
		return policy.Default
	}
	return v.session.Rulebook.Mode()
}

// hasPlan reports whether the user can switch to plan mode.
func (v *view) hasPlan() bool { return v.isOpen() && config.PlanEnabled.In(v.settings()) }

// canSandbox reports whether the mode can be sandboxed.
func (v *view) canSandbox() bool { return v.isOpen() && v.session.Rulebook.CanSandbox() }

// window returns the size of the model's context window in tokens, 0 if it is unknown.
func (v *view) window() int {
	if !v.isOpen() {
		return 0
	}
	return v.session.Window(v.session.Models.Current().Model)
}

// suggestions returns the channel of completions, nil without a session.
func (v *view) suggestions() <-chan completion.Result {
	if v.engine == nil {
		return nil
	}
	return v.engine.Found()
}

// editor returns the user's external editor. It ignores the variables of a project's .env file.
func (v *view) editor() *editor.Editor {
	p := v.project()
	env := p.Options.Env
	return editor.New(editor.Options{
		Preferred: config.PreferredEditor.In(p.Settings()), NewWindow: config.EditorInNewWindow.In(p.Settings()),
		Visual: env.Get("VISUAL"), Editor: env.Get("EDITOR"),
		Environ: env.List(), Terminal: v.options.Terminal, Launcher: p.Launcher, Temp: p.Paths.Staging(),
	})
}

// place returns the name of the workspace for the title of the window.
func (v *view) place() string {
	if !v.isOpen() {
		return ""
	}
	return cmp.Or(v.options.Getenv("CLI_TITLE"), filepath.Base(v.project().Paths.Dir()))
}
