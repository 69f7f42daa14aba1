// Package slash is the / commands: one table that every face, the help and the
// documentation read (spec/tui.md §4, spec/cli.md §6.8).
//
// A face hands a line that begins with a slash to [Session.Run] and does with the
// [Result] what it says. Commands print nothing themselves: text to show comes back
// in the result, and what only a person can decide is asked through [Session.Ask].
//
//   - table.go has the commands, parse.go how a line names one.
//   - The other files hold what the commands do, by what they are about.
package slash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"pollux/agent"
	"pollux/internal/app"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/trust"
	"pollux/internal/terminal"
)

// Session is what commands look at and change. App, Settings, Env, Paths and
// Version must be set.
type Session struct {
	App      *app.App
	Settings *config.Settings // as they were at the start
	Env      *config.Env
	Paths    *config.Paths
	Version  string
	// Ask shows a person something and waits for the answer; nil where there is
	// nobody.
	Ask agent.Ask
	// Trust is what the trust in the session's folder was decided by.
	Trust trust.Options
	// Reload reads the settings anew; nil leaves them as they were at the start.
	Reload func() (*config.Settings, error)
	// Shortcuts says which keys and words the face knows.
	Shortcuts string
	// Doctor examines the installation, without asking a model.
	Doctor func(ctx context.Context) (string, error)
	// Auth keeps and forgets keys, as args say: "signin", "signout" or "list", the
	// first two with a provider's name or without. What is missing it asks.
	Auth func(ctx context.Context, ask agent.Ask, args string) (string, error)

	reread atomic.Pointer[config.Settings] // since a command has changed a file of them
}

// Current returns the settings as they are now. It may be called at any time.
func (s *Session) Current() *config.Settings { return cmp.Or(s.reread.Load(), s.Settings) }

// Result is what a command has come to, and what the face is to do.
type Result struct {
	Text   string // to show: Markdown that reads well as it is, without control characters
	Failed bool   // Text says what went wrong
	Err    error  // why, with the exit code that it deserves, if Failed
	Prompt string // to be put to the model, "" for none
	Clear  bool   // the conversation has begun anew
	Quit   bool
}

// Command is one row of the table.
type Command struct {
	Name    string // without the slash
	Aliases []string
	Args    string // how arguments are written, "<name> [--persist]"; "" for none
	Summary string
	// Busy commands may run while the model works.
	Busy bool
	// Person commands make sense only where somebody is at the screen.
	Person bool
	// Later commands are known, and not there yet.
	Later bool
	// Subs are the subcommands. Without Run, one must be named.
	Subs []*Command
	Run  func(ctx context.Context, s *Session, args string) (Result, error)
}

// Where there is no person a command that needs one ends the run (spec/cli.md §6.8).
var (
	errScreen  = &exit.Error{Code: exit.Input, Message: "Exiting due to command result that is not supported in non-interactive mode."}
	errConfirm = &exit.Error{Code: exit.Input, Message: "Exiting due to a confirmation prompt requested by the command."}
)

// Run does what a line asks for. Known is false for one that names no command:
// such a line is a prompt. What a command could not do is a [Result] that says so;
// the error is that of ctx, or says, with exit code 42, that the command needs a
// person and that there is none.
func (s *Session) Run(ctx context.Context, line string) (r Result, known bool, err error) {
	call, known := Lookup(line)
	if !known {
		return Result{}, false, nil
	}
	r, err = s.run(ctx, call)
	s.App.CommandRan(call.Name, err != nil || r.Failed)
	switch {
	case err == nil:
	case ctx.Err() != nil, errors.Is(err, errScreen), errors.Is(err, errConfirm):
		return Result{}, true, err
	default:
		r = Result{Text: err.Error(), Failed: true, Err: err}
	}
	if r.Failed && r.Err == nil {
		r.Err = exit.Errorf(exit.Input, "%s", r.Text)
	}
	r.Text = terminal.Text(r.Text)
	return r, true, nil
}

func (s *Session) run(ctx context.Context, call Call) (Result, error) {
	c := call.Command
	switch {
	case c.Person && s.Ask == nil:
		return Result{}, errScreen
	case c.Later:
		return fail("The command /%s is not available yet in this version of Pollux.", call.Name)
	case c.Run == nil:
		return fail("%s", call.needsSub())
	case call.Args == "" || c.Args != "":
		return c.Run(ctx, s, call.Args)
	case len(c.Subs) > 0:
		return fail("There is no /%s. %s", terminal.Line(call.Name+" "+cut(call.Args, 40)), call.subs())
	}
	return fail("/%s takes no arguments. To ask the model, put a word before it.", call.Name)
}

// fail is the result of a command that says what is wrong with how it was called.
func fail(format string, args ...any) (Result, error) {
	return Result{}, exit.Errorf(exit.Input, format, args...)
}

// say is the result of a command that has something to tell.
func say(format string, args ...any) (Result, error) {
	return Result{Text: fmt.Sprintf(format, args...)}, nil
}

// reload makes the session's settings what the files say now.
func (s *Session) reload() error {
	if s.Reload == nil {
		return nil
	}
	settings, err := s.Reload()
	if err == nil {
		s.reread.Store(settings)
	}
	return err
}
