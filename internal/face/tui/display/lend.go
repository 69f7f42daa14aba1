package display

import (
	"time"

	"pollux/internal/face/tui/inline"
	"pollux/internal/terminal"
)

// holder is who has the terminal.
type holder uint8

const (
	us      holder = iota
	shell          // Pollux has stopped
	program        // that Pollux has started, such as an editor
)

// outputWait is how long a terminal that takes no output holds up the end of a frame.
const outputWait = 500 * time.Millisecond

// IsLent reports whether another program has the terminal.
func (d *Display) IsLent() bool { return d.holder != us }

// Release gives the terminal to a program, until [Display.Reclaim]. read takes the input that arrives before.
func (d *Display) Release(read func(Chunk)) { d.release(program, read) }

// Stop gives the terminal back to the shell, and stops Pollux until the shell continues it. Then the caller calls [Display.Resume], also
// after an error.
func (d *Display) Stop(read func(Chunk)) error {
	if !d.IsLent() {
		d.release(shell, read)
	}
	return terminal.Suspend()
}

// release removes the live area and leaves the modes of the terminal.
func (d *Display) release(to holder, read func(Chunk)) {
	d.holder = to
	if _, ok := d.output.Wait(outputWait); ok && d.other == nil {
		d.awaitReplies(ReplyWait, read, d.hasSizes)
		d.fit()
		_, _ = d.console.Write(d.screen.Erase()) // a failure shows when the terminal is back
	}
	d.reader.input.Pause()
	d.console.SetParting("") // on the other screen, the cursor stays in the live area
	d.console.Close()
}

// Reclaim takes the terminal back from a program.
func (d *Display) Reclaim() error {
	console, err := openConsole(d.options.Terminal)
	if err != nil {
		d.holder = shell
		return err
	}
	d.console, d.holder = console, us
	d.output.Close()
	d.output = inline.NewOutput(console)
	modes := d.modes
	d.modes = nil
	for _, m := range modes {
		d.Enter(m)
	}
	if d.other != nil {
		d.resetOther()
	}
	d.reader.input.Resume()
	d.Change()
	return nil
}

// Resume takes the terminal back after a stop of the process, in which its modes may have changed. A program of [Display.Release] keeps it.
func (d *Display) Resume(read func(Chunk)) error {
	switch d.holder {
	case program:
		return nil
	case us:
		d.release(shell, read)
	}
	return d.Reclaim()
}
