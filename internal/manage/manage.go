// Package manage describes the commands of a person: a [Command] is a subcommand of pollux, a / command, or both. Each
// package below it has one noun, such as hooks or the conversation: its rows, its actions, and the table of its commands.
//
// The command line and the session make a [Call] of the arguments, run the command, and draw its [outcome.Outcome].
package manage

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"pollux/internal/outcome"
	"pollux/internal/project"
)

// Command is a row of the table of commands. Its fields describe the subcommand of pollux.
type Command struct {
	Name    string
	Aliases []string
	// Reserved are the aliases that a custom command cannot have as its name. It can have the others.
	Reserved []string
	Args     string // syntax of the arguments, such as "<name> [file]"; "" for none
	Summary  string
	Details  string // more for the help
	Example  string
	Flags    []Flag
	// Run runs the command. If it is nil, the person must name one of Subs. The error [ErrHelp] prints the help.
	Run  Run
	Subs []*Command
	// TakesNumbers means that negative numbers are arguments, and that the command counts its arguments itself.
	TakesNumbers bool
	// ReadsFlags means that the words of the call include the flags. Flags is for the help then.
	ReadsFlags bool
	// Names returns the names that the arguments can have, for completion.
	Names func(ctx context.Context, p *project.Project) []string
	// Values completes an argument without reading files; nil offers nothing.
	Values Values
	// Session describes the / command, nil for none. IsSessionOnly means that the row itself is only a / command.
	Session       *InSession
	IsSessionOnly bool
	// RunsWhileBusy allows the / command while the model works: it only reads, or is safe during a run.
	RunsWhileBusy bool
	// NeedsPerson limits the / command to interactive sessions. Instead says how to do the same in others, as a
	// sentence; "" if there is no way.
	NeedsPerson bool
	Instead     string
	// IsPlanned marks a / command that is not implemented yet.
	IsPlanned bool
}

// Run runs a command.
type Run func(ctx context.Context, c *Call) (outcome.Outcome, error)

// With returns the command that opens something for run, and that fails if open does.
func With[T any](open func(ctx context.Context, c *Call) (T, error), run func(ctx context.Context, c *Call, t T) (outcome.Outcome, error)) Run {
	return func(ctx context.Context, c *Call) (outcome.Outcome, error) {
		t, err := open(ctx, c)
		if err != nil {
			return outcome.Outcome{}, err
		}
		return run(ctx, c, t)
	}
}

// Open is the first argument of [With] for a command that uses a project; see [Call.Open].
func Open(ctx context.Context, c *Call) (*project.Project, error) { return c.Open(ctx) }

// InSession is a command as a / command. Empty fields are those of the subcommand, except for the aliases.
type InSession struct {
	Name          string
	Aliases       []string
	Args, Summary string
	// IsGroup means that the person must name one of Subs, also if the subcommand has Run.
	IsGroup bool
	// Run is set if a session does not run the command like a shell.
	Run Run
}

// Keeps reports whether a word always names the command, also if a custom command has this name.
func (c *Command) Keeps(word string) bool { return c.Name == word || slices.Contains(c.Reserved, word) }

// Slash returns the / command of a row with the / commands below it, nil if the row has none.
func (c *Command) Slash() *Command {
	if c.Session == nil && !c.IsSessionOnly {
		return nil
	}
	row := *c
	if in := c.Session; in != nil {
		row.Name, row.Aliases, row.Args, row.Summary = cmp.Or(in.Name, c.Name), in.Aliases, cmp.Or(in.Args, c.Args), cmp.Or(in.Summary, c.Summary)
		switch {
		case in.IsGroup:
			row.Run = nil
		case in.Run != nil:
			row.Run = in.Run
		}
	}
	row.Subs = nil
	for _, sub := range c.Subs {
		if sub := sub.Slash(); sub != nil {
			row.Subs = append(row.Subs, sub)
		}
	}
	return &row
}

// SessionOnly returns a row whose commands are all / commands only.
func SessionOnly(c *Command) *Command {
	c.IsSessionOnly = true
	for _, sub := range c.Subs {
		SessionOnly(sub)
	}
	return c
}

// Values returns the values of an argument that begins with typed, after these words, and the file names that a
// shell offers besides. A value may have a description after a tab.
type Values func(words []string, typed string) ([]string, Offer)

// Offer is the kind of file names that a shell offers besides values.
type Offer int

// Offers.
const (
	Nothing Offer = iota
	Files
	Directories
	// Text is any text, which may name a file: a session offers files only for a text that begins like a path.
	Text
)

// FileNames completes all arguments of a command as names of files.
func FileNames([]string, string) ([]string, Offer) { return nil, Files }

// DirectoryNames completes all arguments of a command as names of directories.
func DirectoryNames([]string, string) ([]string, Offer) { return nil, Directories }

// First completes the first argument of a command, and no others.
func First(values func(typed string) []string) Values {
	return func(words []string, typed string) ([]string, Offer) {
		if len(words) > 0 {
			return nil, Nothing
		}
		return values(typed), Nothing
	}
}

// Table lists the available / commands of a group, whose name is its full one.
func Table(group string, commands []*Command) *outcome.Table {
	t := &outcome.Table{}
	for _, c := range commands {
		if !c.IsPlanned {
			t.Rows = append(t.Rows, []string{strings.TrimSpace("/" + group + " " + c.Name + " " + c.Args), c.Summary})
		}
	}
	return t
}

// Flag is a flag of a subcommand. Default has the type of the value: bool, int, uint, string, []string or [List].
type Flag struct {
	Name, Short string
	Default     any
	Usage       string
	// Choices are the values of a flag. IsUnchecked leaves it to the command to refuse others.
	Choices     []string
	IsUnchecked bool
	IsHidden    bool
}

// List is the value of a flag that can be repeated, and that takes several values with commas between them.
type List []string

// JSON is the flag of commands that have a value for programs.
var JSON = Flag{Name: "json", Default: false, Usage: "Print JSON"}
