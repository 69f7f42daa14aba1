// Package composer has the input of the terminal user interface: the text that the user writes, with the history of
// inputs and its search, suggestions, and the mode for shell commands.
package composer

import (
	"pollux/internal/face/tui/field"
	"pollux/internal/face/tui/history"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/vim"
)

// Composer is the input. The zero value is empty and ready to use. Callers must not use a Composer concurrently.
type Composer struct {
	// Prompts and Shell are the histories of prompts and of shell commands. They must not change once used. Nil ones
	// begin empty.
	Prompts, Shell *history.Inputs
	// WidenKey is the key with which a search in prompts goes on in all projects, "" if that is not possible.
	WidenKey string
	// Help returns the lines of the panel that "?" opens, nil for none.
	Help func(width int, t theme.Theme) []styled.Line
	// Drop returns the text to insert for a paste that consists of file names, such as terminals send for files that
	// the user drops; false for other pastes. It may be nil.
	Drop func(pasted string) (string, bool)
	// Guard tells Enter keys from line ends that the terminal pastes.
	Guard keys.Guard
	// Vim is the mode of editing of vi, nil for the usual one.
	Vim *vim.Mode

	Mode     Mode
	IsBusy   bool // the model works: Tab queues, and the panel is hidden
	HasQueue bool // prompts wait
	IsAway   bool // the window has lost the focus
	IsLent   bool // an editor has the text, and will replace it: inputs that return wait for that

	field     field.Field
	isShell   bool
	showsHelp bool
	search    *history.Search // nil while the user does not search
	matcher   keys.Matcher
	suggested suggested
	returned  returned
	drawn     place
}

// Outcome is the effect of an event.
type Outcome interface{ outcome() }

// Ignored means that the composer has no use for the event: it may be a command of the application. The panel may be
// closed.
type Ignored struct{}

// Changed means that the composer looks different, perhaps.
type Changed struct{}

// Collapsed means that a placeholder stands for the pasted text.
type Collapsed struct{}

// Submitted has an input that the user sends. The composer is empty, and has added the input to its history.
type Submitted struct {
	Text    string // with all pasted text
	Escaped string // the same with the backslashes before each @ of pasted text, for finding the files that the user has named
	IsShell bool   // the text is a shell command
	Draft   Draft  // gives the input back; see [Composer.SetDraft]
}

// Queued has an input that the user sends after the current work.
type Queued Submitted

// Steered has an input that the user sends to the work in progress.
type Steered Submitted

// LastQueuedWanted means that the user wants the last queued prompt back.
type LastQueuedWanted struct{}

// QueueWanted means that the user wants the queued prompts back.
type QueueWanted struct{}

// Canceled means that the user has pressed Esc, and that the composer has nothing to close.
type Canceled struct{}

// Confirmed means that the user has pressed Enter on an empty input.
type Confirmed struct{}

// EditorWanted means that the user wants to edit the text in another program; see [Composer.Collapse].
type EditorWanted struct{ Text string }

// HistoryWanted means that the user searches the prompts of all projects. [history.Search.Widen] takes those of the
// others.
type HistoryWanted struct{ Search *history.Search }

func (Ignored) outcome()          {}
func (Changed) outcome()          {}
func (Collapsed) outcome()        {}
func (Submitted) outcome()        {}
func (Queued) outcome()           {}
func (QueueWanted) outcome()      {}
func (Canceled) outcome()         {}
func (Confirmed) outcome()        {}
func (EditorWanted) outcome()     {}
func (Steered) outcome()          {}
func (LastQueuedWanted) outcome() {}
func (HistoryWanted) outcome()    {}

// IsEmpty reports whether the input has no text.
func (c *Composer) IsEmpty() bool { return c.field.Len() == 0 }

// Shown returns the text as shown, with placeholders in place of pasted text.
func (c *Composer) Shown() string { return c.field.Shown() }

// Value returns the text with all pasted text.
func (c *Composer) Value() string { return c.field.Value() }

// IsShell reports whether the input is a shell command.
func (c *Composer) IsShell() bool { return c.isShell }

// IsSearching reports whether the user searches the history.
func (c *Composer) IsSearching() bool { return c.search != nil }

// HasHelp reports whether the panel is open.
func (c *Composer) HasHelp() bool { return c.showsHelp && !c.IsBusy && c.Help != nil }

// ToggleHelp opens or closes the panel.
func (c *Composer) ToggleHelp() { c.showsHelp = !c.HasHelp() }

// Field returns the text field, for settings of its buffer.
func (c *Composer) Field() *field.Field {
	c.field.HasLines = true
	return &c.field
}

// inputs returns the history of the mode.
func (c *Composer) inputs() *history.Inputs {
	if c.isShell {
		if c.Shell == nil {
			c.Shell = history.Shell(nil, nil)
		}
		return c.Shell
	}
	if c.Prompts == nil {
		c.Prompts = history.Prompts(nil)
	}
	return c.Prompts
}
