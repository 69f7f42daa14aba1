package toast

import (
	"slices"

	"pollux/internal/face/tui/keys"
)

// Texts of messages without keys.
const (
	NoSlashInQueue  = "Slash commands cannot be queued"
	NoShellInQueue  = "Shell commands cannot be queued"
	NothingToRewind = "Nothing to rewind to"
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
