package tui

import (
	"context"
	"strings"
	"time"

	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/viewer"
	"pollux/internal/face/tui/viewer/conversation"
	"pollux/internal/terminal"
)

// viewing is the open viewer of the conversation, on the other screen of the terminal. The main screen stays as it is
// until the viewer is closed. A nil viewing is none.
type viewing struct {
	*viewer.Viewer
	screen    *inline.Screen
	isResized bool // the terminal
	wasKitty  bool // the main screen has the protocol of keys of kitty
}

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
	l.viewing = &viewing{Viewer: viewer.New(source, viewer.Options{
		Names: l.view.live, HasLinks: l.look.opensLinks(), LineNumbers: l.transcript.Options.LineNumbers, IsRaw: l.transcript.Look.IsRaw,
		DiffLayout: l.transcript.Options.DiffLayout,
	})}
	if l.full == nil {
		l.enter(terminal.OtherScreen)
	}
	if l.viewing.wasKitty = l.look.isKitty; l.look.isKitty && l.full == nil { // each screen has its own protocol of keys
		l.enter(terminal.KittyKeys)
	}
	l.resetViewer()
}

// closeViewer returns to the main screen.
func (l *loop) closeViewer() {
	if l.viewing.isResized {
		l.screen.Resize(l.console.Size())
	}
	wasKitty := l.viewing.wasKitty
	l.viewing = nil
	l.pace.change()
	if l.full != nil { // on the same screen
		l.full.Erase()
		return
	}
	if l.look.isKitty {
		l.leave(terminal.KittyKeys)
	}
	l.leave(terminal.OtherScreen)
	if l.look.isKitty && !wasKitty {
		l.enter(terminal.KittyKeys) // for the main screen
	}
}

// resetViewer clears the other screen, and draws the viewer from its first row.
func (l *loop) resetViewer() {
	width, height := l.console.Size()
	// The viewer fills the screen: it has no row below it for the cursor.
	l.viewing.screen = inline.New(inline.Options{
		Width: width, Height: height + 1, Colors: l.look.colors, Synchronizes: l.look.synchronizes, KeepsRows: true,
	})
	l.pace.control(terminal.ClearOther)
}

// drawViewer begins to write the next frame with the viewer.
func (l *loop) drawViewer(now time.Time) {
	v := l.viewing
	width, height := l.console.Size()
	if width != v.screen.Width() || height+1 != v.screen.Height() {
		l.resetViewer()
		v.isResized = true
	}
	l.retitle()
	shown := v.View(width, height, l.look.theme)
	frame := v.screen.Frame(inline.Frame{Lines: shown.Lines, Cursor: shown.Cursor, HidesCursor: !shown.HasCursor})
	l.output.Write(append(l.pace.begin(now), frame...))
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

// search goes on with the search in progress.
func (v *viewing) search() {
	if v != nil {
		v.Step()
	}
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
