// Package manage describes the commands that manage what a person has set up, such as hooks and skills. Each
// package below it has one noun: its rows, its actions, and the table of its commands.
//
// A [Command] is a subcommand of pollux, a / command, or both. The command line and the session make a [Call]
// of what the person has typed, run the command, and draw its [outcome.Outcome].
package manage

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/extension/install"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/tool"
)

// Command is a row of the table of commands. Its fields describe the subcommand of pollux.
type Command struct {
	Name    string
	Aliases []string
	Args    string // syntax of the arguments, such as "<name> [file]"; "" for none
	Summary string
	Details string // more for the help
	Example string
	Flags   []Flag
	// Run runs the command. If it is nil, the person must name one of Subs. The error [ErrHelp] prints the help.
	Run  func(ctx context.Context, c *Call) (outcome.Outcome, error)
	Subs []*Command
	// TakesNumbers means that negative numbers are arguments, and that the command counts its arguments itself.
	TakesNumbers bool
	// ReadsFlags means that the words of the call include the flags. Flags is for the help then.
	ReadsFlags bool
	// Names returns the names that the arguments can have, for completion.
	Names func(ctx context.Context, p *project.Project) []string
	// Values completes an argument without reading files; nil offers nothing.
	Values Values
	// Session describes the / command, nil for none. IsSessionOnly means that there is no subcommand.
	Session       *InSession
	IsSessionOnly bool
}

// Values returns the values of an argument that begins with typed, after these words, and what else a shell
// offers. A value may have a description after a tab.
type Values func(words []string, typed string) ([]string, Offer)

// Offer is what a shell offers besides values.
type Offer int

// Offers.
const (
	Nothing Offer = iota
	Files
	Directories
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

// InSession is a command as a / command. Empty fields are those of the subcommand.
type InSession struct {
	Name          string
	Aliases       []string
	Args, Summary string
	// IsGroup means that the person must name one of Subs, also if the subcommand has Run.
	IsGroup bool
	// RunsWhileBusy, NeedsPerson and Instead are those of the table of / commands.
	RunsWhileBusy, NeedsPerson bool
	Instead                    string
	// Run is set if a session does not run the command like a shell.
	Run func(ctx context.Context, c *Call) (outcome.Outcome, error)
}

// Flag is a flag of a subcommand. The type of Default is that of the value: a bool, an int, a uint, a string, a list
// of strings, or a [List].
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

// Call is a call of a command.
type Call struct {
	// Words are the arguments in a shell, and Text is what follows a / command.
	Words []string
	Text  string
	// Flags has the values of the flags in a shell, by name.
	Flags map[string]any
	// Live is the session in which a / command runs, nil in a shell.
	Live *session.Session
	// Options open the project in a shell.
	Options project.Options
	// Note shows a line at once, and Whole a text of any length.
	Note, Whole func(text string)
	// Line prints a line of the result at once, in a shell.
	Line func(line string) error
	// User answers the questions of installations.
	User install.User
	// Secret reads a provider's key from standard input. label is the provider for people, and name as they named it.
	Secret func(ctx context.Context, label, name string) (string, error)
	// IsTyped reports whether standard input is a terminal, IsAtTerminal whether standard error is one, too, and
	// IsUTF8 whether standard output is one that shows all characters.
	IsTyped, IsAtTerminal, IsUTF8 bool
	// Ask runs a task that can ask the person questions. Its outcome is empty if the task's text is printed already.
	Ask func(ctx context.Context, task Task) (outcome.Outcome, error)
}

// Task is a part of a command that asks questions. It returns the text of the result.
type Task func(ctx context.Context, ask tool.Ask, show func(text string)) (string, error)

// Is returns the value of a flag that is on or off.
func (c *Call) Is(flag string) bool {
	on, _ := c.Flags[flag].(bool)
	return on
}

// Value returns the value of a flag with a text.
func (c *Call) Value(flag string) string {
	text, _ := c.Flags[flag].(string)
	return text
}

// Number returns the value of a flag with a number.
func (c *Call) Number(flag string) int {
	n, _ := c.Flags[flag].(int)
	return n
}

// Values returns the values of a flag with a list, in the type that settings use. It is nil if the flag is not set.
func (c *Call) Values(flag string) (values []any) {
	list, _ := c.Flags[flag].(List)
	for _, value := range list {
		values = append(values, value)
	}
	return values
}

// Name returns the only argument.
func (c *Call) Name() string {
	if c.Live != nil {
		return c.Text
	}
	return c.Words[0]
}

// Open returns the project of the session, or that of the working directory with its settings and its .env file.
// It neither asks about trust nor requires it.
func (c *Call) Open(ctx context.Context) (*project.Project, error) {
	p, err := c.Load(ctx)
	if err == nil && c.Live == nil {
		p.ReadEnv()
	}
	return p, err
}

// Load is [Call.Open] without the .env file.
func (c *Call) Load(ctx context.Context) (*project.Project, error) {
	if c.Live != nil {
		return c.Live.Project, nil
	}
	dir, err := config.WorkingDir()
	if err != nil {
		return nil, err
	}
	o := c.Options
	o.Dir = dir
	p := project.New(o)
	return p, p.Load(ctx)
}

// ErrHelp is the error of a command that prints its help instead.
var ErrHelp = errors.New("help")

// UsageError is an error about the arguments of a subcommand, which the command line shows with a hint.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

// MaxPath is the maximum length of a path that a person types in a session, in bytes. It is longer than operating
// systems allow.
const MaxPath = 8 << 10

// Path returns the absolute path for a path typed in a session. It removes quotes and, except on Windows,
// backslashes before spaces. It expands ~ to the home directory.
func Path(paths *config.Paths, typed string) string {
	typed = strings.TrimSpace(typed)
	if n := len(typed); n >= 2 && (typed[0] == '"' || typed[0] == '\'') && typed[n-1] == typed[0] {
		typed = typed[1 : n-1]
	} else if filepath.Separator != '\\' {
		typed = strings.ReplaceAll(typed, `\ `, " ")
	}
	return filepath.Clean(paths.Absolute(typed))
}

// CutWord splits text after the first word, and trims the rest.
func CutWord(text string) (word, rest string) {
	end := strings.IndexAny(text, " \t\r\n")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// Usage returns the error of a / command without its arguments.
func Usage(syntax string) error { return exit.Errorf(exit.Input, "Usage: %s", syntax) }
