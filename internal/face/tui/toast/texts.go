package toast

import (
	"slices"
	"strconv"
	"strings"

	"pollux/internal/face/tui/keys"
)

// Texts of messages without keys.
const (
	NoSlashInQueue  = "Slash commands cannot be queued"
	NoShellInQueue  = "Shell commands cannot be queued"
	NothingToRewind = "Nothing to rewind to"
	NoTasks         = "No background tasks are currently active."
)

// Again returns the text that asks for a second press of a key, such as "Press Ctrl+C again to exit."
func Again(b *keys.Bindings, key keys.Command, effect string) string {
	return "Press " + b.Hint(key) + " again to " + effect + "."
}

// Effects of a second press of a key, for [Again].
const (
	ToExit   = "exit"
	ToRewind = "rewind"
	ToClear  = "clear prompt"
)

// MovedToBackground returns the text about commands that were sent to the background, with the key that shows them.
func MovedToBackground(b *keys.Bindings, pids []int) string {
	noun := "Command"
	if len(pids) > 1 {
		noun += "s"
	}
	texts := make([]string, len(pids))
	for i, pid := range pids {
		texts[i] = strconv.Itoa(pid)
	}
	text := noun + " moved to background (PID: " + strings.Join(texts, ", ") + "). Output hidden."
	if key := b.Hint(keys.BackgroundToggle); key != "" {
		text += " Press " + key + " to view."
	}
	return text
}

// QuitAndStop returns the question whether Pollux may end although background commands run, with the key that says yes.
func QuitAndStop(n int, key string) string {
	text := "1 background process is running. Quit and stop it?"
	if n != 1 {
		text = strconv.Itoa(n) + " background processes are running. Quit and stop them?"
	}
	if key != "" {
		text += " (" + key + " again)"
	}
	return text
}

// Focus returns the hint to the key that gives the keyboard to a running command; "" if there is no key.
func Focus(b *keys.Bindings) string {
	hint := b.Hint(keys.AppFocusShellInput)
	if hint == "" {
		return ""
	}
	return "(" + hint + " to focus)"
}

// Unfocus returns the hint to the key that takes the keyboard back from a command.
func Unfocus(b *keys.Bindings) string {
	return "Use " + b.Hint(keys.AppUnfocusShellInput) + " to unfocus"
}

// Answer returns the hint to the key that gives the keyboard to a question while a command has it.
func Answer(b *keys.Bindings) string {
	return "A command has the keyboard. " + b.Hint(keys.AppUnfocusShellInput) + " to answer."
}

// AgainToSuspend returns the text that asks for a second press of the key that suspends Pollux. It names another key
// for undo, because many programs have undo on the same key.
func AgainToSuspend(b *keys.Bindings) string {
	text := Again(b, keys.AppSuspend, "suspend")
	suspend := b.Hint(keys.AppSuspend)
	undo := b.Chords(keys.EditUndo)
	if i := slices.IndexFunc(undo, func(s keys.Sequence) bool { return s.Hint() != suspend }); i >= 0 {
		text += " Undo has moved to " + undo[i].Hint() + "."
	}
	return text
}

// NativeSelection returns the answer to the keys that switch the mouse: it belongs to the terminal.
func NativeSelection(b *keys.Bindings) string {
	text := "Select text with the mouse as in any terminal."
	if hint := b.Hint(keys.AppShowMoreLines); hint != "" {
		text += " Press " + hint + " to read and copy the whole conversation."
	}
	return text
}

// More returns the hint to the key that expands or collapses the last response; "" if there is no key.
func More(b *keys.Bindings, isExpanded bool) string {
	hint, effect := b.Hint(keys.AppShowMoreLines), "show more"
	if isExpanded {
		effect = "collapse"
	}
	if hint == "" {
		return ""
	}
	return "Press " + hint + " to " + effect + " lines of the last response"
}
