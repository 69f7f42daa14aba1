// Package slash is the / commands: one table that every face, the help and the
// documentation read (spec/tui.md §4, spec/cli.md §6.8).
//
// A face hands a line that begins with a slash to [Session.Run] and does with the
// [Result] what it says. Commands print nothing themselves: text to show comes back
// in the result, and what only a person can decide is asked through [Session.Ask].
package slash

import (
	"context"

	"pollux/agent"
	"pollux/internal/app"
	"pollux/internal/config"
)

// Session is what commands look at and change.
type Session struct {
	App      *app.App
	Settings *config.Settings
	Env      *config.Env
	Paths    *config.Paths
	Version  string
	// Ask shows a person something and waits for the answer; nil where there is
	// nobody.
	Ask agent.Ask
}

// Result is what a command has come to, and what the face is to do.
type Result struct {
	Text   string // to show: Markdown that reads well as it is
	Failed bool   // Text says what went wrong
	Prompt string // to be put to the model, "" for none
	Clear  bool   // the conversation begins anew
	Quit   bool
}

// Command is one row of the table.
type Command struct {
	Name    string // without the slash
	Aliases []string
	Args    string // how arguments are written, "<name> [--persist]"
	Summary string
	// Busy commands may run while the model works.
	Busy bool
	// Person commands make sense only where somebody is at the screen.
	Person bool
	// Subs are the subcommands. Without Run, one must be named.
	Subs []*Command
	Run  func(ctx context.Context, s *Session, args string) (Result, error)
}
