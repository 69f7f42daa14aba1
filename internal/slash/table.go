package slash

import (
	"slices"
	"strings"

	"pollux/internal/manage/nouns"
	"pollux/internal/usage"
)

// Commands returns the command table, sorted by name. A command with RunsWhileBusy is either
// read-only or safe to use during a run.
func Commands() []*Command {
	const (
		busy   = true
		person = true
	)
	planned := func(summary, name string, aliases ...string) *Command {
		return &Command{Name: name, Aliases: aliases, Summary: summary, IsPlanned: true}
	}
	plannedInteractive := func(summary, name string, aliases ...string) *Command {
		return &Command{Name: name, Aliases: aliases, Summary: summary, IsPlanned: true, NeedsPerson: person}
	}
	commands := []*Command{
		{Name: "about", Summary: "Show the version and environment of Pollux", RunsWhileBusy: busy, Run: about},
		{
			Name: "agents", Summary: "List and configure subagents", RunsWhileBusy: busy, Run: agentsList,
			Subs: []*Command{
				{Name: "list", Summary: "List subagents", RunsWhileBusy: busy, Run: agentsList},
				{Name: "enable", Args: "<agent-name>", Summary: "Enable a subagent", Run: agentsEnable},
				{Name: "disable", Args: "<agent-name>", Summary: "Disable a subagent", Run: agentsDisable},
				{Name: "config", Args: "<agent-name> [<setting> <value>]", Summary: "Show and change the settings of a subagent", Run: agentsConfig},
				{Name: "reload", Aliases: []string{"refresh"}, Summary: "Read the files of subagents again", Run: agentsReload},
			},
		},
		{Name: "bug", Args: "[title]", Summary: "Report a problem", Run: bug},
		{
			Name: "chat", Aliases: []string{"resume"}, Args: "[session]", NeedsPerson: person, Run: resume,
			Summary: "Resume an earlier session; save and share conversations",
			Instead: "To go on with an earlier session, start pollux --resume.",
			Subs: []*Command{
				{Name: "list", Summary: "List saved conversations", RunsWhileBusy: busy, Run: chatList},
				{Name: "save", Args: "<tag>", Summary: "Save this conversation under a tag", Run: chatSave},
				{Name: "resume", Aliases: []string{"load"}, Args: "<tag>", Summary: "Resume a saved conversation", Run: chatResume},
				{Name: "delete", Args: "<tag>", Summary: "Delete a saved conversation", Run: chatDelete},
				{Name: "share", Args: "[file]", Summary: "Write this conversation to a Markdown or JSON file", RunsWhileBusy: busy, Run: share},
			},
		},
		{Name: "clear", Aliases: []string{"new"}, Summary: "Start a new conversation", Run: clearConversation},
		{
			Name: "commands", Summary: "List and reload custom commands",
			Subs: []*Command{
				{Name: "list", Summary: "List custom commands", RunsWhileBusy: busy, Run: listCommands},
				{Name: "reload", Aliases: []string{"refresh"}, Summary: "Read the files of custom commands again", RunsWhileBusy: busy, Run: reloadCommands},
			},
		},
		{
			Name: "compress", Aliases: []string{"summarize", "compact"}, Args: "[what to keep]", Run: compress,
			Summary: "Summarize the conversation to free up context",
		},
		{Name: "context", Summary: "Show what fills the context window", RunsWhileBusy: busy, Run: contextUsage},
		{Name: "copy", Args: "[n]", Summary: "Copy the last response, or the nth from the end", RunsWhileBusy: busy, NeedsPerson: person, Run: copyResponse},
		{Name: "cost", Summary: "Show the cost of this session", RunsWhileBusy: busy, Run: cost},
		{
			Name: "directory", Aliases: []string{"dir"}, Summary: "Show and add workspace directories",
			Subs: []*Command{
				{Name: "add", Args: "<path>[,<path>...]", Summary: "Add directories to the workspace", Run: directoryAdd},
				{Name: "show", Summary: "List the directories of the workspace", RunsWhileBusy: busy, Run: directoryShow},
			},
		},
		{Name: "docs", Args: "[page]", Summary: "Read the documentation", RunsWhileBusy: busy, Run: showDocs},
		{Name: "doctor", Summary: "Check your setup and test the model", RunsWhileBusy: busy, Run: runDoctor},
		{Name: "editor", Args: "[name]", Summary: "Choose the editor for prompts and proposed changes", Run: chooseEditor},
		{Name: "export-session", Args: "<path>", Summary: "Write the session to a JSON or Markdown file", RunsWhileBusy: busy, Run: export},
		{Name: "help", Aliases: []string{"?"}, Args: "[command]", Summary: "List commands, or explain one", RunsWhileBusy: busy, Run: help},
		{Name: "init", Summary: "Analyze the project and create a GEMINI.md file", Run: initProject},
		{Name: "mode", Args: "[default|auto_edit|plan|yolo]", Summary: "Show or change the approval mode", RunsWhileBusy: busy, Run: setMode},
		{
			Name: "model", Summary: "Choose a model", NeedsPerson: person, Run: modelChoose,
			Instead: "To choose the model of a run, use -m MODEL. 'pollux models' lists models.",
			Subs: []*Command{
				{Name: "manage", Summary: "Choose a model from a list", NeedsPerson: person, Run: modelChoose},
				{Name: "set", Args: "<name> [--persist]", Summary: "Use a model; --persist saves it in your settings", Run: modelSet},
			},
		},
		{
			Name: "permissions", Summary: "Show trusted folders and approvals of this session", RunsWhileBusy: busy, Run: permissions,
			Subs: []*Command{
				{Name: "revoke", Args: "<number>", Summary: "Revoke an approval of this session", RunsWhileBusy: busy, Run: permissionsRevoke},
				{Name: "trust", Args: "[directory]", Summary: "Trust a folder or stop trusting it", Run: permissionsTrust},
			},
		},
		{
			Name: "plan", Args: "[prompt]", Summary: "Switch to plan mode, or show the approved plan", Run: planMode,
			Subs: []*Command{{Name: "copy", Summary: "Print the approved plan", RunsWhileBusy: busy, Run: planCopy}},
		},
		{Name: "quit", Aliases: []string{"exit"}, Args: "[--delete]", Summary: "Exit Pollux; --delete deletes this session", RunsWhileBusy: busy, NeedsPerson: person, Run: quit},
		{Name: "prompts", Args: "[text]", Summary: "Reuse an earlier prompt of this project", NeedsPerson: person, Run: earlierPrompts},
		{Name: "restore", Args: "[call]", Summary: "Return to the state before a tool call", Run: restore},
		{Name: "rewind", Summary: "Go back to an earlier prompt", NeedsPerson: person, Run: rewind},
		{Name: "shortcuts", Summary: "List keyboard shortcuts", RunsWhileBusy: busy, NeedsPerson: person, Run: shortcuts},
		{
			Name: "stats", Aliases: []string{"usage"}, Summary: "Show session statistics", RunsWhileBusy: busy, Run: statsSession,
			Subs: []*Command{
				{Name: "session", Summary: "Show time, tool calls and tokens", RunsWhileBusy: busy, Run: statsSession},
				{Name: "model", Summary: "Show statistics by model", RunsWhileBusy: busy, Run: statsModel},
				{Name: "tools", Summary: "Show statistics by tool", RunsWhileBusy: busy, Run: statsTools},
				{Name: "days", Args: "[since]", Summary: "Show tokens, cost and time of this project by day", RunsWhileBusy: busy, Run: statsBy(usage.Day)},
				{Name: "sessions", Args: "[since]", Summary: "Show tokens, cost and time of this project by session", RunsWhileBusy: busy, Run: statsBy(usage.Session)},
				{Name: "projects", Args: "[since]", Summary: "Show tokens, cost and time of all projects", RunsWhileBusy: busy, Run: statsBy(usage.Project)},
			},
		},
		{
			Name: "tasks", Aliases: []string{"bg", "background", "shells", "bashes"}, RunsWhileBusy: busy, Run: listTasks,
			Summary: "List background commands",
		},
		{
			Name: "tools", Summary: "List available tools", RunsWhileBusy: busy, Run: toolsList,
			Subs: []*Command{
				{Name: "list", Summary: "List available tools", RunsWhileBusy: busy, Run: toolsList},
				{Name: "desc", Aliases: []string{"descriptions"}, Summary: "List available tools with their descriptions", RunsWhileBusy: busy, Run: toolsDescribe},
			},
		},

		planned("Write a memory profile", "bug-memory"),
		planned("Show the changes of this session", "diff"),
		plannedInteractive("Configure the footer", "footer", "statusline"),
		planned("Set up the local routing model", "gemma"),
		plannedInteractive("Manage the editor integration", "ide"),
		plannedInteractive("Show the privacy notice", "privacy"),
		planned("Redo undone changes", "redo"),
		plannedInteractive("Set up GitHub workflows", "setup-github"),
		plannedInteractive("Set up terminal key bindings", "terminal-setup"),
		plannedInteractive("Choose a theme", "theme"),
		planned("Undo the changes of the last turn", "undo"),
		plannedInteractive("Upgrade your account", "upgrade"),
		plannedInteractive("Toggle vim mode", "vim"),
		plannedInteractive("Toggle voice mode", "voice"),
	}
	for _, c := range nouns.All() {
		if c.Session != nil {
			commands = append(commands, nounCommand(c))
		}
	}
	slices.SortFunc(commands, func(a, b *Command) int { return strings.Compare(a.Name, b.Name) })
	return commands
}
