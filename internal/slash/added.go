package slash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/mcp"
	"pollux/internal/outcome"
	"pollux/internal/owncalls"
	"pollux/internal/skill"
	"pollux/internal/terminal"
)

// Lookup parses a line into a call of a command of the table, or of one that the user or a server has added.
func (s *Runner) Lookup(line string) (Call, bool) {
	if !strings.HasPrefix(line, "/") {
		return Call{}, false
	}
	if call, known := find(s.table(), line); known {
		return call, true
	}
	return find(s.added(), line)
}

// added returns the commands that are not in the table: skills, prompts of MCP servers, and the user's own.
func (s *Runner) added() []*manage.Command {
	list, _ := s.settle()
	return rowsOf(list)
}

func rowsOf(list []owned) (rows []*manage.Command) {
	for _, o := range list {
		rows = append(rows, o.Command)
	}
	return rows
}

// settle returns the added commands and those of them that have another name, because theirs is taken. A
// user learns once of each.
func (s *Runner) settle() ([]owned, []renaming) {
	commands, renamed := settleNames(s.table(), slices.Concat(s.skillCommands(), s.serverPrompts(), s.customCommands()))
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
			list = append(list, owned{Command: promptCommand(hyphenated(p.Name), p), prefix: hyphenated(p.Server) + ".", owner: "MCP server '" + terminal.Line(p.Server) + "' command"})
		}
	}
	return list
}

// hyphenated returns a name as one word of a command.
func hyphenated(name string) string { return strings.Join(strings.Fields(name), "-") }

// promptCommand returns the command for a prompt of a server.
func promptCommand(name string, p mcp.Prompt) *manage.Command {
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
	return &manage.Command{
		Name: name, Args: strings.Join(append(usage, "[text]"), " "), Summary: summary,
		Subs: []*manage.Command{{
			Name: "help", Summary: "List the arguments",
			Run: func(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
				return promptHelp(strings.TrimSuffix(c.Path, " help"), p)
			},
		}},
		Run: func(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
			values, err := p.ParseArgs(c.Text)
			if err != nil {
				return manage.Misuse("%s", terminal.Line(err.Error()))
			}
			parts, err := c.Live.Servers.MCP().GetPrompt(ctx, p, values)
			if err != nil {
				return outcome.Outcome{}, exit.Errorf(exit.General, "%s", terminal.Line(err.Error()))
			}
			c.Next = manage.Next{Prompt: &agent.Prompt{Parts: parts, Shown: c.Typed}, IsPromptHidden: true}
			return outcome.Outcome{}, nil
		},
	}
}

// promptHelp lists the arguments of a server's prompt.
func promptHelp(name string, p mcp.Prompt) (outcome.Outcome, error) {
	if len(p.Args) == 0 {
		return manage.Say("/%s has no arguments.", name)
	}
	t := outcome.NewTable(nil, p.Args, func(a mcp.PromptArg) []string {
		need := "optional"
		if a.Required {
			need = "required"
		}
		return []string{"--" + terminal.Line(a.Name), need, terminal.Line(a.Description)}
	})
	return outcome.New(outcome.Text(fmt.Sprintf("Arguments of /%s, a prompt of the MCP server %s:", name, terminal.Line(p.Server))), t), nil
}

// skillCommands returns a command for each skill that is not part of Pollux, in a session with a user.
func (s *Runner) skillCommands() (list []owned) {
	if s.Session.Project.Options.Asker == nil {
		return nil
	}
	for _, k := range s.Session.Skills.Set().Enabled() {
		if k.IsBuiltin() {
			continue
		}
		o := owned{Command: skillCommand(k), owner: "skill command"}
		if k.Extension != "" {
			o.prefix, o.owner = k.Extension+":", fmt.Sprintf("extension '%s' skill", k.Extension)
		}
		list = append(list, o)
	}
	return list
}

// hasSkill reports whether a word is the name of a skill's command, in a session with or without a user.
func (s *Runner) hasSkill(word string) bool {
	return slices.ContainsFunc(s.Session.Skills.Set().Enabled(), func(k skill.Skill) bool {
		return !k.IsBuiltin() && (skillCommand(k).Name == word || k.Name == word)
	})
}

// skillCommand returns the command that uses a skill. The name of an extension is always part of its name.
func skillCommand(k skill.Skill) *manage.Command {
	name := strings.Join(strings.Fields(k.FullName()), "-")
	return &manage.Command{
		Name: name, Args: "[text]", Summary: terminal.Cut(terminal.Line(k.Description), 100),
		Run: func(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
			prompt, err := c.Live.Composer.Skill(ctx, k.Name, c.Typed, cmp.Or(c.Text, "Use the skill "+k.Name))
			switch {
			case errors.Is(err, owncalls.ErrRefused):
				return manage.Say("Not sent: the skill %s was refused.", terminal.Line(k.Name))
			case err != nil:
				return outcome.Outcome{}, err
			}
			c.Next = manage.Next{Prompt: &prompt, IsPromptHidden: true}
			return outcome.Outcome{}, nil
		},
	}
}

// owned is a command that is not in the table, with its owner.
type owned struct {
	*manage.Command
	prefix string // of its name, where another command has this name: "user."
	owner  string // for people: "user command"
	file   string // of a custom command, else ""
}

// settleNames gives each command a name of its own. A name of the table belongs to the table, and one that
// several commands have belongs to none of them: they are renamed.
func settleNames(table []*manage.Command, list []owned) (commands []owned, renamed []renaming) {
	owners := map[string]int{} // by name
	for _, c := range list {
		owners[c.Name]++
	}
	taken := func(name string) bool {
		return findCommand(table, name) != nil || owners[name] > 0 || slices.ContainsFunc(commands, func(o owned) bool { return o.Name == name })
	}
	for _, o := range list {
		c, name := *o.Command, o.Name
		if findCommand(table, name) != nil || owners[name] > 1 {
			c.Name = o.prefix + name
			for n := 1; taken(c.Name); n++ {
				c.Name = o.prefix + name + strconv.Itoa(n)
			}
			renamed = append(renamed, renaming{o.owner, name, c.Name})
		}
		o.Command = &c
		commands = append(commands, o)
	}
	return commands, renamed
}

// renaming is a command that has another name than its owner gave it.
type renaming struct{ owner, from, to string }

// describeRenamings returns a notice for each name that has not gone to the commands that claim it.
func describeRenamings(list []renaming) (notices []string) {
	lines := map[string][]string{} // by name
	for _, r := range list {
		line := fmt.Sprintf("%s '/%s' was renamed to '/%s'", strings.ToUpper(r.owner[:1])+r.owner[1:], r.from, r.to)
		lines[r.from] = append(lines[r.from], line)
	}
	for _, r := range list {
		switch same := lines[r.from]; len(same) {
		case 0: // described
		case 1: // a command that is alone keeps its name, unless the table has it
			notices = append(notices, same[0]+" because it conflicts with built-in command.")
		default:
			notices = append(notices, fmt.Sprintf("Conflicts detected for command '/%s':\n- %s", r.from, strings.Join(same, "\n- ")))
		}
		delete(lines, r.from)
	}
	return notices
}
