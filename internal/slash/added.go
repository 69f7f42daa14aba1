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
	"pollux/internal/command"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/mcp"
	"pollux/internal/outcome"
	"pollux/internal/owncalls"
	"pollux/internal/skill"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// Lookup parses a line into a call of a command of the table, or of one that the user or a server has added.
func (s *Runner) Lookup(line string) (Call, bool) {
	if !strings.HasPrefix(line, "/") {
		return Call{}, false
	}
	table := s.table()
	word, _ := manage.CutWord(line[1:])
	if c := findCommand(table, word); c != nil && c.Keeps(word) {
		return find(table, line)
	}
	return find(append(table, s.added()...), line)
}

// added returns the commands that are not in the table: skills, prompts of MCP servers, and the user's own.
func (s *Runner) added() []*manage.Command {
	list, _ := s.settle()
	return rowsOf(list)
}

// Added is a command that is not in the table.
type Added struct {
	*manage.Command
	IsPrompt bool // of an MCP server
}

// Added returns the skills, the prompts of MCP servers and the user's own commands, each with a name of its own. It may be
// called during a run.
func (s *Runner) Added() (added []Added) {
	list, _ := s.settle()
	for _, o := range list {
		added = append(added, Added{o.Command, o.isPrompt})
	}
	return added
}

func rowsOf(list []owned) (rows []*manage.Command) {
	for _, o := range list {
		rows = append(rows, o.Command)
	}
	return rows
}

// settle returns the added commands, and those that are renamed because their name is taken, with a warning once.
func (s *Runner) settle() ([]owned, []renaming) {
	commands, renamed := settleNames(s.table(), slices.Concat(s.skillCommands(), promptCommands(s.Session.Servers.Prompts()), s.customCommands()))
	if s.Session.Project.Options.Interactive {
		for _, notice := range describeRenamings(renamed) {
			s.warnOnce(terminal.Text(notice))
		}
	}
	return commands, renamed
}

// promptCommands returns a command for each prompt, of which a server may list one twice.
func promptCommands(prompts []mcp.Prompt) (list []owned) {
	type id struct{ server, name string }
	listed := map[id]bool{}
	for _, p := range prompts {
		if one := (id{p.Server, p.Name}); !listed[one] {
			listed[one] = true
			list = append(list, owned{Command: promptCommand(hyphenated(p.Name), p), prefix: hyphenated(p.Server) + ".", owner: "MCP server '" + terminal.Line(p.Server) + "' command", isPrompt: true})
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
	return &manage.Command{
		Name: name, Args: strings.Join(append(usage, "[text]"), " "),
		Summary: cmp.Or(terminal.Cut(terminal.Line(p.Description), 100), "Invoke prompt "+terminal.Line(p.Name)),
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
	return &manage.Command{
		Name: hyphenated(k.FullName()), Args: "[text]", Summary: terminal.Cut(terminal.Line(k.Description), 100),
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
	// isPrompt is set for a prompt of an MCP server.
	isPrompt bool
}

// settleNames gives each command a name of its own. A name of the table belongs to the table, and one that
// several commands have belongs to none of them: they are renamed. Aliases of the table belong to it where a server
// claims them; a user's own command takes the place of an alias, as in Gemini CLI.
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
		builtin := findCommand(table, name)
		if builtin != nil && (o.isPrompt || builtin.Keeps(name)) || owners[name] > 1 {
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

func (s *Runner) reloadCommands(context.Context, *manage.Call) (outcome.Outcome, error) {
	s.files.Forget()
	commands, problems := s.files.Load(s.Session.Composer.CommandSources())
	text := "Loaded " + wording.Count(len(commands), "custom command") + "."
	for _, line := range s.describeProblems(problems, "Left out: ") {
		text += "\n" + line
	}
	return manage.Say("%s", text)
}
