package plain

import (
	"time"

	"pollux/internal/face/kit"
)

// statusInterval is the time until the status line of a running call is shown, and between its changes.
const statusInterval = time.Second

// showStatus shows the running calls in a status line, which the next text replaces: on a terminal whose line can be
// written again, and while nothing else has the line.
func (l *loop) showStatus() {
	running := l.renderer.calls.Running()
	if !l.state.IsBusy || len(running) == 0 {
		l.screen.setStatus("")
		return
	}
	l.status.Reset(statusInterval)
	if l.dialog != nil || l.renderer.inAnswer || l.look.screenReader {
		return
	}
	l.screen.setStatus(kit.StatusText(running, l.look.Session, time.Now(), l.screen.width()-1))
}

// setStatus shows a text in the line of the cursor, in place of the last status; "" removes it. Any other text replaces
// it, too.
func (s *screen) setStatus(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	const fewest = 20 // columns
	if s.showStatus == nil || s.isLentOut || s.midLine || s.prompt != "" || s.width() < fewest {
		return
	}
	s.writeOut()
	if err := s.showStatus(text); s.err == nil {
		s.err = err
	}
	if text != "" {
		s.last = time.Now()
	}
}
