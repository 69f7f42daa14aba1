package tui

import (
	"time"

	"pollux/internal/config"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/window"
	"pollux/internal/terminal"
)

// retitle sets the title of the window if it changes.
func (l *loop) retitle() {
	if !l.view.isOpen() {
		return
	}
	s := l.view.settings()
	if config.HideWindowTitle.In(s) {
		return
	}
	t := window.Title{Context: l.view.place(), IsStatic: !config.WindowTitle.In(s)}
	if config.StatusInTitle.In(s) {
		t.Thought = l.working.Thought()
	}
	switch {
	case l.dialog != nil:
		t.State = window.Asking
	case l.composer.IsBusy:
		t.State = window.Working
	}
	l.display.Control(l.title.Set(t))
}

// showProgress shows in the task bar whether work is in progress, if the user wants that.
func (l *loop) showProgress() {
	isShown := l.display.IsIn(terminal.BusyProgress)
	switch wants := l.composer.IsBusy && l.view.isOpen() && config.ShowProgress.In(l.view.settings()) && l.display.Look.HasProgress(); {
	case wants && !isShown:
		l.display.Enter(terminal.BusyProgress)
	case !wants && isShown:
		l.display.Leave(terminal.BusyProgress)
	}
}

// notify tells the user that a question waits, if they look at another window and want that.
func (l *loop) notify(q *kit.Question) {
	heading := window.ConfirmationHeading
	switch {
	case q.Form != nil:
		heading = window.AnswerHeading
	case q.IsOfCall:
		heading = window.ApprovalHeading
	}
	l.sendNotice("question", window.Notice{Title: window.AttentionTitle, Heading: heading, Body: q.Title})
}

// notifyEnd tells the user that the work has ended.
func (l *loop) notifyEnd() {
	l.sendNotice("end", window.Notice{Title: window.CompleteTitle, Body: l.view.place()})
}

func (l *loop) sendNotice(key string, n window.Notice) {
	if !l.view.isOpen() || !config.Notifications.In(l.view.settings()) || !l.notices.Allows(key, time.Now()) {
		return
	}
	t := window.Terminal{Name: l.display.Look.Name, Multiplexer: l.display.Look.Multiplexer}
	l.display.Control(t.Notification(config.NotificationMethod.In(l.view.settings()), n))
}
