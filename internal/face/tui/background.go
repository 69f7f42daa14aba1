package tui

import (
	"time"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/toast"
	"pollux/internal/slash"
)

// toggleBackground sends the commands that the work waits for to the background. Without one it shows the background
// commands, and with them on the screen it is a key of their pane.
func (l *loop) toggleBackground(at time.Time) bool {
	if l.pane != nil || !l.view.isOpen() {
		return false
	}
	processes := l.view.session.Processes
	switch pids := processes.MoveToBackground(); {
	case len(pids) > 0:
		l.toast.Show(toast.MovedToBackground(l.view.bindings, pids), toast.Hint, at, toast.ExpandTime)
	case l.dialog != nil:
		return false
	case len(processes.List()) == 0:
		l.toast.Show(toast.NoTasks, toast.Hint, at, toast.UsualTime)
	default:
		l.openPane(slash.Call{Name: "tasks"})
	}
	return true
}

// watchProcesses keeps the number of background commands in the context summary.
func (l *loop) watchProcesses() {
	l.view.session.Processes.Watch(l.countProcesses)
	l.countProcesses()
}

// countProcesses reads the number of background commands that run. It may be called on any goroutine.
func (l *loop) countProcesses() {
	l.inBackground(func() (show func()) {
		n := l.running()
		return func() { l.status.context.Processes = n }
	})
}

// watchEditor keeps the number of files that are open in the person's editor in the context summary.
func (l *loop) watchEditor() {
	companion := l.view.session.Companion
	companion.Watch(func() {
		l.inBackground(func() (show func()) {
			n := len(companion.Status().Files)
			return func() { l.status.context.OpenFiles = n }
		})
	})
}

// running returns the number of background commands that run.
func (l *loop) running() int {
	if !l.view.isOpen() {
		return 0
	}
	return l.view.session.Processes.Running()
}

// stopped returns the number of commands that the end of the session stops: those in the background, and those of which something
// runs that was started with &.
func (l *loop) stopped() int {
	if !l.view.isOpen() {
		return 0
	}
	return len(l.view.session.Processes.Alive())
}

// leaveText returns the text that asks for a second press of a key that leaves. It says how many commands end.
func (l *loop) leaveText(command keys.Command) string {
	if n := l.stopped(); n > 0 {
		return toast.QuitAndStop(n, l.view.bindings.Hint(command))
	}
	return toast.Again(l.view.bindings, command, toast.ToExit)
}

// quitWait is how long a second /quit counts as the answer to the question about background commands.
const quitWait = 10 * time.Second

// asksToStop asks once, before /quit, whether the commands may end that run. It reports whether it has asked.
func (l *loop) asksToStop(now time.Time) bool {
	n := l.stopped()
	if n == 0 || now.Sub(l.armed.quit) < quitWait {
		return false
	}
	l.armed.quit = now
	l.toast.Show(toast.QuitAndStop(n, l.view.bindings.Hint(keys.InputSubmit)), toast.Warning, now, quitWait)
	return true
}
