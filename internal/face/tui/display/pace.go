package display

import "time"

// pace decides when the next frame is drawn: at once after a rest, at most 60 times a second for keys, and 30 times for
// everything else. Without a change there is none.
type pace struct {
	isChanged  bool
	isKeyed    bool // a key has caused the change
	drawn      time.Time
	drawnByKey time.Time
	controls   []byte    // control sequences for the next frame
	held       time.Time // no frame is drawn before
	awaited    time.Time // a frame that waits for something is drawn then, if it does not happen
}

const (
	frameInterval = time.Second / 30
	keyInterval   = time.Second / 60
)

// change notes that the screen is to look different.
func (p *pace) change() { p.isChanged = true }

// press notes that a key makes the screen look different.
func (p *pace) press() { p.isChanged, p.isKeyed = true, true }

// control adds a control sequence to the next frame.
func (p *pace) control(sequence string) {
	p.controls = append(p.controls, sequence...)
	p.isChanged = true
}

// due returns the time from which the next frame may be drawn.
func (p *pace) due() time.Time {
	due := p.drawn.Add(frameInterval)
	if p.isKeyed {
		due = p.drawnByKey.Add(keyInterval)
	}
	for _, t := range [...]time.Time{p.held, p.awaited} {
		if due.Before(t) {
			due = t
		}
	}
	return due
}

// await lets the next frame wait until a time, or no longer if it is zero.
func (p *pace) await(until time.Time) {
	p.awaited = until
	p.isChanged = true
}

// resume ends the wait of [pace.await].
func (p *pace) resume() { p.awaited = time.Time{} }

// hold keeps the screen as the frame at a time leaves it, until tmux has reported every change of its size: after one report, the next
// one comes 250 ms later, but tmux wraps the rows at once, and a frame for the wrong width would overwrite rows above the live area.
func (p *pace) hold(now time.Time) { p.held = now.Add(300 * time.Millisecond) }

// isDue reports whether a frame is to be drawn.
func (p *pace) isDue(now time.Time) bool { return p.isChanged && !now.Before(p.due()) }

// next returns the time of the next frame. While the terminal is busy, its end is waited for instead.
func (p *pace) next(isBusy bool) (time.Time, bool) { return p.due(), p.isChanged && !isBusy }

// begin begins a frame, and returns the control sequences before it.
func (p *pace) begin(now time.Time) []byte {
	if p.isKeyed {
		p.drawnByKey = now
	}
	controls := p.controls
	p.drawn, p.isChanged, p.isKeyed, p.controls = now, false, false, nil
	return controls
}

// Change notes that the screen is to look different.
func (d *Display) Change() { d.pace.change() }

// Press notes that a key makes the screen look different: the next frame comes sooner.
func (d *Display) Press() { d.pace.press() }

// Control adds a control sequence to the next frame.
func (d *Display) Control(sequence string) { d.pace.control(sequence) }
