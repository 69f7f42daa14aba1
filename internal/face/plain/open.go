package plain

import (
	"context"
	"fmt"
	"strings"

	"pollux/internal/config"
	"pollux/internal/editor"
	"pollux/internal/face/kit"
	"pollux/internal/record"
	"pollux/internal/session"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// look is an open session with what the face shows of it. The zero value, without a session, shows nothing.
type look struct {
	kit.Session
	welcome string        // shown first
	recap   *record.Recap // where a resumed conversation stands, nil for a new one
	// farewell returns the text shown at the end of a session with at least one prompt, and resumeHint how to go on with
	// the conversation after a signal has ended Pollux. "" is nothing.
	farewell, resumeHint func() string
	place                func() wording.Place // what the advice about a failed request depends on
	editor               Editor               // the user's editor, nil if there is none
	showThoughts         bool                 // the setting ui.inlineThinkingMode is full
	screenReader         bool                 // put signs into words
	debug                bool                 // add the provider's response to a failed request
}

// open opens the session, which may ask questions.
func (f *Face) open(ctx context.Context, d *kit.Driver, o Options) (look, error) {
	o.Session.Project.Warn, o.Session.Project.DebugLog = f.Warn, debugLog{f}
	live, err := kit.Open(ctx, d, o.Session, o.Terminal, Shortcuts)
	if err != nil {
		return look{}, err
	}
	s := live.Commands.Session
	return look{
		Session:  live,
		welcome:  terminal.Line(fmt.Sprintf("Pollux %s in %s, with %s", s.Project.Options.Version, s.Project.Paths.Display(s.Project.Paths.Dir()), s.Models.Current().Model)),
		recap:    s.Record.Recap(),
		farewell: live.Commands.Farewell, resumeHint: live.Commands.ResumeHint,
		place:        func() wording.Place { return s.Place(true) },
		editor:       externalEditor{s, o.Terminal},
		showThoughts: config.InlineThinking.In(s.Project.Settings()) == "full",
		screenReader: config.ScreenReader.In(s.Project.Settings()),
		debug:        s.Project.Debugging(),
	}, nil
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
