package plain

import (
	"context"
	"errors"
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/slash"
	"pollux/internal/terminal"
)

// handle shows an event of the driver.
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
			l.screen.line("Not sent: " + excerpt(e.Text, 5))
		}
		l.keepDraft(e.Text)
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
		l.silence.Stop()
	case kit.CommandDone:
		l.showResult(e.Result)
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
	case kit.Ended:
		l.ending = e.Text
	}
}

// showBegin shows the prompt of a run that the user has not just typed.
func (l *loop) showBegin(e kit.Began) {
	l.watchSilence()
	if !e.IsRun {
		return
	}
	l.hasTalked = true
	l.renderer.calls = kit.Calls{}
	if e.IsNew {
		l.screen.line("User: " + excerpt(e.Prompt, 5))
	}
	if e.Prompt != "" {
		l.draft = ""
	}
}

// showResult shows the result of a / command.
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
	}
}

// composeInEditor opens a prompt in the user's editor.
func (l *loop) composeInEditor(text string) {
	if l.look.editor == nil && !l.driver.State().IsBusy {
		l.screen.line(noEditor)
		return
	}
	if text == "" {
		text = l.draft
	}
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

// lendTerminal lends the terminal to another program while f runs.
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
