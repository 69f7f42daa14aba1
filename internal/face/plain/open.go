package plain

import (
	"context"
	"fmt"
	"strings"

	"pollux/internal/config"
	"pollux/internal/editor"
	"pollux/internal/face/kit"
	"pollux/internal/record"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// look is an open session with the data that the face shows of it. The zero value, without a session, shows nothing.
type look struct {
	kit.Session
	welcome string        // shown first
	recap   *record.Recap // where a resumed conversation stands, nil for a new one
	// farewell returns the text shown at the end of a session with at least one prompt, and resumeHint how to go on with
	// the conversation after a signal has ended Pollux. "" is nothing.
	farewell, resumeHint func() string
	place                func() wording.Place // the circumstances of a failed request, for advice
	editor               func() Editor        // the user's editor by the current settings, nil if there is none
	showThoughts         bool                 // the setting ui.inlineThinkingMode is full
	screenReader         bool                 // put signs into words
	debug                bool                 // add the provider's response to a failed request
}

// Editor is the user's external editor: an [editor.Editor].
type Editor interface {
	Open(ctx context.Context, path string) error
	Compose(ctx context.Context, text string) (string, error)
	Change(ctx context.Context, name, before, after string) (string, error)
	Leaving() string
}

// open opens the session, which may ask questions.
func (f *Face) open(ctx context.Context, o Options) (look, error) {
	o.Session.Project.Warn, o.Session.Project.DebugLog = f.Warn, debugLog{f}
	live, err := kit.Open(ctx, f.driver, o.Session, o.Terminal, Shortcuts)
	if err != nil {
		return look{}, err
	}
	s, p := live.Commands.Session, live.Commands.Session.Project
	env := p.Options.Env
	return look{
		Session:  live,
		welcome:  terminal.Line(fmt.Sprintf("Pollux %s in %s, with %s", p.Options.Version, p.Paths.Display(p.Paths.Dir()), s.Models.Current().Model)),
		recap:    s.Record.Recap(),
		farewell: live.Commands.Farewell, resumeHint: live.Commands.ResumeHint,
		place: func() wording.Place { return s.Place(true) },
		editor: func() Editor { // it ignores the variables of a project's .env file
			return editor.New(editor.Options{
				Preferred: config.PreferredEditor.In(p.Settings()), NewWindow: config.EditorInNewWindow.In(p.Settings()),
				Visual: env.Get("VISUAL"), Editor: env.Get("EDITOR"),
				Environ: env.List(), Terminal: o.Terminal, Launcher: p.Launcher,
			})
		},
		showThoughts: config.InlineThinking.In(p.Settings()) == "full",
		screenReader: config.ScreenReader.In(p.Settings()),
		debug:        p.Debugging(),
	}, nil
}

// debugLog is an io.Writer that shows the lines of the session's log through the face.
type debugLog struct{ face *Face }

func (l debugLog) Write(b []byte) (int, error) {
	if text := strings.TrimRight(string(b), "\n"); text != "" {
		l.face.Warn(text)
	}
	return len(b), nil
}
