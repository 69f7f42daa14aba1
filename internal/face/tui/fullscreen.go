package tui

import (
	"slices"
	"time"

	"pollux/internal/config"
	"pollux/internal/face/tui/full"
	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/toast"
	"pollux/internal/terminal"
)

// Messages about the mouse and the selection.
const (
	copyModeNote = "In Copy Mode. Use Page Up/Down to scroll. Press Ctrl+S or any other key to exit."
	mouseIsOn    = "Press Ctrl-S to enter selection mode to copy text."
	mouseIsOff   = "Selection mode: the terminal selects text. Press Ctrl-S to turn the mouse on."
)

// useFullScreen makes the screen a full one, if the user wants that.
func (l *loop) useFullScreen(width, height int) {
	if !l.options.FullScreen {
		return
	}
	l.full = full.New(full.Options{
		Width: width, Height: height, Colors: l.look.colors, Theme: func() theme.Theme { return l.look.theme },
	})
	l.screen, l.look.isFull, l.transcript.Look.Refits = l.full, true, true
}

// enterFullScreen enters the modes of a full screen.
func (l *loop) enterFullScreen() {
	if l.full != nil {
		l.enter(terminal.OtherScreen)
		l.enter(terminal.Mouse)
	}
}

// leaveFullScreen returns to the main screen, and prints the end of the conversation there.
func (l *loop) leaveFullScreen() {
	if l.full == nil {
		return
	}
	tail := l.full.Tail(2 * l.full.Height())
	for _, m := range [...]terminal.Mode{terminal.Mouse, terminal.KittyKeys, terminal.OtherScreen} {
		if slices.Contains(l.modes, m) {
			l.leave(m)
		}
	}
	width, height := l.console.Size()
	main := inline.New(inline.Options{Width: width, Height: height, Colors: l.look.colors})
	l.screen, l.full, l.transcript.Look.Refits = main, nil, false
	l.screen.Print(tail...)
	_, _ = l.console.Write(l.pace.begin(time.Now())) // a failure shows with the next frame
}

// redraw draws a full screen again: the terminal may have had another size for a moment, and cut its rows.
func (l *loop) redraw() {
	if l.full != nil {
		l.full.Erase()
	}
}

// isFrozen reports whether the screen is in copy mode.
func (l *loop) isFrozen() bool { return l.full != nil && l.full.IsFrozen() }

// showEnd shows the end of the conversation.
func (l *loop) showEnd() {
	if l.full != nil {
		l.full.ToEnd()
		l.full.Deselect()
	}
}

// scrolls scrolls the conversation if a key is bound to that. Dialogs and panes have the keys first. It returns false for another key,
// which ends the selection.
func (l *loop) scrolls(k keys.Key) bool {
	if l.full == nil || l.dialog != nil || l.pane != nil {
		return false
	}
	if l.scroll(k) {
		return true
	}
	l.full.Deselect()
	return false
}

// scrollsBehind scrolls the conversation behind a dialog or a pane that has no use for a key. It returns false for another event.
func (l *loop) scrollsBehind(e keys.Event) bool {
	k, ok := e.(keys.Key)
	return ok && l.full != nil && l.scroll(k)
}

// scroll scrolls the conversation if a key is bound to that, else it returns false.
func (l *loop) scroll(k keys.Key) bool {
	command, _ := l.view.bindings.Match(k.Chord, keys.ScrollUp, keys.ScrollDown, keys.ScrollPageUp, keys.ScrollPageDown, keys.ScrollHome, keys.ScrollEnd)
	switch command {
	case keys.ScrollUp:
		l.full.Scroll(-1)
	case keys.ScrollDown:
		l.full.Scroll(1)
	case keys.ScrollPageUp:
		l.full.Scroll(-l.full.Page())
	case keys.ScrollPageDown:
		l.full.Scroll(l.full.Page())
	case keys.ScrollHome:
		l.full.ToStart()
	case keys.ScrollEnd:
		l.full.ToEnd()
	default:
		return false
	}
	return true
}

// enterCopyMode freezes the screen, and leaves the mouse to the terminal. It returns false in the main screen, which never has the
// mouse.
func (l *loop) enterCopyMode() bool {
	if l.full == nil {
		return false
	}
	l.pointer.wasOn = l.hasMouse()
	if l.pointer.wasOn {
		l.leave(terminal.Mouse)
	}
	l.full.Deselect()
	l.toast.Dismiss(toast.Warning)
	l.full.Freeze(copyModeNote)
	return true
}

// pressFrozen takes a key in copy mode: the arrow keys scroll too, because terminals send them for the wheel.
func (l *loop) pressFrozen(e keys.Event) {
	if k, ok := e.(keys.Key); ok {
		if l.scroll(k) {
			return
		}
		switch command, _ := l.view.bindings.Match(k.Chord, keys.NavUp, keys.NavDown); command {
		case keys.NavUp:
			l.full.Scroll(-1)
			return
		case keys.NavDown:
			l.full.Scroll(1)
			return
		}
	}
	l.full.Thaw()
	if l.pointer.wasOn {
		l.enter(terminal.Mouse)
	}
}

// hasMouse reports whether the terminal reports the mouse.
func (l *loop) hasMouse() bool { return slices.Contains(l.modes, terminal.Mouse) }

// toggleMouse turns the mouse off, so that the terminal selects text, or on. It returns false in the main screen.
func (l *loop) toggleMouse(at time.Time) bool {
	if l.full == nil {
		return false
	}
	text := mouseIsOn
	if l.hasMouse() {
		l.leave(terminal.Mouse)
		text = mouseIsOff
	} else {
		l.enter(terminal.Mouse)
	}
	l.toast.Show(text, toast.Warning, at, toast.UsualTime)
	return true
}

// copySelection copies the selected text. It returns false if there is none.
func (l *loop) copySelection() bool {
	if l.full == nil || !l.view.isOpen() {
		return false
	}
	text := l.full.Selected()
	if text == "" {
		return false
	}
	l.copyInBackground(func() string { return text }, func(how string, err error) {
		now := time.Now()
		if err != nil {
			l.warn("The selection is not copied: "+terminal.Line(err.Error()), now)
			return
		}
		l.toast.Show("Selection "+how, toast.Hint, now, toast.UsualTime)
	})
	return true
}

// copiesOnSelect reports whether a selection is copied when it ends.
func (l *loop) copiesOnSelect() bool {
	return l.view.isOpen() && config.CopyOnSelect.In(l.view.settings())
}
