package tui

import (
	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/face/tui/composer"
)

// send sends a text: to the run in progress if the user wants that of every prompt.
func (l *loop) send(o composer.Submitted) {
	if l.turn.phase != ended && l.view.isOpen() && config.ModelSteering.In(l.view.settings()) {
		l.steer(o)
		return
	}
	l.submit(o)
}

// steer adds a prompt to the next request of the run in progress. What is no prompt, or comes between runs, is sent as usual.
func (l *loop) steer(o composer.Submitted) {
	if _, isCommand := l.driver.Lookup(o.Text); isCommand || o.IsShell || l.turn.phase == ended {
		l.submit(o)
		return
	}
	l.driver.Typing()
	l.driver.EnterHint(o.Text)
}

// joined takes a prompt out of the queue that is part of a request of the run.
func (l *loop) joined(e agent.Event) {
	j, ok := e.(agent.Joined)
	if !ok {
		return
	}
	l.waiting.remove(j.Text())
}

// editLastQueued takes the last queued prompt, or the command that waits, back into the composer, before the draft.
func (l *loop) editLastQueued() {
	if l.returnHeld() {
		return
	}
	text, ok := l.driver.WithdrawLast()
	if !ok {
		return
	}
	l.waiting.remove(text)
	l.composer.Restore(text)
}
