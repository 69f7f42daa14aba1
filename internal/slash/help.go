package slash

import (
	"context"
	"fmt"
	"strings"

	"pollux/docs"
)

func help(_ context.Context, s *Session, name string) (Result, error) {
	if name != "" {
		return explain("/" + strings.TrimPrefix(name, "/"))
	}
	var rows [][]string
	var missing []string
	for _, c := range Commands() {
		if c.Later {
			missing = append(missing, "/"+c.Name)
			continue
		}
		rows = append(rows, []string{"/" + c.heading(), c.Summary})
		for _, sub := range c.Subs {
			if !sub.Later {
				rows = append(rows, []string{"  " + sub.heading(), sub.Summary})
			}
		}
	}
	text := "Write what you want done. @path brings in a file or a directory. A line that begins with a slash is one of these:\n\n" +
		table(rows...) + "\n/help <command> says more of one. Not there yet: " + strings.Join(missing, ", ") + "."
	if s.Shortcuts != "" {
		text += "\n/shortcuts lists the keys."
	}
	return Result{Text: text}, nil
}

// heading is the name of a command with its aliases and arguments.
func (c *Command) heading() string {
	names := c.Name
	if len(c.Aliases) > 0 {
		names += " (" + strings.Join(c.Aliases, ", ") + ")"
	}
	return strings.TrimSpace(names + " " + c.Args)
}

func explain(line string) (Result, error) {
	call, ok := Lookup(line)
	if !ok {
		if meant := Meant(line); meant != "" {
			return fail("There is no command %s. Did you mean %s?", cut(line, 40), meant)
		}
		return fail("There is no command %s. /help lists all there are.", cut(line, 40))
	}
	c := call.Command
	var b strings.Builder
	fmt.Fprintf(&b, "/%s\n\n%s.\n", strings.TrimSpace(call.Name+" "+c.Args), c.Summary)
	if len(c.Aliases) > 0 {
		fmt.Fprintf(&b, "Other names: %s.\n", strings.Join(c.Aliases, ", "))
	}
	var rows [][]string
	for _, sub := range c.Subs {
		if !sub.Later {
			rows = append(rows, []string{"/" + call.Name + " " + sub.heading(), sub.Summary})
		}
	}
	if len(rows) > 0 {
		b.WriteString("\n" + table(rows...) + "\n")
	}
	switch {
	case c.Later:
		b.WriteString("It is not available yet in this version of Pollux.")
	case c.Busy:
		b.WriteString("It may be used while the model works.")
	default:
		b.WriteString("It waits until the model is done.")
	}
	return Result{Text: b.String()}, nil
}

// documents lists the pages of the documentation, or shows one.
func documents(_ context.Context, _ *Session, name string) (Result, error) {
	if name != "" {
		text, err := docs.Pages.ReadFile(strings.TrimSuffix(name, ".md") + ".md")
		if err != nil {
			return fail("There is no page %q. /docs lists all there are.", cut(name, 40))
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
	return say("/docs <page> shows one of these. They come with Pollux's source, too, in the directory docs.\n\n%s", table(rows...))
}

func shortcuts(_ context.Context, s *Session, _ string) (Result, error) {
	if s.Shortcuts == "" {
		return say("There are none here.")
	}
	return Result{Text: s.Shortcuts}, nil
}
