// Package emulator makes the emulator of a terminal behave as terminals do where it does not.
package emulator

import (
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// Resize changes the size of a terminal. If it becomes too low for the row of the cursor, the rows at its top go into the scrollback
// until the cursor is in the last row. The emulator alone drops the rows at the bottom, and the output in them.
func Resize(e *vt.Emulator, width, height int) {
	if n := e.CursorPosition().Y - max(height-1, 0); n > 0 {
		if !e.IsAltScreen() {
			for y := range n {
				e.Scrollback().Push(row(e, y))
			}
		}
		for y := range height {
			move(e, y+n, y)
		}
	}
	e.Resize(width, height)
}

func row(e *vt.Emulator, y int) uv.Line {
	line := make(uv.Line, e.Width())
	for x := range line {
		line[x] = *e.CellAt(x, y)
	}
	return line
}

// move copies a row to another one.
func move(e *vt.Emulator, from, to int) {
	line := row(e, from)
	for x := 0; x < len(line); x += max(line[x].Width, 1) {
		e.SetCell(x, to, &line[x])
	}
}
