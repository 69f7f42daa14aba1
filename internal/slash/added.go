package slash

import (
	"context"
	"slices"
	"strings"

	"pollux/agent"
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

// added returns the commands that are not in the table: skills, prompts of MCP servers, and the user's own.
func (s *Runner) added() []*Command {
	commands, _ := s.settle()
	return commands
}

// settle returns the added commands and those of them that have another name, because theirs is taken. A
// user learns once of each.
func (s *Runner) settle() ([]*Command, []renaming) {
	commands, renamed := settleNames(Commands(), slices.Concat(s.skillCommands(), s.serverPrompts(), s.customCommands()))
	if s.Session.Project.Options.Interactive {
		for _, notice := range describeRenamings(renamed) {
			s.warnOnce(terminal.Text(notice))
		}
	}
	return commands, renamed
}

// serverPrompts returns a command for each prompt of the MCP servers.
func (s *Runner) serverPrompts() []owned { return promptCommands(s.Session.Servers.Prompts()) }

// promptCommands returns a command for each prompt, of which a server may list one twice.
func promptCommands(prompts []mcp.Prompt) (list []owned) {
	type id struct{ server, name string }
	listed := map[id]bool{}
	for _, p := range prompts {
		if one := (id{p.Server, p.Name}); !listed[one] {
			listed[one] = true
			list = append(list, owned{promptCommand(hyphenated(p.Name), p), hyphenated(p.Server) + ".", "MCP server '" + terminal.Line(p.Server) + "' command"})
		}
	}
	return list
}

// hyphenated returns a name as one word of a command.
func hyphenated(name string) string { return strings.Join(strings.Fields(name), "-") }

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
			RunCall: func(_ context.Context, s *Runner, call Call) (Result, error) {
				return s.promptHelp(strings.TrimSuffix(call.Name, " help"), p)
			},
		}},
		RunCall: func(ctx context.Context, s *Runner, call Call) (Result, error) {
			values, err := p.ParseArgs(call.Args)
			if err != nil {
				return usageError("%s", terminal.Line(err.Error()))
			}
			parts, err := s.Session.Servers.MCP().GetPrompt(ctx, p, values)
			if err != nil {
				return Result{}, exit.Errorf(exit.General, "%s", terminal.Line(err.Error()))
			}
			return Result{Prompt: &agent.Prompt{Parts: parts, Shown: call.Line}, IsPromptHidden: true}, nil
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
