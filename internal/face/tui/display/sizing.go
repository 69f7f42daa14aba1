package display

import (
	"time"

	"pollux/internal/terminal"
)

// sizing is the wait for the size in which the terminal shows the next frame. When a window changes, the terminal wraps its rows at once. A frame
// that was made for another width then overwrites rows above the live area, so that none is drawn while the size changes.
//
// tmux reports the change up to 250 ms after the one before, or later on a busy machine. So it is asked for the size before the first frame
// after a change, and again when the time for more reports is over. A change while a frame is on its way shows in the size behind it: the
// next frame waits for that, too.
type sizing struct {
	isOpen        bool      // the size may have changed once more
	began         time.Time // of the wait, zero if there is none
	isAsked       bool      // the reply is not there yet
	width, height int       // the last reply, or the last size that was seen; 0 if there is none
	changed       time.Time // when the last size was first seen

	shown     time.Time // when the frame was drawn whose size is asked for, zero if there is none
	tells     bool      // the terminal tells its size when it is asked
	isSwapped bool      // it tells the columns before the rows, as tmux 3.3
}

const (
	sizeWait  = time.Second            // how long a frame waits at most until the size is known
	sizeRest  = 100 * time.Millisecond // how long a size is to stay the same
	sizeAgain = 100 * time.Millisecond // when tmux is asked again if it and the kernel do not agree on the size
)

// isResized reports whether the terminal has another size than the screen.
func (d *Display) isResized() bool {
	width, height := d.console.Size()
	return width != d.screen.Width() || height != d.screen.Height()
}

// takeSize gives the screen the size of the terminal, and reports whether a frame can be drawn now.
func (d *Display) takeSize(now time.Time) bool {
	width, height := d.console.Size()
	isChanged := width != d.screen.Width() || height != d.screen.Height()
	switch {
	case d.full != nil: // the terminal does not wrap its rows
	case d.Look.Multiplexer == "tmux":
		if d.isShowing(now) || !d.knowsSize(width, height, now) {
			return false
		}
		if isChanged {
			d.pace.hold(now)
		}
	case isChanged || !d.sizing.began.IsZero():
		if until := d.sizing.settle(width, height, now); now.Before(until) {
			d.pace.await(until)
			return false
		}
		isChanged, d.sizing = true, sizing{}
	}
	if isChanged {
		d.screen.Resize(width, height)
	}
	return true
}

// fit gives the screen the size of the terminal for its last frame, without a wait.
func (d *Display) fit() {
	if d.isResized() || !d.sizing.began.IsZero() {
		d.screen.Resize(d.console.Size())
	}
}

// settle notes a size, and returns until when it is to stay the same.
func (s *sizing) settle(width, height int, now time.Time) time.Time {
	if s.began.IsZero() {
		s.began = now
	}
	if s.width != width || s.height != height {
		s.width, s.height, s.changed = width, height, now
	}
	rest, most := s.changed.Add(sizeRest), s.began.Add(sizeWait)
	if rest.Before(most) {
		return rest
	}
	return most
}

// knowsSize reports whether tmux shows the screen in this size, as far as it says so. If not, it asks tmux, and the next frame waits for
// the reply.
func (d *Display) knowsSize(width, height int, now time.Time) bool {
	s := &d.sizing
	isChanged := width != d.screen.Width() || height != d.screen.Height()
	switch {
	case !isChanged && !s.isOpen:
		return true
	case s.is(width, height), !s.began.IsZero() && now.Sub(s.began) >= sizeWait:
		*s = sizing{isOpen: isChanged, tells: s.tells, isSwapped: s.isSwapped}
		return true
	case s.began.IsZero():
		s.began = now
	}
	if !s.isAsked {
		s.isAsked = true
		d.output.Write([]byte(terminal.SizeQuery))
	}
	d.pace.await(s.began.Add(sizeWait))
	return false
}

// tellsSize reports whether the terminal tells the size in which it has shown a frame.
func (d *Display) tellsSize() bool {
	return d.Look.Multiplexer == "tmux" && d.sizing.tells
}

// isShowing reports whether it is not known yet in which size tmux has shown the last frame. The next frame waits for that.
func (d *Display) isShowing(now time.Time) bool {
	s := &d.sizing
	if s.shown.IsZero() {
		return false
	}
	until := s.shown.Add(sizeWait)
	if now.Before(until) {
		d.pace.await(until)
		return true
	}
	s.shown, s.tells = time.Time{}, false
	return false
}

// learnSize takes the reply of tmux. If it is not the size that the kernel has reported, a report follows, or another change.
func (d *Display) learnSize(width, height int, now time.Time) {
	s := &d.sizing
	s.tells = true
	if w, h := d.console.Size(); w != h && max(width, height) == max(w, h) && min(width, height) == min(w, h) {
		s.isSwapped = width != w
	}
	if s.isSwapped {
		width, height = height, width
	}
	switch {
	case !s.shown.IsZero():
		s.shown = time.Time{}
		d.screen.Shown(width)
		d.pace.resume()
	case s.isAsked:
		s.isAsked, s.width, s.height = false, width, height
		if s.is(d.console.Size()) {
			d.pace.await(time.Time{})
		} else {
			d.pace.await(now.Add(sizeAgain))
		}
	}
}

// is reports whether the last reply is this size.
func (s *sizing) is(width, height int) bool { return s.width == width && s.height == height }

// hasSizes reports whether tmux has told all sizes that it was asked for. Other programs would take them for input.
func (d *Display) hasSizes() bool { return !d.sizing.isAsked && d.sizing.shown.IsZero() }
