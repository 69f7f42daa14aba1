package slash

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pollux/internal/command"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
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
		o := owned{Command: customCommand(c), file: c.Path}
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
func customCommand(c command.Command) *manage.Command {
	usage := "[text]"
	if strings.Contains(c.Prompt, "{{args}}") {
		usage = "[args]"
	}
	return &manage.Command{
		Name: c.Name, Args: usage, Summary: c.Description,
		Run: func(ctx context.Context, call *manage.Call) (outcome.Outcome, error) { return runCustom(ctx, &c, call) },
	}
}

// runCustom makes the prompt of a command of a file.
func runCustom(ctx context.Context, c *command.Command, call *manage.Call) (outcome.Outcome, error) {
	prompt, err := call.Live.Composer.Command(ctx, c, command.Call{Line: call.Typed, Name: call.Path, Args: call.Text})
	var coded *exit.Error
	switch {
	case err == nil:
		call.Next.Prompt = &prompt
		return outcome.Outcome{}, nil
	case errors.Is(err, owncalls.ErrRefused):
		return manage.Say("Not sent: the shell commands of /%s were refused.", call.Path)
	case ctx.Err() != nil, errors.As(err, &coded):
		return outcome.Outcome{}, err
	}
	return outcome.Outcome{}, exit.Errorf(exit.General, "%w", err)
}

// listCommands lists the custom commands by their directories.
func (s *Runner) listCommands(context.Context, *manage.Call) (outcome.Outcome, error) {
	sources := s.Session.Composer.CommandSources()
	if len(sources) == 0 {
		return manage.Say("This folder is not trusted: custom commands are off. To trust it, type /permissions trust.")
	}
	names := map[string]string{} // by file
	commands, _ := s.settle()
	for _, c := range commands {
		names[c.file] = c.Name
	}
	files, problems := s.files.Load(sources)
	var o outcome.Outcome
	for _, source := range sources {
		t := &outcome.Table{}
		for _, c := range files {
			if c.Source == source {
				t.Rows = append(t.Rows, []string{"/" + names[c.Path], c.Description})
			}
		}
		if len(t.Rows) > 0 {
			o.Parts = append(o.Parts, outcome.Text(fmt.Sprintf("%s (%s):", sourceTitle(source), s.Session.Project.DisplayFile(source.Dir))), t)
		}
	}
	if len(o.Parts) == 0 {
		o = outcome.Textf("There are no custom commands. A file %s makes the command /name: see /docs custom-commands.", s.Session.Project.Paths.Display(sources[0].Dir+"/name.toml"))
	}
	if lines := s.describeProblems(problems, "Left out: "); len(lines) > 0 {
		o.Parts = append(o.Parts, outcome.Text(strings.Join(lines, "\n")))
	}
	return o, nil
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
func (s *Runner) reloadCommands(context.Context, *manage.Call) (outcome.Outcome, error) {
	s.files.Forget()
	commands, problems := s.files.Load(s.Session.Composer.CommandSources())
	text := "Loaded " + wording.Count(len(commands), "custom command") + "."
	for _, line := range s.describeProblems(problems, "Left out: ") {
		text += "\n" + line
	}
	return manage.Say("%s", text)
}
