package plain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"pollux/internal/exit"
	"pollux/internal/terminal"
)

// isOver reports whether the session is over.
func (l *loop) isOver() bool {
	if l.ctx.Err() != nil || l.interruptCount >= 3 {
		return true
	}
	idle := l.job == nil && l.sideCommands == 0 && l.dialog == nil && len(l.pending) == 0
	if l.isLeaving {
		return l.job == nil
	}
	return l.inputEnded && idle && l.composer.isEmpty()
}

// interrupt handles Ctrl+C: the first one cancels the job, the second one leaves when
// the job has ended, the third one leaves at once.
func (l *loop) interrupt() {
	now := l.now()
	if now.Sub(l.lastInterrupt) >= repeatWindow {
		l.interruptCount = 0
	}
	l.lastInterrupt = now
	l.interruptCount++
	if l.screen.isLent() { // the editor handles it
		return
	}
	l.screen.breakLine()
	if l.composer.pastedLines > 0 {
		l.dropPaste()
	}
	l.composer.clear()
	switch {
	case l.interruptCount >= 3:
		if l.backend.ForcedExit != nil {
			l.backend.ForcedExit()
		}
	case l.interruptCount == 2:
		l.leave()
		if l.job != nil {
			l.screen.line("Exiting as soon as everything has stopped. Press Ctrl+C again to exit at once.")
		}
	case l.job != nil:
		l.job.isInterrupted = true
		l.job.cancel(nil)
	default:
		l.screen.line("Press Ctrl+C again to exit.")
	}
	l.dismissQuestions()
}

// endOfInput handles Ctrl+D at a terminal, and the end of any other input.
func (l *loop) endOfInput(err error) {
	if !l.backend.Terminal.InTTY || !errors.Is(err, io.EOF) {
		l.inputEnded = true
		if l.backend.Terminal.InTTY {
			l.openErr = l.terminalError("read from", err, true)
			l.leave()
		}
		l.dismissQuestions()
		return
	}
	l.screen.breakLine()
	l.screen.flush()
	if err := l.screen.writeError(); err != nil { // the terminal is closed: Ctrl+D was not pressed
		l.inputEnded, l.openErr = true, l.terminalError("write to", err, l.backend.Terminal.OutTTY)
		l.leave()
		l.dismissQuestions()
		return
	}
	if now := l.now(); now.Sub(l.lastEOF) < repeatWindow {
		l.leave()
	} else {
		l.lastEOF = now
		if l.dialog == nil {
			l.screen.line("Press Ctrl+D again to exit.")
		}
	}
	l.dismissQuestions()
}

// leave ends the session after the current job has stopped. What ends it is the person, or a terminal
// that has failed.
func (l *loop) leave() {
	l.isLeaving = true
	if l.job != nil {
		l.job.cancel(l.openErr)
	}
}

// abandon cancels the job and the dialog, and gives them two seconds to stop their
// programs and to restore the terminal. After a third Ctrl+C it does not wait.
func (l *loop) abandon() {
	lent := l.screen.isLent()
	var items <-chan jobItem
	if j := l.job; j != nil {
		l.job = nil
		j.cancel(cmp.Or(context.Cause(l.ctx), l.openErr)) // before the questions are dismissed: that is no answer of the person
		close(j.abandoned)
		items = j.items
	}
	l.dismissQuestions()
	if l.interruptCount >= 3 && !lent {
		return
	}
	moment := time.NewTimer(2 * time.Second) // the grace period of an editor is one second
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

// showFarewell writes the farewell, unless nothing was sent in this session.
func (l *loop) showFarewell() {
	defer l.screen.flush()
	l.screen.dropPrompt()
	if l.hasTalked {
		text := ""
		if l.backend.Farewell != nil {
			text = l.backend.Farewell()
		}
		l.screen.line(terminal.Text(cmp.Or(text, "Agent powering down. Goodbye!")))
	}
	if l.ending != "" {
		l.screen.verbatim(terminal.Text(l.ending)) // it contains commands
	}
}

// showResumeHint writes how to go on, after a signal. A terminal that is closed shows nothing.
func (l *loop) showResumeHint() {
	if !l.hasTalked || l.backend.ResumeHint == nil || l.screen.isLent() {
		return
	}
	defer l.screen.flush()
	l.screen.dropPrompt()
	if text := l.backend.ResumeHint(); text != "" {
		l.screen.verbatim(terminal.Text(text)) // it contains commands
	}
}

// terminalError returns the error of a session whose input or output failed. If that is
// a terminal, its exit code is that of a hang-up: the terminal may close before the
// signal arrives, and the signal may be ignored.
func (l *loop) terminalError(doing string, err error, tty bool) error {
	err = fmt.Errorf("%s the terminal: %w", doing, err)
	if !tty {
		return err
	}
	return &exit.Error{Code: exit.HungUp, Message: err.Error(), Err: err}
}
