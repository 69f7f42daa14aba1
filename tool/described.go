package tool

import "context"

// Described is an [Invocation] without a Run: a call that reads and changes no files that are known before it
// runs. A person who confirms it sees its summary.
type Described struct {
	Title string // of the confirmation
	Text  string // the summary
}

// Summary implements [Invocation].
func (d Described) Summary() string { return d.Text }

// Locations implements [Invocation].
func (Described) Locations() []Location { return nil }

// Confirmation implements [Invocation].
func (d Described) Confirmation(context.Context) (Confirmation, error) {
	return &InfoConfirmation{Title: d.Title, Prompt: d.Text}, nil
}
