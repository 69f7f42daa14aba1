package plain

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"pollux/internal/exit"
	"pollux/internal/terminal"
)

// done reports whether the session is over.
func (l *loop) done() bool {
	if l.ctx.Err() != nil || l.again >= 3 {
		return true
	}
	idle := l.job == nil && l.sides == 0 && l.dialog == nil && len(l.waiting) == 0
	if l.leaving {
		return l.job == nil
	}
	return l.ended && idle && l.compose.empty()
}

// interrupt is what Ctrl+C does (spec/tui.md §2.8).
func (l *loop) interrupt() {
	now := l.now()
	if now.Sub(l.armed) >= patience {
		l.again = 0
	}
	l.armed = now
	l.again++
	if l.screen.lent() { // it was meant for the editor
		return
	}
	l.screen.broken()
	l.compose.clear()
	switch {
	case l.again >= 3:
	case l.again == 2:
		l.leave()
		if l.job != nil {
			l.screen.line("Leaving as soon as everything has stopped. Press Ctrl+C again to leave at once.")
		}
	case l.job != nil:
		l.job.interrupted = true
		l.job.cancel()
	default:
		l.screen.line("Press Ctrl+C again to quit.")
	}
	l.dismiss()
}

// endOfInput is what Ctrl+D does, and the end of an input that is no terminal.
func (l *loop) endOfInput(err error) {
	if !l.o.Terminal.InTTY || !errors.Is(err, io.EOF) {
		l.ended = true
		if l.o.Terminal.InTTY {
			l.failed = l.gone("read from", err, true)
			l.leave()
		}
		l.dismiss()
		return
	}
	l.screen.broken()
	if now := l.now(); now.Sub(l.eof) < patience {
		l.leave()
	} else {
		l.eof = now
		if l.dialog == nil {
			l.screen.line("Press Ctrl+D again to quit.")
		}
	}
	l.dismiss()
}

// leave ends the session as soon as what runs has stopped.
func (l *loop) leave() {
	l.leaving = true
	if l.job != nil {
		l.job.cancel()
	}
}

// abandon lets go of what is still under way. It gets a moment to stop what it has
// started and to leave the terminal as it was, unless the person has pressed Ctrl+C a
// third time.
func (l *loop) abandon() {
	l.dismiss()
	lent := l.screen.lent()
	var items <-chan item
	if j := l.job; j != nil {
		l.job = nil
		j.cancel()
		close(j.gone)
		items = j.items
	}
	if l.again >= 3 && !lent {
		return
	}
	moment := time.NewTimer(2 * time.Second) // an editor has a second
	defer moment.Stop()
	for items != nil || l.dialog != nil {
		select {
		case _, ok := <-items:
			if !ok {
				items = nil
			}
		case <-l.dialogDone():
			l.dialog = nil
		case <-moment.C:
			return
		}
	}
}

// goodbye is said in sessions in which something was.
func (l *loop) goodbye() {
	defer l.screen.flush()
	l.screen.dismiss()
	if !l.said {
		return
	}
	text := ""
	if l.o.Farewell != nil {
		text = l.o.Farewell()
	}
	l.screen.line(terminal.Text(cmp.Or(text, "Agent powering down. Goodbye!")))
}

// gone is the error of a session whose terminal is. It may be noticed before the
// signal comes that says so, which may be ignored.
func (l *loop) gone(doing string, err error, tty bool) error {
	err = fmt.Errorf("%s the terminal: %w", doing, err)
	if !tty {
		return err
	}
	return &exit.Error{Code: exit.HungUp, Message: err.Error(), Err: err}
}
