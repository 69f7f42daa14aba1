package display

import (
	"time"

	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
)

// IsDue reports whether a frame is to be drawn: something has changed, and the terminal has taken the last frame.
func (d *Display) IsDue(now time.Time) bool {
	return !d.IsLent() && !d.output.IsBusy() && d.pace.isDue(now)
}

// IsBusy reports whether the terminal has not yet taken the last frame.
func (d *Display) IsBusy() bool { return d.output.IsBusy() }

// Written returns the channel with the end of each frame. The caller then calls [Display.Done].
func (d *Display) Written() <-chan inline.Result { return d.output.Written() }

// Done ends the frame whose result came from [Display.Written].
func (d *Display) Done() { d.output.Done() }

// Print prints finished lines with the next frame.
func (d *Display) Print(lines ...styled.Line) { d.screen.Print(lines...) }

// Begin gives the screen the size of the terminal, and reports whether a frame can be drawn now. If not, the frame is due later.
func (d *Display) Begin(now time.Time) bool {
	if !d.takeSize(now) {
		return false
	}
	if d.tellsSize() && d.screen.IsRewrapped() {
		d.write(d.screen.Erase(), now)
		return false
	}
	return true
}

// Show begins to write a frame after [Display.Begin]. It returns false if the terminal has got another size since then: the frame is for
// another width, and would be broken into other rows.
func (d *Display) Show(f inline.Frame, now time.Time) bool {
	if d.isResized() {
		return false
	}
	d.write(append(d.pace.begin(now), d.screen.Frame(f)...), now)
	return true
}

// write begins to write a frame of the screen, and asks for the size in which it is shown if that matters for the next one.
func (d *Display) write(frame []byte, now time.Time) {
	if d.tellsSize() && d.screen.IsInDoubt() {
		frame = append(frame, terminal.SizeQuery...)
		d.sizing.shown = now
	}
	d.output.Write(frame)
	d.console.SetParting(d.screen.Below())
}

// Clear clears the screen: its rows move into the scrollback.
func (d *Display) Clear() {
	d.screen.Clear()
	d.Change()
}

// Redraw draws the screen again after a report of another size: the terminal may have had that for a moment, and cut the rows of a full screen.
func (d *Display) Redraw() {
	if d.full != nil {
		d.full.Erase()
	}
	d.pace.await(time.Time{})
}
