package display

import (
	"time"

	"pollux/internal/face/tui/inline"
	"pollux/internal/terminal"
)

// other is the other screen of the terminal. The main screen stays as it is until this one is closed.
type other struct {
	screen    *inline.Screen
	isResized bool // the terminal
	wasKitty  bool // the main screen has the protocol of keys of kitty
}

// OpenOther opens the other screen.
func (d *Display) OpenOther() {
	d.other = &other{wasKitty: d.Look.IsKitty}
	if d.full == nil {
		d.Enter(terminal.OtherScreen)
		if d.Look.IsKitty { // each screen has its own protocol of keys
			d.Enter(terminal.KittyKeys)
		}
	}
	d.resetOther()
}

// CloseOther returns to the screen before.
func (d *Display) CloseOther() {
	if d.other.isResized {
		d.screen.Resize(d.console.Size())
	}
	wasKitty := d.other.wasKitty
	d.other = nil
	d.Change()
	if d.full != nil { // on the same screen
		d.full.Erase()
		return
	}
	if d.Look.IsKitty {
		d.Leave(terminal.KittyKeys)
	}
	d.Leave(terminal.OtherScreen)
	if d.Look.IsKitty && !wasKitty {
		d.Enter(terminal.KittyKeys) // for the main screen
	}
}

// resetOther clears the other screen, and draws it from its first row.
func (d *Display) resetOther() {
	width, height := d.console.Size()
	// The content fills the screen: it has no row below it for the cursor.
	d.other.screen = inline.New(inline.Options{
		Width: width, Height: height + 1, Colors: d.Look.Colors, Synchronizes: d.Look.synchronizes, KeepsRows: true,
	})
	d.Control(terminal.ClearOther)
}

// BeginOther gives the other screen the size of the terminal, and returns it.
func (d *Display) BeginOther() (width, height int) {
	width, height = d.console.Size()
	if width != d.other.screen.Width() || height+1 != d.other.screen.Height() {
		d.resetOther()
		d.other.isResized = true
	}
	return width, height
}

// ShowOther begins to write a frame of the other screen.
func (d *Display) ShowOther(f inline.Frame, now time.Time) {
	d.output.Write(append(d.pace.begin(now), d.other.screen.Frame(f)...))
}
