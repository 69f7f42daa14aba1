package tui

import (
	"time"

	"pollux/internal/face/tui/keys"
)

// pointer is the state of the mouse.
type pointer struct {
	pressed     keys.Mouse // the last press of the left button
	isSelecting bool       // that press was on the conversation
	wasOn       bool       // before copy mode
}

// doubleClick is the longest time between the two presses of a double click.
const doubleClick = 400 * time.Millisecond

// wheelRows is the number of rows that a step of the wheel scrolls.
const wheelRows = 3

// point takes an action of the mouse. In the main screen and in copy mode the mouse belongs to the terminal.
func (l *loop) point(m keys.Mouse) {
	if l.display.Full() == nil || l.display.IsLent() || l.isFrozen() {
		return
	}
	l.display.Press()
	switch {
	case l.viewing != nil:
		l.viewing.Handle(m, l.view.bindings)
	case m.Kind == keys.MouseWheel:
		l.turnWheel(m)
	case m.Kind == keys.MouseRelease && m.Button == keys.ButtonRight && l.view.isOpen():
		l.paste()
	case m.Kind == keys.MousePress && m.Button == keys.ButtonLeft:
		l.click(m)
	case m.Kind == keys.MouseMotion && l.pointer.isSelecting:
		l.display.Full().Drag(m.Row, m.Column)
	case m.Kind == keys.MouseRelease && l.pointer.isSelecting:
		l.pointer.isSelecting = false
		if l.display.Full().Release() && l.copiesOnSelect() {
			l.copySelection()
		}
	}
}

// turnWheel scrolls the list under the pointer, or else the conversation.
func (l *loop) turnWheel(m keys.Mouse) {
	step, arrow := wheelRows, keys.Down
	switch m.Button {
	case keys.WheelUp:
		step, arrow = -wheelRows, keys.Up
	case keys.WheelDown:
	default:
		return
	}
	isList := (l.dialog != nil || l.pane != nil) && !l.display.Full().HasRow(m.Row)
	if isList {
		l.press(keys.Key{Chord: keys.Chord{Code: arrow}, At: m.At}, m.At)
		return
	}
	l.display.Full().Scroll(step)
}

// click takes a press of the left button: on the conversation a selection begins; in the input it moves the cursor, and two of them
// show or hide the text of a placeholder.
func (l *loop) click(m keys.Mouse) {
	before := l.pointer.pressed
	l.pointer.pressed = m
	if l.pointer.isSelecting = l.display.Full().HasRow(m.Row); l.pointer.isSelecting {
		l.display.Full().Press(m.Row, m.Column)
		return
	}
	l.display.Full().Deselect()
	if l.dialog != nil || l.pane != nil {
		return
	}
	isDouble := m.At.Sub(before.At) < doubleClick && before.Row == m.Row && before.Column == m.Column
	if isDouble {
		l.pointer.pressed = keys.Mouse{}
	}
	l.composer.Click(l.display.Full().FromCursor(m.Row), m.Column, isDouble)
	l.keeper.Touch(m.At)
	l.suggest()
}
