package slash

import (
	"context"
	"fmt"
	"strings"

	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

// everyday lists the commands that /help shows: the most useful ones, which fit a terminal of 24 lines.
var everyday = []struct {
	title string
	names []string
}{
	{"Conversation", []string{"clear", "compress", "copy", "quit"}},
	{"Model", []string{"model", "auth", "stats"}},
	{"Project", []string{"init", "memory", "directory"}},
	{"Permissions", []string{"mode", "plan", "permissions"}},
	{"Setup", []string{"settings", "doctor"}},
}

// help lists the everyday commands or, with "all", all commands. The name of a command explains it.
func (s *Runner) help(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	switch c.Text {
	case "":
		return s.everydayHelp(), nil
	case "all":
		return s.fullHelp(), nil
	}
	return s.explainCommand("/" + strings.TrimPrefix(c.Text, "/"))
}

func (s *Runner) everydayHelp() outcome.Outcome {
	commands := s.table()
	var rows [][]string
	for _, g := range everyday {
		rows = append(rows, []string{g.title})
		for _, name := range g.names {
			rows = append(rows, []string{"  /" + name, findCommand(commands, name).Summary})
		}
	}
	rows = append(rows, s.addedRows()...)
	more := "/help all lists all commands, /help <command> explains one."
	if s.Shortcuts != "" {
		more += " ? shows the keys."
	}
	return outcome.New(outcome.Title("Type what you want done and press Enter. @path attaches a file or directory."), &outcome.Table{Rows: rows}, outcome.Text(more))
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

func (s *Runner) fullHelp() outcome.Outcome {
	var rows [][]string
	var missing []string
	for _, c := range s.table() {
		if c.IsPlanned {
			missing = append(missing, "/"+c.Name)
			continue
		}
		rows = append(rows, []string{"/" + heading(c), c.Summary})
		for _, sub := range c.Subs {
			if !sub.IsPlanned {
				rows = append(rows, []string{"  " + heading(sub), sub.Summary})
			}
		}
	}
	for _, c := range s.added() {
		rows = append(rows, []string{"/" + terminal.Line(heading(c)), c.Summary})
	}
	more := "/help <command> explains one."
	if len(missing) > 0 {
		more += "\nNot available yet: " + strings.Join(missing, ", ") + "."
	}
	return outcome.New(&outcome.Table{Rows: rows}, outcome.Text(more))
}

// heading returns the name of a command with its aliases and arguments.
func heading(c *manage.Command) string {
	names := c.Name
	if len(c.Aliases) > 0 {
		names += " (" + strings.Join(c.Aliases, ", ") + ")"
	}
	return strings.TrimSpace(names + " " + c.Args)
}

// explainCommand explains the command that line names, and whether it runs while the model works.
func (s *Runner) explainCommand(line string) (outcome.Outcome, error) {
	call, ok := s.Lookup(line)
	if !ok {
		if suggestion := suggest(append(s.table(), s.added()...), strings.TrimPrefix(line, "/")); suggestion != "" {
			return manage.Misuse("There is no command %s. Did you mean %s?", terminal.Cut(line, 40), suggestion)
		}
		return manage.Misuse("There is no command %s. /help all lists all commands.", terminal.Cut(line, 40))
	}
	c := call.Command
	about := fmt.Sprintf("/%s\n\n%s.", strings.TrimSpace(call.Name+" "+c.Args), c.Summary)
	if len(c.Aliases) > 0 {
		about += "\nOther names: " + strings.Join(c.Aliases, ", ") + "."
	}
	o := outcome.New(outcome.Text(about))
	t := &outcome.Table{}
	for _, sub := range c.Subs {
		if !sub.IsPlanned {
			t.Rows = append(t.Rows, []string{"/" + call.Name + " " + heading(sub), sub.Summary})
		}
	}
	if len(t.Rows) > 0 {
		o.Parts = append(o.Parts, t)
	}
	when := "You can use it when the model is done."
	switch {
	case c.IsPlanned:
		when = "Not available yet in this version of Pollux."
	case c.RunsWhileBusy:
		when = "You can use it while the model works."
	}
	o.Parts = append(o.Parts, outcome.Text(when))
	return o, nil
}

func (s *Runner) shortcuts(context.Context, *manage.Call) (outcome.Outcome, error) {
	if s.Shortcuts == "" {
		return manage.Say("This interface has no keys of its own.")
	}
	return manage.Say("%s", s.Shortcuts)
}
