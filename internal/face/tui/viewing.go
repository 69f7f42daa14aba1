package tui

import (
	"context"
	"strings"
	"time"

	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/viewer"
	"pollux/internal/face/tui/viewer/conversation"
)

// wantsViewer reports whether a key that the composer has no use for opens the viewer.
func (l *loop) wantsViewer(e keys.Event) bool {
	k, ok := e.(keys.Key)
	if !ok || !l.view.isOpen() {
		return false
	}
	_, ok = l.view.bindings.Match(k.Chord, keys.AppShowMoreLines)
	return ok
}

// openViewer shows the whole conversation.
func (l *loop) openViewer() {
	s := l.view.session
	source := conversation.Live(s.History, s.Record.Calls)
	l.viewing = viewer.New(source, viewer.Options{
		Names: l.view.live, HasLinks: l.display.Look.OpensLinks(), LineNumbers: l.transcript.Options.LineNumbers, IsRaw: l.transcript.Look.IsRaw,
		DiffLayout: l.transcript.Options.DiffLayout,
	})
	l.display.OpenOther()
}

// closeViewer returns to the screen before.
func (l *loop) closeViewer() {
	l.viewing = nil
	l.display.CloseOther()
}

// drawViewer begins to write the next frame with the viewer.
func (l *loop) drawViewer(now time.Time) {
	width, height := l.display.BeginOther()
	l.retitle()
	v := l.viewing.View(width, height, l.display.Look.Theme)
	l.display.ShowOther(inline.Frame{Lines: v.Lines, Cursor: v.Cursor, HidesCursor: !v.HasCursor}, now)
	l.drawn.dialog = nil
}

// pressViewer gives a key or a paste to the viewer.
func (l *loop) pressViewer(e keys.Event, at time.Time) {
	if k, ok := e.(keys.Key); ok {
		switch command, _ := l.view.bindings.Match(k.Chord, keys.BasicQuit, keys.AppSuspend); command {
		case keys.BasicQuit:
			l.closeViewer()
			return
		case keys.AppSuspend:
			l.suspend(at)
			return
		}
	}
	v := l.viewing
	switch o := v.Handle(e, l.view.bindings).(type) {
	case viewer.Closed:
		l.closeViewer()
	case viewer.Copied:
		l.copyInBackground(func() string { return o.Text }, func(how string, err error) {
			if err != nil {
				how = err.Error()
			}
			v.Note(sentence(how))
		})
	case viewer.EditorWanted:
		l.showInEditor(o.Text)
	}
}

// showInEditor opens a text in the user's editor. Changes of it have no effect.
func (l *loop) showInEditor(text string) {
	e, v := l.view.editor(), l.viewing
	l.lend(func() error {
		_, err := e.Compose(context.Background(), text)
		return err
	}, func(err error) {
		if err != nil {
			v.Note(err.Error())
		}
	})
}

// sentence returns a text with a capital and a full stop.
func sentence(text string) string {
	text = strings.TrimRight(text, ".") + "."
	return strings.ToUpper(text[:1]) + text[1:]
}

// refreshViewer shows messages that have come.
func (l *loop) refreshViewer() {
	if l.viewing == nil {
		return
	}
	l.viewing.Refresh()
	if l.dialog != nil {
		l.viewing.Note("A question waits. To answer it, press q.")
	}
}
