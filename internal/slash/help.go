package slash

import (
	"context"
	"fmt"
	"strings"

	"pollux/docs"
	"pollux/internal/terminal"
)

// commandGroup is a titled list of commands in /help.
type commandGroup struct {
	title string
	names []string
}

// everyday lists the commands that /help shows: those that most people need, one line each, so that
// the list fits a terminal of 24 lines.
var everyday = []commandGroup{
	{"Conversation", []string{"clear", "compress", "copy", "quit"}},
	{"Model", []string{"model", "auth", "stats"}},
	{"Project", []string{"init", "memory", "directory"}},
	{"Permissions", []string{"mode", "plan", "permissions"}},
	{"Setup", []string{"settings", "doctor"}},
}

// help lists the everyday commands or, if name is "all", all commands. Any other name explains
// that command.
func help(_ context.Context, s *Runner, name string) (Result, error) {
	switch name {
	case "":
		return s.everydayHelp()
	case "all":
		return s.fullHelp()
	}
	return s.explainCommand("/" + strings.TrimPrefix(name, "/"))
}

func (s *Runner) everydayHelp() (Result, error) {
	commands := Commands()
	var rows [][]string
	for _, g := range everyday {
		rows = append(rows, []string{g.title})
		for _, name := range g.names {
			rows = append(rows, []string{"  /" + name, findCommand(commands, name).Summary})
		}
	}
	rows = append(rows, s.addedRows()...)
	text := "Type what you want done and press Enter. @path attaches a file or directory.\n" +
		s.formatTable(nil, rows...) + "\n/help all lists all commands, /help <command> explains one."
	if s.Shortcuts != "" {
		text += " ? shows the keys."
	}
	return Result{Text: text}, nil
}

// addedRows lists the first of the commands that the user and servers have added.
func (s *Runner) addedRows() [][]string {
	const most = 3
	list := s.added()
	if len(list) == 0 {
		return nil
	}
	rows := [][]string{{"Added"}}
	for i, c := range list {
		if i == most && len(list) > most+1 {
			rows = append(rows, []string{fmt.Sprintf("  and %d more", len(list)-most), "See /help all"})
			break
		}
		rows = append(rows, []string{"  /" + terminal.Line(c.Name), c.Summary})
	}
	return rows
}

func (s *Runner) fullHelp() (Result, error) {
	var rows [][]string
	var planned []string
	for _, c := range Commands() {
		if c.IsPlanned {
			planned = append(planned, c.Name)
			continue
		}
		rows = append(rows, []string{"/" + c.heading(), c.Summary})
		for _, sub := range c.Subs {
			if !sub.IsPlanned {
				rows = append(rows, []string{"  " + sub.heading(), sub.Summary})
			}
		}
	}
	for _, c := range s.added() {
		rows = append(rows, []string{"/" + terminal.Line(c.heading()), c.Summary})
	}
	text := s.formatTable(nil, rows...) + "\n/help <command> explains one."
	if len(planned) > 0 {
		text += fmt.Sprintf("\nNot available yet: %d commands of Gemini CLI, such as /undo and /theme.", len(planned))
	}
	return Result{Text: text}, nil
}

// heading returns the name of a command with its aliases and arguments.
func (c *Command) heading() string {
	names := c.Name
	if len(c.Aliases) > 0 {
		names += " (" + strings.Join(c.Aliases, ", ") + ")"
	}
	return strings.TrimSpace(names + " " + c.Args)
}

// explainCommand explains the command that line names: arguments, aliases, subcommands,
// and whether it runs while the model works.
func (s *Runner) explainCommand(line string) (Result, error) {
	call, ok := s.Lookup(line)
	if !ok {
		if suggestion := suggest(append(Commands(), s.added()...), strings.TrimPrefix(line, "/")); suggestion != "" {
			return usageError("There is no command %s. Did you mean %s?", terminal.Cut(line, 40), suggestion)
		}
		return usageError("There is no command %s. /help all lists all commands.", terminal.Cut(line, 40))
	}
	c := call.Command
	var b strings.Builder
	fmt.Fprintf(&b, "/%s\n\n%s.\n", strings.TrimSpace(call.Name+" "+c.Args), c.Summary)
	if len(c.Aliases) > 0 {
		fmt.Fprintf(&b, "Other names: %s.\n", strings.Join(c.Aliases, ", "))
	}
	var rows [][]string
	for _, sub := range c.Subs {
		if !sub.IsPlanned {
			rows = append(rows, []string{"/" + call.Name + " " + sub.heading(), sub.Summary})
		}
	}
	if len(rows) > 0 {
		b.WriteString("\n" + s.formatTable(nil, rows...) + "\n")
	}
	switch {
	case c.IsPlanned:
		b.WriteString("Not available yet in this version of Pollux.")
	case c.RunsWhileBusy:
		b.WriteString("You can use it while the model works.")
	default:
		b.WriteString("You can use it when the model is done.")
	}
	return Result{Text: b.String()}, nil
}

// showDocs lists the documentation pages, or shows the page called name.
func showDocs(_ context.Context, s *Runner, name string) (Result, error) {
	if name != "" {
		text, err := docs.Pages.ReadFile(strings.TrimSuffix(name, ".md") + ".md")
		if err != nil {
			return usageError("There is no page %q. /docs lists all pages.", terminal.Cut(name, 40))
		}
		if s.Session.Project.Options.Asker == nil { // not at a terminal, which wraps lines
			return Result{Text: string(text)}, nil
		}
		return Result{Text: joinLines(string(text))}, nil
	}
	entries, err := docs.Pages.ReadDir(".")
	if err != nil {
		return Result{}, err
	}
	var rows [][]string
	for _, e := range entries {
		text, err := docs.Pages.ReadFile(e.Name())
		if err != nil {
			return Result{}, err
		}
		title, _, _ := strings.Cut(string(text), "\n")
		rows = append(rows, []string{strings.TrimSuffix(e.Name(), ".md"), strings.TrimLeft(title, "# ")})
	}
	return textResult("Pages of the documentation:\n\n%s\n/docs <page> shows one.", s.formatTable(nil, rows...))
}

// shortcuts lists the keyboard shortcuts of the face.
func shortcuts(_ context.Context, s *Runner, _ string) (Result, error) {
	if s.Shortcuts == "" {
		return textResult("This interface has no keys of its own.")
	}
	return Result{Text: s.Shortcuts}, nil
}
