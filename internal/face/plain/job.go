package plain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"pollux/internal/exit"
	"pollux/internal/face/kit"
	"pollux/internal/slash"
	"pollux/internal/terminal"
)

func (l *loop) handle(e kit.Event) {
	switch e := e.(type) {
	case kit.Opened:
		l.look = e.Session.(look)
		l.showWelcome()
	case kit.Warning:
		l.Warn(e.Text)
	case kit.Notice:
		l.screen.line(e.Text)
	case kit.Help:
		l.screen.line(Shortcuts)
	case kit.Queued:
		l.screen.line("Queued: " + kit.Brief(e.Text))
	case kit.NotSent:
		if !e.WasRun {
			l.screen.line("Not sent: " + excerpt(e.Text(), 5))
		}
		l.keepDraft(e.Text())
	case kit.Began:
		l.showBegin(e)
	case kit.Ran:
		l.showEvent(e.Event)
	case kit.Cancelled:
		l.showCancelled(e)
	case kit.Failed:
		l.renderer.endAnswer()
		l.screen.message(l.errorText(e.Err))
	case kit.Finished:
		l.renderer.endAnswer()
		l.isRunning = false
		l.silence.Stop()
		l.status.Stop()
		l.screen.setStatus("")
		if len(l.beside) > 0 {
			l.status.Reset(statusInterval)
		}
	case kit.CommandDone:
		l.showResult(e.Result)
	case kit.ShellRan:
		if l.renderer.calls.Observe(e.Event) {
			l.status.Reset(statusInterval)
		}
	case kit.ShellDone:
		if text := terminal.Text(e.Output); !isBlank(text) {
			l.showQuoted(strings.Split(strings.Trim(text, "\n"), "\n"))
		}
	case kit.Asked:
		l.openDialog(e.Question)
	case kit.Settled:
		for _, p := range e.Calls {
			l.screen.message("Allowed without asking: " + l.preparedLabel(p) + ".")
		}
	case kit.HooksRunning:
		l.hooksRan(e.Hooks)
	case kit.Beside:
		l.besideRan(e.Commands)
	case kit.Ended:
		l.ending = e.Text
	}
}

// showBegin shows the prompt or the command that the user has not just typed.
func (l *loop) showBegin(e kit.Began) {
	l.watchSilence()
	l.renderer.calls = kit.Calls{}
	switch {
	case e.Command != "" && e.IsNew:
		l.screen.line("User: " + excerpt(terminal.Clean(e.Command), 5))
	case e.Shell != "" && e.IsNew:
		l.screen.line("User: " + excerpt("!"+terminal.Clean(e.Shell), 5))
	}
	if !e.IsRun {
		return
	}
	l.hasTalked, l.isRunning = true, true
	if e.IsNew {
		l.screen.line("User: " + excerpt(e.Prompt, 5))
	}
	if e.Prompt != "" {
		l.draft = ""
	}
}

func (l *loop) showResult(r slash.Result) {
	text := r.Markdown(l.terminal.OutWidth())
	switch {
	case r.Recap != nil:
		l.showRecap(r.Recap)
	case isBlank(text) && r.Clear:
		l.screen.line("Starting a new conversation.")
	case isBlank(text):
	case r.Failed:
		l.screen.line("Error: " + terminal.Brief(text))
	default:
		l.screen.line(text)
	}
	if r.Draft != "" {
		l.draft = terminal.Clean(r.Draft)
		l.screen.line("To change this prompt and send it, press Ctrl+G.")
	}
}

// composeInEditor opens a prompt in the user's editor.
func (l *loop) composeInEditor(text string) {
	if l.look.editor == nil && !l.driver.State().IsBusy {
		l.screen.line(noEditor)
		return
	}
	text = cmp.Or(text, l.draft)
	if !l.driver.State().IsBusy {
		l.draft = text // kept until it is sent
	}
	l.driver.Compose(func(ctx context.Context) (written string, err error) {
		err = l.lendTerminal(func() (err error) {
			written, err = l.look.editor().Compose(ctx, text)
			return err
		})
		if written = terminal.Clean(written); err == nil && isBlank(written) {
			//lint:ignore ST1005 a sentence for the screen
			err = errors.New("The editor left nothing: there is nothing to send.")
		}
		return written, err
	})
}

func (l *loop) lendTerminal(f func() error) error {
	l.inbox.input.Pause()
	l.screen.setLent(true)
	defer func() {
		l.screen.setLent(false)
		l.inbox.input.Resume()
		l.wakeLoop()
	}()
	return f()
}

// Shortcuts is the help text for keys and special input, one item per line, short enough for a screen reader.
const Shortcuts = `Type a prompt and press Enter.
@path attaches a file or directory.
!command runs a shell command and shows its output to the model; with a space after the ! only to you.
/help lists the commands.
\ at the end of a line continues the prompt on the next line.
Ctrl+G, Enter opens your editor for a long prompt.
Ctrl+C stops the model. Twice: exit.
Ctrl+D on an empty line, twice: exit.
While the model works, you can type the next prompt: Pollux queues it.
In a question, ? explains the choices and /cancel refuses.`

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

// terminalError returns the error of a session whose input or output failed. If that is a terminal, its exit code is
// that of a hang-up: the terminal may close before the signal arrives, and the signal may be ignored.
func terminalError(doing string, err error, tty bool) error {
	err = fmt.Errorf("%s the terminal: %w", doing, err)
	if !tty {
		return err
	}
	return &exit.Error{Code: exit.HungUp, Message: err.Error(), Err: err}
}
