package slash

import (
	"context"
	"fmt"
	"strings"

	"pollux/docs"
	"pollux/internal/terminal"
)

// help lists all commands, or explains the command called name.
func help(_ context.Context, s *Runner, name string) (Result, error) {
	if name != "" {
		return explainCommand("/" + strings.TrimPrefix(name, "/"))
	}
	var rows [][]string
	var planned []string
	for _, c := range Commands() {
		if c.IsPlanned {
			planned = append(planned, "/"+c.Name)
			continue
		}
		rows = append(rows, []string{"/" + c.heading(), c.Summary})
		for _, sub := range c.Subs {
			if !sub.IsPlanned {
				rows = append(rows, []string{"  " + sub.heading(), sub.Summary})
			}
		}
	}
	text := "Write what you want done. @path brings in a file or a directory. A line that begins with a slash is one of these:\n\n" +
		formatTable(rows...) + "\n/help <command> says more of one. Not there yet: " + strings.Join(planned, ", ") + "."
	if s.Shortcuts != "" {
		text += "\n/shortcuts lists the keys."
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
func explainCommand(line string) (Result, error) {
	call, ok := Lookup(line)
	if !ok {
		if suggestion := Suggest(line); suggestion != "" {
			return usageError("There is no command %s. Did you mean %s?", terminal.Cut(line, 40), suggestion)
		}
		return usageError("There is no command %s. /help lists all there are.", terminal.Cut(line, 40))
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
		b.WriteString("\n" + formatTable(rows...) + "\n")
	}
	switch {
	case c.IsPlanned:
		b.WriteString("It is not available yet in this version of Pollux.")
	case c.RunsWhileBusy:
		b.WriteString("It may be used while the model works.")
	default:
		b.WriteString("It waits until the model is done.")
	}
	return Result{Text: b.String()}, nil
}

// showDocs lists the documentation pages, or shows the page called name.
func showDocs(_ context.Context, _ *Runner, name string) (Result, error) {
	if name != "" {
		text, err := docs.Pages.ReadFile(strings.TrimSuffix(name, ".md") + ".md")
		if err != nil {
			return usageError("There is no page %q. /docs lists all there are.", terminal.Cut(name, 40))
		}
		return Result{Text: string(text)}, nil
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
	return textResult("/docs <page> shows one of these. They come with Pollux's source, too, in the directory docs.\n\n%s", formatTable(rows...))
}

// shortcuts lists the keyboard shortcuts of the face.
func shortcuts(_ context.Context, s *Runner, _ string) (Result, error) {
	if s.Shortcuts == "" {
		return textResult("There are none here.")
	}
	return Result{Text: s.Shortcuts}, nil
}
