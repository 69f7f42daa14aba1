package display

import (
	"time"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
)

// drainWait is how long the end waits for replies of the terminal, which the shell would take for input.
const drainWait = 50 * time.Millisecond

// AwaitFrame waits until the frame in progress is written. It returns false if another program has the terminal, or if that takes no output.
func (d *Display) AwaitFrame() bool {
	if d.IsLent() {
		return false
	}
	_, ok := d.output.Wait(outputWait)
	return ok
}

// BeginEnd reads the rest of the replies of the terminal, and closes the other screen. It comes after [Display.AwaitFrame].
func (d *Display) BeginEnd() {
	d.drain()
	if d.other != nil {
		d.CloseOther()
		_, _ = d.console.Write(d.pace.begin(time.Now()))
	}
}

// End prints the last lines in the main screen, and removes the live area. It comes after [Display.BeginEnd].
func (d *Display) End(last []styled.Line) {
	d.leaveFull()
	d.screen.Print(last...)
	d.fit()
	d.output.Write(d.screen.Erase())
	d.console.SetParting(d.screen.Below())
	_, _ = d.output.Wait(outputWait)
}

// Close gives the terminal back.
func (d *Display) Close() {
	if !d.IsLent() {
		d.console.Close()
	}
	d.output.Close()
	d.reader.close()
}

// leaveFull returns from a full screen to the main one, and prints the end of the conversation there.
func (d *Display) leaveFull() {
	if d.full == nil {
		return
	}
	tail := d.full.Tail(2 * d.full.Height())
	for _, m := range [...]terminal.Mode{terminal.Mouse, terminal.KittyKeys, terminal.OtherScreen} {
		if d.IsIn(m) {
			d.Leave(m)
		}
	}
	d.screen, d.full = d.mainScreen(), nil
	d.screen.Print(tail...)
	_, _ = d.console.Write(d.pace.begin(time.Now())) // a failure shows with the next frame
}

// drain reads the rest of the replies that the terminal was asked for.
func (d *Display) drain() {
	most := drainWait
	if !d.hasSizes() { // tmux replies
		most = ReplyWait
	}
	d.awaitReplies(most, func(c Chunk) {
		for _, e := range d.decoder.Feed(c.bytes, c.at) {
			switch e := e.(type) {
			case keys.DeviceAttributes:
				d.Look.hasReplied = true
			case keys.Size:
				d.learnSize(e.Width, e.Height, time.Now())
			}
		}
	}, func() bool { return d.Look.hasReplied && d.hasSizes() })
}
