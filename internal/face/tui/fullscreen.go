package tui

import (
	"time"

	"pollux/internal/config"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/toast"
	"pollux/internal/terminal"
)

// Messages about the mouse and the selection.
const (
	copyModeNote = "In Copy Mode. Use Page Up/Down to scroll. Press Ctrl+S or any other key to exit."
	mouseIsOn    = "Press Ctrl-S to enter selection mode to copy text."
	mouseIsOff   = "Selection mode: the terminal selects text. Press Ctrl-S to turn the mouse on."
)

// isFrozen reports whether the screen is in copy mode.
func (l *loop) isFrozen() bool { return l.display.Full() != nil && l.display.Full().IsFrozen() }

// showEnd shows the end of the conversation.
func (l *loop) showEnd() {
	if l.display.Full() != nil {
		l.display.Full().ToEnd()
		l.display.Full().Deselect()
	}
}

// scrolls scrolls the conversation if a key is bound to that. Dialogs and panes have the keys first. It returns false for another key,
// which ends the selection.
func (l *loop) scrolls(k keys.Key) bool {
	if l.display.Full() == nil || l.dialog != nil || l.pane != nil {
		return false
	}
	if l.scroll(k) {
		return true
	}
	l.display.Full().Deselect()
	return false
}

// scrollsBehind scrolls the conversation behind a dialog or a pane that has no use for a key. It returns false for another event.
func (l *loop) scrollsBehind(e keys.Event) bool {
	k, ok := e.(keys.Key)
	return ok && l.display.Full() != nil && l.scroll(k)
}

// scroll scrolls the conversation if a key is bound to that, else it returns false.
func (l *loop) scroll(k keys.Key) bool {
	command, _ := l.view.bindings.Match(k.Chord, keys.ScrollUp, keys.ScrollDown, keys.ScrollPageUp, keys.ScrollPageDown, keys.ScrollHome, keys.ScrollEnd)
	switch command {
	case keys.ScrollUp:
		l.display.Full().Scroll(-1)
	case keys.ScrollDown:
		l.display.Full().Scroll(1)
	case keys.ScrollPageUp:
		l.display.Full().Scroll(-l.display.Full().Page())
	case keys.ScrollPageDown:
		l.display.Full().Scroll(l.display.Full().Page())
	case keys.ScrollHome:
		l.display.Full().ToStart()
	case keys.ScrollEnd:
		l.display.Full().ToEnd()
	default:
		return false
	}
	return true
}

// enterCopyMode freezes the screen, and leaves the mouse to the terminal. It returns false in the main screen, which never has the
// mouse.
func (l *loop) enterCopyMode() bool {
	if l.display.Full() == nil {
		return false
	}
	l.pointer.wasOn = l.display.IsIn(terminal.Mouse)
	if l.pointer.wasOn {
		l.display.Leave(terminal.Mouse)
	}
	l.display.Full().Deselect()
	l.toast.Dismiss(toast.Warning)
	l.display.Full().Freeze(copyModeNote)
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
			l.display.Full().Scroll(-1)
			return
		case keys.NavDown:
			l.display.Full().Scroll(1)
			return
		}
	}
	l.display.Full().Thaw()
	if l.pointer.wasOn {
		l.display.Enter(terminal.Mouse)
	}
}

// toggleMouse turns the mouse off, so that the terminal selects text, or on. It returns false in the main screen.
func (l *loop) toggleMouse(at time.Time) bool {
	if l.display.Full() == nil {
		return false
	}
	text := mouseIsOn
	if l.display.IsIn(terminal.Mouse) {
		l.display.Leave(terminal.Mouse)
		text = mouseIsOff
	} else {
		l.display.Enter(terminal.Mouse)
	}
	l.toast.Show(text, toast.Warning, at, toast.UsualTime)
	return true
}

// copySelection copies the selected text. It returns false if there is none.
func (l *loop) copySelection() bool {
	if l.display.Full() == nil || !l.view.isOpen() {
		return false
	}
	text := l.display.Full().Selected()
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
