// Package pane has the form of the dialogs that the user opens, such as the list of sessions. A pane replaces the composer until
// it is closed. It changes nothing itself: it returns the / command that the user has chosen.
package pane

import (
	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// Pane is a dialog that the user has opened.
type Pane interface {
	// Handle takes a key or a paste.
	Handle(e keys.Event, b *keys.Bindings) Outcome
	// View returns the pane in width columns and at most height rows.
	View(width, height int, t theme.Theme) View
}

// View is a pane on the screen.
type View struct {
	Lines     []styled.Line
	Cursor    inline.Position // of the text field, if HasCursor
	HasCursor bool
}

// Outcome is the effect of a key on a pane.
type Outcome interface{ outcome() }

// Ignored means that the pane has no use for the key.
type Ignored struct{}

// Changed means that the pane looks different, perhaps.
type Changed struct{}

// Closed means that the user wants nothing of the pane.
type Closed struct{}

// Chosen has the / command to run. The pane is closed, unless Stays is set; then the caller calls Done of a [Waiter] with the
// result.
type Chosen struct {
	Command string
	Stays   bool
}

func (Ignored) outcome() {}
func (Changed) outcome() {}
func (Closed) outcome()  {}
func (Chosen) outcome()  {}

// Waiter is a pane that stays open while its commands run.
type Waiter interface {
	Pane
	// Done notes that the command of the last [Chosen] has ended, with the text of its error, "" for none.
	Done(problem string)
}

// Reporter is a [Waiter] that shows the texts of its commands.
type Reporter interface {
	Waiter
	// Report notes the text of a command that has succeeded. It is called after Done.
	Report(text string)
}

// Refresher is a pane whose content changes by itself.
type Refresher interface {
	Pane
	// IsLive reports whether the content changes now.
	IsLive() bool
	// Refresh reads the content again, in the background. The caller calls it every second while IsLive.
	Refresh()
}

// Loader is a pane whose content comes later.
type Loader interface {
	Pane
	// Load reads the content. It is called once, on a goroutine of its own, and returns a function for the goroutine of the
	// pane.
	Load() (show func())
}

// Frame puts a title above the lines of a body, and hints below them, as far as there is room. body gets the height that is
// left. The title is clean.
func Frame(width, height int, t theme.Theme, title string, hints styled.Line, body func(height int) []styled.Line) (lines []styled.Line) {
	bold := t.Text()
	bold.Attrs |= styled.Bold
	const minTitled, minHinted = 4, 3
	if height >= minTitled {
		lines = append(lines, styled.Of(title, bold).Cut(width))
		height--
	}
	if height < minHinted {
		return append(lines, body(height)...)
	}
	lines = append(lines, body(height-1)...)
	return append(lines, hints.Cut(width))
}
