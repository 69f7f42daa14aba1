// Package slash implements the / commands: one table that every face, the help and the
// documentation use.
//
// A face passes a line that begins with a slash to [Runner.Run], and acts on the [Result].
// Commands do not print: they return text in the result, and ask the user through the
// session's [session.Asker].
//
//   - table.go lists the commands, parse.go parses a line.
//   - The other files implement the commands, grouped by topic.
package slash

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"pollux/agent"
	"pollux/internal/command"
	"pollux/internal/exit"
	"pollux/internal/person"
	"pollux/internal/record"
	"pollux/internal/records"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// Runner runs / commands in a session.
type Runner struct {
	Session *session.Session
	// Terminal is the terminal that /doctor checks.
	Terminal *terminal.Terminal
	// Shortcuts is the text of /shortcuts: the keys of the face. "" if there are none.
	Shortcuts string

	files command.Loader
	shown sync.Map // texts of warnings that the user has seen
}

// Result is the result of a command: the text to show and the actions for the face.
type Result struct {
	Text   string        // Markdown to show, readable without rendering, without control characters
	Failed bool          // Text is an error message
	Err    error         // the error with its exit code, if Failed
	Prompt *agent.Prompt // prompt to send to the model, nil for none
	// IsPromptHidden means that the user need not see the prompt: it is Pollux's own text, or the line itself.
	IsPromptHidden bool
	// Run is a run of the model for the face to show like that of a prompt, nil for none.
	Run func(ctx context.Context) iter.Seq2[agent.Event, error]
	// Draft is a text for the user to change and send, "" for none.
	Draft string
	Clear bool // a new conversation has started
	// Recap is where the conversation stands that has replaced the current one, nil for none.
	Recap *record.Recap
	Quit  bool // end the session
}

// Command is one row of the command table.
type Command struct {
	Name    string // without the slash
	Aliases []string
	Args    string // syntax of the arguments, "<name> [--persist]"; "" for none
	Summary string
	// RunsWhileBusy allows the command while the model works.
	RunsWhileBusy bool
	// NeedsPerson limits the command to interactive sessions.
	NeedsPerson bool
	// Instead says how to do the same in a session that is not interactive, as a sentence. "" if
	// there is no way.
	Instead string
	// IsPlanned marks a command that is not implemented yet.
	IsPlanned bool
	// Subs are the subcommands. If Run is nil, the user must name one.
	Subs []*Command
	// Run runs the command.
	Run func(ctx context.Context, s *Runner, args string) (Result, error)
	// RunCall is set in place of Run for an added command, whose name may not be the one that its owner gave it.
	RunCall func(ctx context.Context, s *Runner, call Call) (Result, error)
	// File is the path of the file of a custom command, else "".
	File string
}

// errNeedsPerson is matched by the error of a command that needs a user in a non-interactive
// session.
var errNeedsPerson = errors.New("a command needs a user")

// needsPerson returns the error of a command that needs a user; instead is what to do, or "".
// Scripts match the first sentence, which is that of Gemini CLI.
func needsPerson(name, instead string) error {
	text := "Exiting due to command result that is not supported in non-interactive mode. /" + name + " needs an interactive session. " + instead
	return &exit.Error{Code: exit.Input, Message: strings.TrimSpace(text), Err: errNeedsPerson}
}

// Run runs the command that line names. known is false if line names no command: the line
// is a prompt. If the command fails, Run returns a [Result] with Failed set. Run returns an
// error only if ctx ends, or if the command needs a user and the session is not
// interactive (exit code 42).
func (s *Runner) Run(ctx context.Context, line string) (r Result, known bool, err error) {
	call, known := s.Lookup(line)
	if !known && strings.HasPrefix(line, "/") {
		s.Session.Servers.Await(ctx) // a prompt of theirs
		call, known = s.Lookup(line)
	}
	if !known {
		return Result{}, false, nil
	}
	r, err = s.run(ctx, call)
	s.Session.Observers.Records.Emit(records.CommandRun{Name: call.Name, Failed: err != nil || r.Failed})
	switch {
	case err == nil:
	case ctx.Err() != nil, errors.Is(err, errNeedsPerson), errors.Is(err, person.ErrNoPerson):
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

// run calls the command, or returns an error if the call is not valid.
func (s *Runner) run(ctx context.Context, call Call) (Result, error) {
	c := call.Command
	switch {
	case c.NeedsPerson && s.Session.Project.Options.Asker == nil:
		return Result{}, needsPerson(call.Name, c.Instead)
	case c.IsPlanned:
		return usageError("The command /%s is not available yet in this version of Pollux.", call.Name)
	case c.RunCall != nil:
		return c.RunCall(ctx, s, call)
	case c.Run == nil:
		return s.listSubcommands(call)
	case call.Args == "" || c.Args != "":
		return c.Run(ctx, s, call.Args)
	case len(c.Subs) > 0:
		return usageError("There is no /%s. %s", terminal.Line(call.Name+" "+terminal.Cut(call.Args, 40)), call.subcommandNames())
	}
	return usageError("/%s takes no arguments. To send this text to the model, start it with another word.", call.Name)
}

// listSubcommands is the result of a command that needs a subcommand: a list for a user, an
// error for a script.
func (s *Runner) listSubcommands(c Call) (Result, error) {
	switch {
	case c.Args != "":
		return usageError("There is no /%s. %s", terminal.Line(c.Name+" "+terminal.Cut(c.Args, 40)), c.subcommandNames())
	case s.Session.Project.Options.Asker == nil:
		return usageError("Command '/%s' requires a subcommand. Available:\n%s", c.Name, s.subcommandList(c))
	}
	return Result{Text: s.subcommandList(c)}, nil
}

// usageError returns an error about how the user called a command.
func usageError(format string, args ...any) (Result, error) {
	return Result{}, exit.Errorf(exit.Input, format, args...)
}

// textResult returns a successful result with formatted text.
func textResult(format string, args ...any) (Result, error) {
	return Result{Text: fmt.Sprintf(format, args...)}, nil
}
