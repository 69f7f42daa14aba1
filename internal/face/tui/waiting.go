package tui

import (
	"slices"

	"pollux/internal/face/tui/composer"
)

// waiting has the inputs that wait for the end of the work in progress: those of the driver's queue, the oldest first, and behind them one command
// that the driver gets when the work has ended.
type waiting struct {
	queued  []string
	command *composer.Submitted // nil for none
}

// add adds an input that the driver has put into its queue.
func (w *waiting) add(text string) { w.queued = append(w.queued, text) }

// remove removes the last input with this text that the driver has taken out of its queue.
func (w *waiting) remove(text string) {
	for i, other := range slices.Backward(w.queued) {
		if other == text {
			w.queued = slices.Delete(w.queued, i, i+1)
			return
		}
	}
}

// clear forgets the inputs of the driver's queue.
func (w *waiting) clear() { w.queued = nil }

// hold keeps a command. It returns false if another one waits.
func (w *waiting) hold(command composer.Submitted) bool {
	if w.command != nil {
		return false
	}
	w.command = &command
	return true
}

// release returns the command of [waiting.hold], which waits no longer, and false if there is none.
func (w *waiting) release() (command composer.Submitted, ok bool) {
	if w.command == nil {
		return command, false
	}
	command, w.command = *w.command, nil
	return command, true
}

// texts returns the inputs as they are typed.
func (w *waiting) texts() []string {
	if w.command == nil {
		return w.queued
	}
	return append(slices.Clip(w.queued), w.command.Draft.Typed())
}

// endsInShell reports whether the last input is a shell command of [waiting.hold].
func (w *waiting) endsInShell() bool { return w.command != nil && w.command.IsShell }
