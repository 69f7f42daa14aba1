// Package slash implements the / commands: one table that every face, the help and the documentation use.
//
// A face passes a line that begins with a slash to [Runner.Run], draws the [outcome.Outcome] of the [Result], and takes
// its next action.
//
//   - This file lists the commands, those of the nouns in internal/manage and the few about commands, and runs them.
//   - parse.go parses a line and finds its command.
//   - added.go has the commands that users, extensions and MCP servers add, and their names.
package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pollux/internal/command"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/nouns"
	"pollux/internal/manage/stats"
	"pollux/internal/outcome"
	"pollux/internal/person"
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
	// Copy and ReportsKeys are those of [manage.Call]; nil for none.
	Copy        func(ctx context.Context, text string) (how string, err error)
	ReportsKeys func() bool

	files command.Loader
	shown sync.Map // texts of warnings that the user has seen
}

// Result is the outcome of a command, with the next action of the face.
type Result struct {
	outcome.Outcome
	manage.Next
	// Err is the error with its exit code, if the command has failed.
	Err error
}

// Failure returns the result of a command that has failed.
func Failure(err error) Result {
	o := outcome.Textf("%v", err)
	o.Failed = true
	return Result{Outcome: o, Err: err}
}

// Run runs the command that line names. known is false if line names no command: the line is a prompt. If the command
// fails, Run returns a [Result] with Failed set. Run returns an error only if ctx ends, or if the command needs a user
// and the session is not interactive (exit code 42).
func (s *Runner) Run(ctx context.Context, line string) (_ Result, known bool, _ error) {
	call, known := s.Lookup(line)
	if !known && strings.HasPrefix(line, "/") {
		s.Session.Servers.Await(ctx) // a prompt of theirs
		call, known = s.Lookup(line)
	}
	if !known {
		return Result{}, false, nil
	}
	c := s.newCall(call)
	o, err := s.run(ctx, call, c)
	s.Session.Observers.Records.Emit(records.CommandRun{Name: call.Name, Failed: err != nil || o.Failed})
	switch {
	case err == nil && o.Failed:
		return Result{o, c.Next, exit.Errorf(exit.Input, "%s", o.Markdown(c.Width()))}, true, nil
	case err == nil:
		return Result{Outcome: o, Next: c.Next}, true, nil
	case ctx.Err() != nil, errors.Is(err, manage.ErrNeedsPerson), errors.Is(err, person.ErrNoPerson):
		return Result{}, true, err
	}
	return Failure(err), true, nil
}

func (s *Runner) newCall(call Call) *manage.Call {
	p := s.Session.Project
	return &manage.Call{
		Text: call.Args, Typed: call.Line, Path: call.Name, Live: s.Session, Options: p.Options, Terminal: s.Terminal, Copy: s.Copy, ReportsKeys: s.ReportsKeys,
		Note:  func(text string) { p.Warn(terminal.Line(text)) },
		Whole: func(text string) { p.Warn(terminal.Text(text)) },
		Ask: func(ctx context.Context, task manage.Task) (outcome.Outcome, error) {
			if p.Options.Asker == nil {
				return outcome.Outcome{}, person.ErrNoPerson
			}
			text, err := task(ctx, p.Options.Asker.Ask, func(text string) { p.Warn(terminal.Line(text)) })
			return outcome.New(outcome.Text(text)), err
		},
	}
}

// run runs the command, or returns an error if the call is not valid.
func (s *Runner) run(ctx context.Context, call Call, c *manage.Call) (outcome.Outcome, error) {
	row := call.Command
	switch {
	case row.NeedsPerson && !c.HasPerson():
		return outcome.Outcome{}, manage.NeedsPerson(call.Name, row.Instead)
	case row.IsPlanned:
		return manage.Misuse("%s", strings.TrimSpace(fmt.Sprintf("The command /%s is not available yet in this version of Pollux. %s", call.Name, row.Instead)))
	case row.Run != nil && (call.Args == "" || row.Args != ""):
		return row.Run(ctx, c)
	case call.Args != "" && len(row.Subs) > 0:
		return manage.Misuse("There is no /%s. %s", terminal.Line(call.Name+" "+terminal.Cut(call.Args, 40)), call.subcommandNames())
	case call.Args != "":
		return manage.Misuse("/%s takes no arguments. To send this text to the model, start it with another word.", call.Name)
	}
	list := strings.TrimRight(outcome.New(manage.Table(call.Name, row.Subs)).Markdown(c.Width()), "\n")
	if !c.HasPerson() {
		return manage.Misuse("Command '/%s' requires a subcommand. Available:\n%s", call.Name, list)
	}
	return manage.Say("%s", list)
}

// Width returns the width of the terminal, 0 if there is no limit.
func (s *Runner) Width() int { return s.newCall(Call{}).Width() }

// Farewell returns the text that a face shows on exit.
func (s *Runner) Farewell() string { return stats.Farewell(s.Session, s.Width()) }

// ResumeHint returns how to resume the conversation later, "" if it is not recorded.
func (s *Runner) ResumeHint() string { return stats.ResumeHint(s.Session) }

// Commands returns the command table, sorted by name, for reading: only a [Runner] can run all of the commands.
func Commands() []*manage.Command { return (*Runner)(nil).table() }

// table returns the command table. Commands about commands use the runner.
func (s *Runner) table() []*manage.Command {
	commands := []*manage.Command{
		{
			Name: "commands", Summary: "List and reload custom commands",
			Subs: []*manage.Command{
				{Name: "list", Summary: "List custom commands", RunsWhileBusy: true, Run: s.listCommands},
				{Name: "reload", Aliases: []string{"refresh"}, Summary: "Read the files of custom commands again", RunsWhileBusy: true, Run: s.reloadCommands},
			},
		},
		{Name: "help", Aliases: []string{"?"}, Args: "[command]", Summary: "List commands, or explain one", RunsWhileBusy: true, Run: s.help},
		{Name: "shortcuts", Summary: "List keyboard shortcuts", RunsWhileBusy: true, NeedsPerson: true, Run: s.shortcuts},
	}
	for _, c := range nouns.All() {
		if row := c.Slash(); row != nil {
			commands = append(commands, row)
		}
	}
	commands = append(commands, planned()...)
	slices.SortFunc(commands, func(a, b *manage.Command) int { return strings.Compare(a.Name, b.Name) })
	return commands
}

// planned returns the commands of Gemini CLI that are not available yet.
func planned() []*manage.Command {
	list := []*manage.Command{
		{Name: "bug-memory", Summary: "Write a memory profile", Instead: "To report a problem, run /bug."},
		{Name: "gemma", Summary: "Set up the local routing model", Instead: "To use a model on this machine, start Ollama or another local server; /model lists its models."},
		{Name: "privacy", Summary: "Show the privacy notice", Instead: "The page security of the documentation lists what is sent where: /docs security.", NeedsPerson: true},
		{Name: "setup-github", Summary: "Set up GitHub workflows", Instead: "The page ci of the documentation has workflows: /docs ci.", NeedsPerson: true},
		{Name: "upgrade", Summary: "Upgrade your account", Instead: "To upgrade Pollux, run pollux upgrade.", NeedsPerson: true},
		{Name: "voice", Summary: "Toggle voice mode", Instead: "To speak a prompt, use the dictation of your system, which types into any program.", NeedsPerson: true},
	}
	for _, c := range list {
		c.IsPlanned = true
	}
	return list
}
