package slash

import (
	"context"
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/mcp"
	"pollux/internal/terminal"
)

// Lookup parses a line into a call of a command of the table, or of one that the user or a server has added.
func (s *Runner) Lookup(line string) (Call, bool) {
	if call, known := Lookup(line); known || !strings.HasPrefix(line, "/") {
		return call, known
	}
	return find(s.added(), line)
}

// added returns the commands that are not in the table: prompts of MCP servers, and the user's own.
func (s *Runner) added() []*Command {
	return append(s.serverPrompts(), s.customCommands()...)
}

// serverPrompts returns a command for each prompt of the MCP servers. The first server keeps the name of a
// prompt that two have; the names of Pollux's own commands belong to these.
func (s *Runner) serverPrompts() (list []*Command) {
	taken := Commands()
	for _, p := range s.ServerPrompts() {
		name := strings.Join(strings.Fields(p.Name), "-")
		switch {
		case findCommand(taken, name) != nil:
			name = p.Server + "." + name
		case findCommand(list, name) != nil:
			name = p.Server + "_" + name
		}
		if findCommand(list, name) == nil {
			list = append(list, promptCommand(name, p))
		}
	}
	return list
}

// promptCommand returns the command for a prompt of a server.
func promptCommand(name string, p mcp.Prompt) *Command {
	var usage []string
	for _, a := range p.Args {
		text := "--" + a.Name + "=..."
		if !a.Required {
			text = "[" + text + "]"
		}
		usage = append(usage, text)
	}
	summary := terminal.Cut(terminal.Line(p.Description), 100)
	if summary == "" {
		summary = "Invoke prompt " + terminal.Line(p.Name)
	}
	return &Command{
		Name: name, Args: strings.Join(append(usage, "[text]"), " "), Summary: summary,
		Subs: []*Command{{
			Name: "help", Summary: "List the arguments",
			Run: func(_ context.Context, s *Runner, _ string) (Result, error) { return s.promptHelp(name, p) },
		}},
		Run: func(ctx context.Context, s *Runner, args string) (Result, error) {
			values, err := p.ParseArgs(args)
			if err != nil {
				return usageError("%s", terminal.Line(err.Error()))
			}
			parts, err := s.Servers().GetPrompt(ctx, p, values)
			if err != nil {
				return Result{}, exit.Errorf(exit.General, "%s", terminal.Line(err.Error()))
			}
			line := strings.TrimSpace("/" + name + " " + args)
			s.Prepare(line, parts)
			return Result{Prompt: line}, nil
		},
	}
}

// promptHelp lists the arguments of a server's prompt.
func (s *Runner) promptHelp(name string, p mcp.Prompt) (Result, error) {
	if len(p.Args) == 0 {
		return textResult("/%s has no arguments.", name)
	}
	var rows [][]string
	for _, a := range p.Args {
		need := "optional"
		if a.Required {
			need = "required"
		}
		rows = append(rows, []string{"--" + terminal.Line(a.Name), need, terminal.Line(a.Description)})
	}
	return textResult("Arguments of /%s, a prompt of the MCP server %s:\n\n%s", name, terminal.Line(p.Server), s.formatTable(nil, rows...))
}

// customCommands returns a command for each command file. Pollux does not support these yet.
func (s *Runner) customCommands() (list []*Command) {
	files := s.Features().Files
	for name, path := range files {
		name := strings.TrimPrefix(name, "/")
		list = append(list, &Command{
			Name: name, Args: "[text]", Summary: "Custom command", RunsWhileBusy: true,
			Run: func(_ context.Context, s *Runner, _ string) (Result, error) {
				return Result{}, exit.Errorf(exit.Input, "/%s is a custom command (%s). Custom commands are not available yet in this version of Pollux.",
					terminal.Line(name), s.Paths.Display(path))
			},
		})
	}
	slices.SortFunc(list, func(a, b *Command) int { return strings.Compare(a.Name, b.Name) })
	return list
}
