package plain

import (
	"time"

	"pollux/internal/face/kit"
	"pollux/internal/guard/hook"
)

// statusInterval is the time until the status line of a running call is shown, and between its changes.
const statusInterval = time.Second

// showStatus shows the running hooks, or else the running calls, in a status line, which the next text replaces: on a
// terminal whose line can be written again, and while nothing else has the line.
func (l *loop) showStatus() {
	running, now := l.renderer.calls.Running(), time.Now()
	isBusy := l.state.IsBusy && len(running)+len(l.hooks) > 0
	if !isBusy && len(l.beside) == 0 {
		l.screen.setStatus("")
		return
	}
	l.status.Reset(statusInterval)
	if l.dialog != nil || l.renderer.inAnswer || l.look.screenReader {
		return
	}
	text := kit.HooksText(l.hooks, now)
	switch {
	case text != "":
		text = kit.FitColumns(text, l.screen.width()-1)
	case len(l.beside) > 0:
		text = kit.FitColumns(l.beside[0].Text(now), l.screen.width()-1)
	case len(running) > 0:
		text = kit.StatusText(running, l.look.Session, now, l.screen.width()-1)
	}
	l.screen.setStatus(text)
}

// hooksRan takes the hooks that run now. Their line comes after a while, and goes with the last of them.
func (l *loop) hooksRan(running []hook.Running) {
	had := len(l.hooks) > 0
	l.hooks = running
	switch {
	case len(running) > 0 && !had && len(l.renderer.calls.Running()) == 0:
		l.status.Reset(statusInterval)
	case len(running) == 0 && had:
		l.showStatus()
	}
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

// besideRan takes the commands that run beside the work now. Their line comes after a while, and goes with the last of them.
func (l *loop) besideRan(running []kit.BesideCommand) {
	l.beside = running
	if len(running) > 0 {
		l.status.Reset(statusInterval)
		return
	}
	l.showStatus()
}
