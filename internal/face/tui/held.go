package tui

import (
	"slices"
	"time"

	"pollux/agent"
	"pollux/internal/face/tui/composer"
	"pollux/internal/face/tui/toast"
)

// followAnswer takes an event of the run in progress. A command that has waited for its end returns to the draft if the run goes on.
func (l *loop) followAnswer(e agent.Event) {
	l.turn.phase.follow(e)
	if _, ok := e.(agent.TurnStarted); ok && l.turn.phase == answering {
		l.returnHeld()
	}
}

// unsent returns the inputs that were sent and did not run: those that have returned to the input and wait there for a command, and
// those that wait for the end of the work.
func (l *loop) unsent() []string { return slices.Concat(l.composer.Held(), l.waiting.texts()) }

// mustWait holds a command back that cannot run during the work in progress. If the work has not come to its end, the command remains the
// draft, and the refusal is shown.
func (l *loop) mustWait(o composer.Submitted, refusal string) bool {
	state := l.driver.State()
	switch {
	case !state.IsBusy || state.IsOpening:
		return false
	case l.turn.phase.isClosing() && l.waiting.hold(o):
	default:
		l.composer.Refuse(o.Draft)
		l.toast.Show(refusal, toast.QueueError, time.Now(), toast.UsualTime)
	}
	return true
}

// queueKey returns the key that gets queued inputs back, "" if it has another meaning now.
func (l *loop) queueKey() string {
	if l.composer.IsShell() {
		return ""
	}
	return "↑"
}

// heldKey returns the key that gets inputs back that have returned and wait, "" if they come by themselves after the draft.
func (l *loop) heldKey() string {
	if !l.composer.IsEmpty() {
		return ""
	}
	return l.queueKey()
}

// submitHeld sends the command that has waited for another one, or for the end of a run. If a queued prompt was first, it returns to the
// draft.
func (l *loop) submitHeld() {
	if l.driver.State().IsBusy {
		l.returnHeld()
	} else if o, ok := l.waiting.release(); ok {
		l.submit(o)
	}
}

// returnHeld makes the command that waits the draft, or puts it before the one that is there. It returns false if none waits.
func (l *loop) returnHeld() bool {
	o, ok := l.waiting.release()
	switch {
	case !ok:
	case l.composer.IsEmpty() && !l.composer.IsLent:
		l.composer.SetDraft(o.Draft)
	default:
		l.composer.Restore(o.Draft.Typed())
	}
	return ok
}

// editQueue takes the inputs that wait back into the composer.
func (l *loop) editQueue() {
	texts := l.driver.Withdraw()
	l.waiting.clear()
	l.composer.TakeHeld()
	for _, text := range texts {
		l.composer.Restore(text)
	}
	l.returnHeld()
}
