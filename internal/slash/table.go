package slash

import (
	"slices"
	"strings"

	"pollux/internal/manage"
	"pollux/internal/manage/nouns"
)

// Commands returns the command table, sorted by name, for reading: only a [Runner] can run all of the commands.
func Commands() []*manage.Command { return (*Runner)(nil).table() }

// table returns the command table. Commands about commands use the runner.
func (s *Runner) table() []*manage.Command {
	commands := []*manage.Command{
		{
			Name: "commands", Summary: "List and reload custom commands",
			Subs: []*manage.Command{
				{Name: "list", Summary: "List custom commands", RunsWhileBusy: true, Run: s.listCommands},
				{Name: "reload", Aliases: []string{"refresh"}, Summary: "Read the files of custom commands again", RunsWhileBusy: true, Run: s.reloadCommands},
			},
		},
		{Name: "help", Aliases: []string{"?"}, Args: "[command]", Summary: "List commands, or explain one", RunsWhileBusy: true, Run: s.help},
		{Name: "shortcuts", Summary: "List keyboard shortcuts", RunsWhileBusy: true, NeedsPerson: true, Run: s.shortcuts},
	}
	for _, c := range nouns.All() {
		if row := c.Slash(); row != nil {
			commands = append(commands, row)
		}
	}
	commands = append(commands, planned()...)
	slices.SortFunc(commands, func(a, b *manage.Command) int { return strings.Compare(a.Name, b.Name) })
	return commands
}

// planned returns the commands of Gemini CLI that are not available yet.
func planned() []*manage.Command {
	list := []*manage.Command{
		{Name: "bug-memory", Summary: "Write a memory profile"},
		{Name: "diff", Summary: "Show the changes of this session"},
		{Name: "footer", Aliases: []string{"statusline"}, Summary: "Configure the footer", NeedsPerson: true},
		{Name: "gemma", Summary: "Set up the local routing model"},
		{Name: "ide", Summary: "Manage the editor integration", NeedsPerson: true},
		{Name: "privacy", Summary: "Show the privacy notice", NeedsPerson: true},
		{Name: "redo", Summary: "Redo undone changes"},
		{Name: "setup-github", Summary: "Set up GitHub workflows", NeedsPerson: true},
		{Name: "terminal-setup", Summary: "Set up terminal key bindings", NeedsPerson: true},
		{Name: "theme", Summary: "Choose a theme", NeedsPerson: true},
		{Name: "undo", Summary: "Undo the changes of the last turn"},
		{Name: "upgrade", Summary: "Upgrade your account", NeedsPerson: true},
		{Name: "vim", Summary: "Toggle vim mode", NeedsPerson: true},
		{Name: "voice", Summary: "Toggle voice mode", NeedsPerson: true},
	}
	for _, c := range list {
		c.IsPlanned = true
	}
	return list
}
