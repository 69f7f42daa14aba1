package plain

import (
	"errors"
	"fmt"
	"io"
	"time"

	"pollux/internal/exit"
	"pollux/internal/terminal"
)

// interrupt handles Ctrl+C: see [kit.Driver.Interrupt].
func (l *loop) interrupt() {
	isLent := l.screen.isLent()
	if !isLent { // else the editor handles it
		l.screen.breakLine()
		if l.composer.pastedLines > 0 {
			l.dropPaste()
		}
		l.composer.clear()
	}
	l.driver.Interrupt(isLent)
}

// endOfInput handles Ctrl+D at a terminal, and the end of any other input.
func (l *loop) endOfInput(err error) {
	if l.terminal.InTTY {
		if errors.Is(err, io.EOF) {
			l.screen.breakLine()
			l.screen.flush()
			failure := l.screen.writeError()
			if failure == nil {
				l.ctrlD()
				return
			}
			err = terminalError("write to", failure, l.terminal.OutTTY) // the terminal is closed: Ctrl+D was not pressed
		} else {
			err = terminalError("read from", err, true)
		}
		l.driver.Leave(err)
	}
	l.inputEnded = true
	l.driver.EndInput()
}

// ctrlD refuses the questions, and leaves the second time.
func (l *loop) ctrlD() {
	if time.Since(l.lastEOF) < repeatWindow {
		l.driver.Leave(nil)
	} else {
		l.lastEOF = time.Now()
		if l.dialog == nil {
			l.screen.line("Press Ctrl+D again to exit.")
		}
	}
	l.driver.Refuse()
}

// awaitDialog gives the open dialog two seconds to stop its programs and to restore the terminal.
func (l *loop) awaitDialog() {
	if l.dialog == nil {
		return
	}
	l.dialog.cancel()
	select {
	case <-l.dialog.result:
	case <-time.After(2 * time.Second): // the grace period of an editor is one second
	}
}

// showFarewell writes the farewell, unless nothing was sent in this session.
func (l *loop) showFarewell() {
	defer l.screen.flush()
	l.screen.dropPrompt()
	if l.hasTalked {
		l.screen.line(terminal.Text(l.look.farewell()))
	}
	if l.ending != "" {
		l.screen.verbatim(terminal.Text(l.ending)) // it contains commands
	}
}

// showResumeHint writes how to go on, after a signal. A terminal that is closed shows nothing.
func (l *loop) showResumeHint() {
	if !l.hasTalked || l.screen.isLent() {
		return
	}
	defer l.screen.flush()
	l.screen.dropPrompt()
	if text := l.look.resumeHint(); text != "" {
		l.screen.verbatim(terminal.Text(text)) // it contains commands
	}
}

// terminalError returns the error of a session whose input or output failed. If that is
// a terminal, its exit code is that of a hang-up: the terminal may close before the
// signal arrives, and the signal may be ignored.
func terminalError(doing string, err error, tty bool) error {
	err = fmt.Errorf("%s the terminal: %w", doing, err)
	if !tty {
		return err
	}
	return &exit.Error{Code: exit.HungUp, Message: err.Error(), Err: err}
}
