package tui

import (
	"time"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/question"
	"pollux/internal/face/tui/working"
	"pollux/internal/terminal"
)

// handle gives an event of the driver to each part that has a use for it.
func (l *loop) handle(e kit.Event, now time.Time) {
	l.display.Change()
	if e == (kit.Notice{Text: kit.LeaveHint}) {
		return // the toast shows it
	}
	done, isDone := e.(kit.CommandDone)
	if isDone && done.Result.Clear {
		l.display.Print(l.transcript.Take()...)
		l.display.Clear()
	}
	if isDone && l.tellPane(done.Result) {
		l.commandDone(done)
		return
	}
	l.working.Handle(e, now)
	l.todo.Handle(e)
	l.recap.Handle(e, now)
	l.transcript.Handle(e, now)
	l.status.observeQuota(e)
	l.tellUndo(e)
	l.tellDeletion(e)
	switch e := e.(type) {
	case kit.Opened:
		l.waiting.clear() // the driver reads these lines again
		l.sessionOpened()
	case kit.Queued:
		l.waiting.add(e.Text)
	case kit.NotSent:
		l.takeBack(e)
	case kit.Began:
		l.began(e, now)
		l.showProgress()
	case kit.Ran:
		l.status.observe(e.Event, l.view)
		l.view.touch(e.Event)
		l.joined(e.Event)
		l.followAnswer(e.Event)
		if isWhole(e.Event) {
			l.refreshFooterCommand()
		}
	case kit.CommandDone:
		l.commandDone(e)
	case kit.Finished:
		l.workEnded(e, now)
		l.showProgress()
	case kit.Asked:
		l.ask(e.Question)
	case kit.Beside:
		l.beside = e.Commands
	case kit.Help:
		l.composer.ToggleHelp()
	case kit.Ended:
		l.ending = e.Text
	}
	if ran, ok := e.(kit.Ran); !ok || isWhole(ran.Event) {
		l.refreshViewer()
	}
}

// isWhole reports whether an event of a run is not a part of a text that streams in.
func isWhole(e agent.Event) bool {
	switch e.(type) {
	case agent.Text, agent.Thinking:
		return false
	}
	return true
}

// began shows the prompt of a run, and takes the inputs that have waited out of the queue.
func (l *loop) began(e kit.Began, now time.Time) {
	l.composer.IsBusy = true
	for _, text := range e.Waited {
		l.waiting.remove(text)
	}
	if e.Command != "" {
		l.beganCommand(e)
	}
	if !e.IsRun {
		return
	}
	l.beginTurn(e, now)
	if e.Prompt != "" && !e.IsNew { // the transcript shows a new one
		l.transcript.Prompt(e.Prompt)
	}
}

// beganCommand shows that a / command runs, and the command if it has waited.
func (l *loop) beganCommand(e kit.Began) {
	if e.IsNew {
		l.transcript.Prompt(e.Command)
	}
	if call, _ := l.driver.Lookup(e.Command); call.Name == "compress" {
		l.working.SetTask(working.Compressing)
	}
}

// workEnded shows that the face waits for the user.
func (l *loop) workEnded(e kit.Finished, now time.Time) {
	l.composer.IsBusy = false
	l.endTurn(e, now)
	l.refreshStatus()
	if l.view.isOpen() {
		l.view.files.Forget() // files may have changed
		l.notifyEnd()
	}
	l.submitHeld()
}

// takeBack puts prompts that were not sent before the draft.
func (l *loop) takeBack(e kit.NotSent) {
	for _, text := range e.Texts {
		if !e.WasRun {
			l.waiting.remove(text)
		}
		l.composer.Restore(terminal.Clean(text))
	}
}

// commandDone takes the effects of a / command on the screen: its draft, and settings that it may have changed.
func (l *loop) commandDone(e kit.CommandDone) {
	if e.Result.Clear {
		l.todo.Clear()
		l.recap.Clear()
	}
	if l.view.isOpen() {
		l.keeper.Follow(l.view.session.ID())
	}
	if e.Result.Recap != nil {
		l.recall(e.Result.Recap)
		l.restoreDraft()
	}
	if e.Result.Draft != "" {
		l.composer.Restore(terminal.Clean(e.Result.Draft))
	}
	l.applySettings()
	l.refreshStatus()
}

// ask opens the dialog of a question.
func (l *loop) ask(q *kit.Question) {
	l.dialog, l.drawn.isShown = question.Open(q, l.view.bindings, l.transcript.Options.DiffLayout, question.Pause), false
	l.notify(q)
	l.display.Change()
}

// keepWritten makes the text that the user has written in the open question, and that is no answer, a part of the draft.
func (l *loop) keepWritten() {
	if text := l.dialog.Written(); text != "" {
		l.composer.Restore(text)
		l.keeper.Touch(time.Now())
	}
}

// closeDialog closes the open question.
func (l *loop) closeDialog() {
	l.dialog = nil
	l.working.Answered(time.Now())
	l.display.Change()
}

// observe takes an event of a run that changes the footer.
func (s *status) observe(e agent.Event, v *view) {
	switch e := e.(type) {
	case agent.ModelInfo:
		s.setModel(e.Model)
	case agent.Finished:
		if window := v.window(); e.Usage != nil && window > 0 {
			s.values.HasContext, s.values.Context = true, float64(e.Usage.Prompt)/float64(window)
		}
	}
}
