package tui

import (
	"pollux/internal/crash"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/slash"
	"pollux/internal/terminal"
)

// openers make the panes for / commands without arguments, by their names.
var openers = map[string]func(l *loop) pane.Pane{}

// openPane opens the pane of a / command. It returns false if the command has none.
func (l *loop) openPane(call slash.Call) bool {
	open := openers[call.Name]
	if open == nil || call.Args != "" || !l.view.isOpen() {
		return false
	}
	l.pane = open(l)
	if loader, ok := l.pane.(pane.Loader); ok {
		go func() {
			defer crash.Recover()
			show := loader.Load()
			l.post(func() {
				show()
				l.pace.change()
			})
		}()
	}
	l.pace.change()
	return true
}

// pressPane gives a key or a paste to the open pane.
func (l *loop) pressPane(e keys.Event) {
	l.composer.Observe(e)
	switch o := l.pane.Handle(e, l.view.bindings).(type) {
	case pane.Closed:
		l.closePane()
	case pane.Chosen:
		if !o.Stays {
			l.closePane()
		}
		if !o.Stays {
			l.transcript.Prompt(o.Command)
		}
		l.driver.Submit(o.Command)
	}
}

func (l *loop) closePane() {
	l.pane = nil
	l.pace.change()
}

// tellPane passes the end of a command to the pane that waits for it.
func (l *loop) tellPane(r slash.Result) bool {
	waiter, ok := l.pane.(pane.Waiter)
	if !ok {
		return false
	}
	problem := ""
	if r.Failed {
		problem = terminal.Brief(r.Markdown(0))
	}
	waiter.Done(problem)
	return true
}

// drawPane adds the open pane.
func (l *loop) drawPane(a *area, width, room int) {
	v := l.pane.View(width, room, l.look.theme)
	if v.HasCursor {
		a.addWithCursor(v.Lines, v.Cursor)
	} else {
		a.add(v.Lines...)
	}
}
