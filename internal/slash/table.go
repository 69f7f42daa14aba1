package slash

import (
	"slices"
	"strings"
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
		{Name: "about", Summary: "Say which version this is, and what it works with", RunsWhileBusy: busy, Run: about},
		{
			Name: "auth", Summary: "Keep a key for whoever is to answer", NeedsPerson: person, Run: authSignin,
			Subs: []*Command{
				{Name: "signin", Aliases: []string{"login"}, Args: "[provider]", Summary: "Keep a provider's key, which you are asked for", NeedsPerson: person, Run: authSignin},
				{Name: "signout", Aliases: []string{"logout"}, Args: "[provider]", Summary: "Forget a key that is kept", Run: authSignout},
				{Name: "list", Summary: "Say which keys are kept, and where", Run: authList},
				{Name: "status", Summary: "Say who answers, and where the key comes from", RunsWhileBusy: busy, Run: authStatus},
			},
		},
		{Name: "bug", Args: "[title]", Summary: "Give the address and the facts for a report of a problem", Run: bug},
		{
			Name: "chat", Aliases: []string{"resume"}, Summary: "Keep conversations", NeedsPerson: person, Run: chatBrowse,
			Subs: []*Command{
				planned("List the conversations that are kept", "list"),
				planned("Keep this conversation under a tag", "save"),
				planned("Go on with a conversation that was kept", "resume", "load"),
				planned("Delete a conversation that was kept", "delete"),
				{Name: "share", Args: "[file]", Summary: "Write this conversation to a .md or .json file", RunsWhileBusy: busy, Run: share},
			},
		},
		{Name: "clear", Aliases: []string{"new"}, Summary: "Begin a new conversation", Run: clearConversation},
		{
			Name: "compress", Aliases: []string{"summarize", "compact"}, Args: "[what to keep]", Run: compress,
			Summary: "Put a summary in the place of the conversation so far",
		},
		{Name: "context", Summary: "Say what fills the model's window", RunsWhileBusy: busy, Run: contextUsage},
		{Name: "copy", Args: "[n]", Summary: "Copy the last answer, or the nth from the end, to the clipboard", RunsWhileBusy: busy, NeedsPerson: person, Run: copyResponse},
		{Name: "cost", Summary: "Say what the session has cost so far", RunsWhileBusy: busy, Run: cost},
		{
			Name: "directory", Aliases: []string{"dir"}, Summary: "The directories that the model works in",
			Subs: []*Command{
				{Name: "add", Args: "<path>[,<path>...]", Summary: "Add directories to the workspace", Run: directoryAdd},
				{Name: "show", Summary: "List the directories of the workspace", RunsWhileBusy: busy, Run: directoryShow},
			},
		},
		{Name: "docs", Args: "[page]", Summary: "List the pages of the documentation, or show one", RunsWhileBusy: busy, Run: showDocs},
		{Name: "doctor", Summary: "Examine settings, credentials and this machine", RunsWhileBusy: busy, Run: runDoctor},
		{Name: "editor", Args: "[name]", Summary: "Choose the editor in which you write prompts and change edits", Run: chooseEditor},
		{Name: "export-session", Args: "<path>", Summary: "Write the session's record to a .json file, or to a .md file for people", RunsWhileBusy: busy, Run: export},
		{Name: "help", Aliases: []string{"?"}, Args: "[command]", Summary: "List the commands, or explain one", RunsWhileBusy: busy, Run: help},
		{Name: "init", Summary: "Have the model study the project and write its GEMINI.md", Run: initProject},
		{
			Name: "memory", Summary: "What you and the project have written down for the model",
			Subs: []*Command{
				{Name: "show", Summary: "Show the text that the model is told", RunsWhileBusy: busy, Run: memoryShow},
				{Name: "list", Summary: "Name the files", RunsWhileBusy: busy, Run: memoryList},
				{Name: "reload", Aliases: []string{"refresh"}, Summary: "Read the files anew", Run: memoryReload},
				{Name: "add", Args: "<text>", Summary: "Add a line to your own file, for all projects", Run: memoryAdd},
			},
		},
		{Name: "mode", Args: "[default|auto_edit|plan|yolo]", Summary: "Show or switch what happens without asking you", RunsWhileBusy: busy, Run: setMode},
		{
			Name: "model", Summary: "Show or change which model answers", NeedsPerson: person, Run: modelChoose,
			Subs: []*Command{
				{Name: "manage", Summary: "Choose from the models that are known", NeedsPerson: person, Run: modelChoose},
				{Name: "set", Args: "<name> [--persist]", Summary: "Let this model answer; --persist keeps it in your settings", Run: modelSet},
			},
		},
		{
			Name: "permissions", Summary: "Say what is trusted, and what you have allowed in this session", RunsWhileBusy: busy, Run: permissions,
			Subs: []*Command{
				{Name: "revoke", Args: "<number>", Summary: "Take back what you have allowed in this session", RunsWhileBusy: busy, Run: permissionsRevoke},
				{Name: "trust", Args: "[directory]", Summary: "Decide whether a folder is trusted", Run: permissionsTrust},
			},
		},
		{
			Name: "plan", Args: "[prompt]", Summary: "Switch to plan mode, show the approved plan, and have one made", Run: planMode,
			Subs: []*Command{{Name: "copy", Summary: "Print the approved plan, to be copied", RunsWhileBusy: busy, Run: planCopy}},
		},
		{
			Name: "policies", Summary: "The rules by which calls of tools are decided",
			Subs: []*Command{{Name: "list", Summary: "List the rules that are in force, by mode", RunsWhileBusy: busy, Run: listPolicies}},
		},
		{Name: "quit", Aliases: []string{"exit"}, Args: "[--delete]", Summary: "Leave", RunsWhileBusy: busy, NeedsPerson: person, Run: quit},
		{
			Name: "settings", Summary: "Look at and change settings", NeedsPerson: person, Run: settingsList,
			Subs: []*Command{
				{Name: "list", Summary: "List what is set, and where", RunsWhileBusy: busy, Run: settingsList},
				{Name: "get", Args: "<key>", Summary: "Show a setting", RunsWhileBusy: busy, Run: settingsGet},
				{Name: "set", Args: "<key> <value>", Summary: "Write a setting into your settings file", Run: settingsSet},
				{Name: "unset", Args: "<key>", Summary: "Take a setting out of your settings file", Run: settingsUnset},
			},
		},
		{Name: "shortcuts", Summary: "List the keys and words that are known here", RunsWhileBusy: busy, NeedsPerson: person, Run: shortcuts},
		{
			Name: "stats", Aliases: []string{"usage"}, Summary: "Count what the session has done", RunsWhileBusy: busy, Run: statsSession,
			Subs: []*Command{
				{Name: "session", Summary: "Time, tool calls and tokens", RunsWhileBusy: busy, Run: statsSession},
				{Name: "model", Summary: "What each model was used for", RunsWhileBusy: busy, Run: statsModel},
				{Name: "tools", Summary: "How often each tool was used", RunsWhileBusy: busy, Run: statsTools},
			},
		},
		{
			Name: "tasks", Aliases: []string{"bg", "background", "shells", "bashes"}, RunsWhileBusy: busy, Run: listTasks,
			Summary: "List the commands that run in the background",
		},
		{
			Name: "tools", Summary: "The tools that the model may use", RunsWhileBusy: busy, Run: toolsList,
			Subs: []*Command{
				{Name: "list", Summary: "Name the tools", RunsWhileBusy: busy, Run: toolsList},
				{Name: "desc", Aliases: []string{"descriptions"}, Summary: "Describe the tools as the model sees them", RunsWhileBusy: busy, Run: toolsDescribe},
			},
		},

		planned("Agents that the model can hand work to", "agents"),
		planned("Write a profile of the memory in use", "bug-memory"),
		planned("Commands of your own", "commands"),
		planned("Show what the agent has changed", "diff"),
		planned("Extensions", "extensions"),
		plannedInteractive("Choose what the footer shows", "footer", "statusline"),
		planned("A small model on this machine that routes", "gemma"),
		planned("Programs that run around the model and its tools", "hooks"),
		plannedInteractive("The connection to your editor", "ide"),
		planned("Servers that bring tools", "mcp"),
		plannedInteractive("What becomes of your data", "privacy"),
		planned("Do again what was undone", "redo"),
		planned("Go back to before a call of a tool", "restore"),
		plannedInteractive("Go back to an earlier prompt", "rewind"),
		plannedInteractive("Set up workflows on GitHub", "setup-github"),
		planned("Instructions for special tasks", "skills"),
		plannedInteractive("Set up the keys of your terminal", "terminal-setup"),
		plannedInteractive("Choose colours", "theme"),
		planned("Take back the last turn's changes", "undo"),
		plannedInteractive("Another plan for your account", "upgrade"),
		plannedInteractive("Edit as in vim", "vim"),
		plannedInteractive("Speak", "voice"),
	}
	slices.SortFunc(commands, func(a, b *Command) int { return strings.Compare(a.Name, b.Name) })
	return commands
}
