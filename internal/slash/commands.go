package slash

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pollux/internal/command"
	"pollux/internal/exit"
	"pollux/internal/owncalls"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// maxProblems is the number of files left out that a warning or a list names.
const maxProblems = 10

// customCommands returns the commands of files, and warns once of each file that is left out.
func (s *Runner) customCommands() (list []owned) {
	commands, problems := s.files.Load(s.Session.Composer.CommandSources())
	for _, line := range s.describeProblems(problems, "Warning: Skipping the command file ") {
		s.warnOnce(line)
	}
	for _, c := range commands {
		o := owned{Command: customCommand(c)}
		switch c.Kind {
		case command.Workspace:
			o.prefix, o.owner = "workspace.", "workspace command"
		case command.Extension:
			o.prefix, o.owner = c.Owner+":", fmt.Sprintf("extension '%s' command", c.Owner)
		default:
			o.prefix, o.owner = "user.", "user command"
		}
		list = append(list, o)
	}
	return list
}

// describeProblems returns a line for each of the first files that are left out, and one for the others.
func (s *Runner) describeProblems(problems []command.Problem, prefix string) (lines []string) {
	for i, p := range problems {
		if i == maxProblems {
			return append(lines, fmt.Sprintf("%s%s, and %d more.", prefix, s.Session.Project.DisplayFile(p.Path), len(problems)-i-1))
		}
		lines = append(lines, terminal.Line(fmt.Sprintf("%s%s: %s.", prefix, s.Session.Project.DisplayFile(p.Path), strings.TrimSuffix(p.Reason, "."))))
	}
	return lines
}

// warnOnce shows the user a warning that they have not seen in this session.
func (s *Runner) warnOnce(text string) {
	if _, wasShown := s.shown.LoadOrStore(text, true); !wasShown {
		s.Session.Project.Warn(text)
	}
}

// customCommand returns the command that sends the prompt of a file.
func customCommand(c command.Command) *Command {
	usage := "[text]"
	if strings.Contains(c.Prompt, "{{args}}") {
		usage = "[args]"
	}
	return &Command{
		Name: c.Name, Args: usage, Summary: c.Description, File: c.Path,
		RunCall: func(ctx context.Context, s *Runner, call Call) (Result, error) { return s.runCustom(ctx, &c, call) },
	}
}

// runCustom makes the prompt of a command of a file.
func (s *Runner) runCustom(ctx context.Context, c *command.Command, call Call) (Result, error) {
	prompt, err := s.Session.Composer.Command(ctx, c, command.Call{Line: call.Line, Name: call.Name, Args: call.Args})
	var coded *exit.Error
	switch {
	case err == nil:
		return Result{Prompt: &prompt}, nil
	case errors.Is(err, owncalls.ErrRefused):
		return textResult("Not sent: the shell commands of /%s were refused.", call.Name)
	case ctx.Err() != nil, errors.As(err, &coded):
		return Result{}, err
	}
	return Result{}, exit.Errorf(exit.General, "%w", err)
}

// listCommands lists the custom commands by their directories.
func listCommands(_ context.Context, s *Runner, _ string) (Result, error) {
	sources := s.Session.Composer.CommandSources()
	if len(sources) == 0 {
		return textResult("This folder is not trusted: custom commands are off. To trust it, type /permissions trust.")
	}
	names := map[string]string{} // by file
	for _, c := range s.added() {
		if c.File != "" {
			names[c.File] = c.Name
		}
	}
	commands, problems := s.files.Load(sources)
	var b strings.Builder
	for _, source := range sources {
		var rows [][]string
		for _, c := range commands {
			if c.Source == source {
				rows = append(rows, []string{"/" + names[c.Path], c.Description})
			}
		}
		if len(rows) > 0 {
			fmt.Fprintf(&b, "%s (%s):\n\n%s\n", sourceTitle(source), s.Session.Project.DisplayFile(source.Dir), s.formatTable(nil, rows...))
		}
	}
	if b.Len() == 0 {
		fmt.Fprintf(&b, "There are no custom commands. A file %s makes the command /name: see /docs custom-commands.\n",
			s.Session.Project.Paths.Display(sources[0].Dir+"/name.toml"))
	}
	for _, line := range s.describeProblems(problems, "Left out: ") {
		b.WriteString(line + "\n")
	}
	return Result{Text: strings.TrimRight(b.String(), "\n")}, nil
}

func sourceTitle(source command.Source) string {
	switch source.Kind {
	case command.Workspace:
		return "Project"
	case command.Extension:
		return "Extension: " + source.Owner
	}
	return "User"
}

// reloadCommands reads all command files again.
func reloadCommands(_ context.Context, s *Runner, _ string) (Result, error) {
	s.files.Forget()
	commands, problems := s.files.Load(s.Session.Composer.CommandSources())
	text := "Loaded " + wording.Count(len(commands), "custom command") + "."
	for _, line := range s.describeProblems(problems, "Left out: ") {
		text += "\n" + line
	}
	return Result{Text: text}, nil
}
