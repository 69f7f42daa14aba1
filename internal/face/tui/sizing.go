package tui

import (
	"time"

	"pollux/internal/terminal"
)

// sizing is the wait for the size in which tmux shows the screen. When a window changes, tmux wraps its rows at once, but reports the
// change up to 250 ms after the one before, or later on a busy machine. A frame for the wrong width would overwrite rows above the live
// area. So tmux is asked for the size before the first frame after a change, and again when the time for more reports is over.
type sizing struct {
	isOpen        bool      // the size may have changed once more
	began         time.Time // of the wait, zero if there is none
	isAsked       bool      // the reply is not there yet
	width, height int       // the last reply, 0 if there is none
}

const (
	sizeWait  = time.Second            // how long a frame waits at most until tmux and the kernel agree on the size
	sizeAgain = 100 * time.Millisecond // when tmux is asked again if they do not
)

// knowsSize reports whether tmux shows the screen in this size, as far as it says so. If not, it asks tmux, and the next frame waits for
// the reply.
func (l *loop) knowsSize(width, height int, now time.Time) bool {
	s := &l.sizing
	isChanged := width != l.screen.Width() || height != l.screen.Height()
	switch {
	case l.look.multiplexer != "tmux" || l.full != nil || !isChanged && !s.isOpen:
		return true
	case s.is(width, height), !s.began.IsZero() && now.Sub(s.began) >= sizeWait:
		*s = sizing{isOpen: isChanged}
		return true
	case s.began.IsZero():
		s.began = now
	}
	if !s.isAsked {
		s.isAsked = true
		l.output.Write([]byte(terminal.SizeQuery))
	}
	l.pace.await(s.began.Add(sizeWait))
	return false
}

// learnSize takes the reply of tmux. If it is not the size that the kernel has reported, a report follows, or another change.
func (l *loop) learnSize(width, height int, now time.Time) {
	s := &l.sizing
	if !s.isAsked {
		return
	}
	s.isAsked, s.width, s.height = false, width, height
	if s.is(l.console.Size()) {
		l.pace.await(time.Time{})
	} else {
		l.pace.await(now.Add(sizeAgain))
	}
}

// is reports whether the last reply is this size. tmux 3.3 replies with the columns before the rows.
func (s *sizing) is(width, height int) bool {
	return s.width == width && s.height == height || s.width == height && s.height == width
}
