package slash

import (
	"slices"
	"strings"
)

// Commands returns the table, by name. What may run while the model works only
// looks at things, or concerns nothing that a run is using.
func Commands() []*Command {
	const (
		busy   = true
		person = true
	)
	later := func(summary, name string, aliases ...string) *Command {
		return &Command{Name: name, Aliases: aliases, Summary: summary, Later: true}
	}
	screen := func(summary, name string, aliases ...string) *Command {
		return &Command{Name: name, Aliases: aliases, Summary: summary, Later: true, Person: person}
	}
	commands := []*Command{
		{Name: "about", Summary: "Say which version this is, and what it works with", Busy: busy, Run: about},
		{
			Name: "auth", Summary: "Keep a key for whoever is to answer", Person: person, Run: authSignin,
			Subs: []*Command{
				{Name: "signin", Aliases: []string{"login"}, Args: "[provider]", Summary: "Keep a provider's key, which you are asked for", Person: person, Run: authSignin},
				{Name: "signout", Aliases: []string{"logout"}, Args: "[provider]", Summary: "Forget a key that is kept", Run: authSignout},
				{Name: "list", Summary: "Say which keys are kept, and where", Run: authList},
				{Name: "status", Summary: "Say who answers, and where the key comes from", Busy: busy, Run: authStatus},
			},
		},
		{Name: "bug", Args: "[title]", Summary: "Give the address and the facts for a report of a problem", Run: bug},
		{
			Name: "chat", Aliases: []string{"resume"}, Summary: "Keep conversations", Person: person, Run: browse,
			Subs: []*Command{
				later("List the conversations that are kept", "list"),
				later("Keep this conversation under a tag", "save"),
				later("Go on with a conversation that was kept", "resume", "load"),
				later("Delete a conversation that was kept", "delete"),
				{Name: "share", Args: "[file]", Summary: "Write this conversation to a .md or .json file", Busy: busy, Run: share},
			},
		},
		{Name: "clear", Aliases: []string{"new"}, Summary: "Begin a new conversation", Run: clearAll},
		{
			Name: "compress", Aliases: []string{"summarize", "compact"}, Args: "[what to keep]", Run: compress,
			Summary: "Put a summary in the place of the conversation so far",
		},
		{Name: "context", Summary: "Say what fills the model's window", Busy: busy, Run: window},
		{Name: "copy", Args: "[n]", Summary: "Copy the last answer, or the nth from the end, to the clipboard", Busy: busy, Person: person, Run: copyAnswer},
		{Name: "cost", Summary: "Say what the session has cost so far", Busy: busy, Run: cost},
		{
			Name: "directory", Aliases: []string{"dir"}, Summary: "The directories that the model works in",
			Subs: []*Command{
				{Name: "add", Args: "<path>[,<path>...]", Summary: "Add directories to the workspace", Run: directoryAdd},
				{Name: "show", Summary: "List the directories of the workspace", Busy: busy, Run: directoryShow},
			},
		},
		{Name: "docs", Args: "[page]", Summary: "List the pages of the documentation, or show one", Busy: busy, Run: documents},
		{Name: "doctor", Summary: "Examine settings, credentials and this machine", Busy: busy, Run: doctor},
		{Name: "editor", Args: "[name]", Summary: "Choose the editor in which you write prompts and change edits", Run: chooseEditor},
		{Name: "export-session", Args: "<path>", Summary: "Write the session's record to a .json file, or to a .md file for people", Busy: busy, Run: export},
		{Name: "help", Aliases: []string{"?"}, Args: "[command]", Summary: "List the commands, or explain one", Busy: busy, Run: help},
		{Name: "init", Summary: "Have the model study the project and write its GEMINI.md", Run: initialize},
		{
			Name: "memory", Summary: "What you and the project have written down for the model",
			Subs: []*Command{
				{Name: "show", Summary: "Show the text that the model is told", Busy: busy, Run: memoryShow},
				{Name: "list", Summary: "Name the files", Busy: busy, Run: memoryList},
				{Name: "reload", Aliases: []string{"refresh"}, Summary: "Read the files anew", Run: memoryReload},
				{Name: "add", Args: "<text>", Summary: "Add a line to your own file, for all projects", Run: memoryAdd},
			},
		},
		{Name: "mode", Args: "[default|auto_edit|plan|yolo]", Summary: "Show or switch what happens without asking you", Busy: busy, Run: mode},
		{
			Name: "model", Summary: "Show or change which model answers", Person: person, Run: modelChoose,
			Subs: []*Command{
				{Name: "manage", Summary: "Choose from the models that are known", Person: person, Run: modelChoose},
				{Name: "set", Args: "<name> [--persist]", Summary: "Let this model answer; --persist keeps it in your settings", Run: modelSet},
			},
		},
		{
			Name: "permissions", Summary: "Say what is trusted, and what you have allowed in this session", Busy: busy, Run: permissions,
			Subs: []*Command{
				{Name: "revoke", Args: "<number>", Summary: "Take back what you have allowed in this session", Busy: busy, Run: permissionsRevoke},
				{Name: "trust", Args: "[directory]", Summary: "Decide whether a folder is trusted", Run: permissionsTrust},
			},
		},
		{
			Name: "plan", Args: "[prompt]", Summary: "Switch to plan mode, show the approved plan, and have one made", Run: planMode,
			Subs: []*Command{{Name: "copy", Summary: "Print the approved plan, to be copied", Busy: busy, Run: planCopy}},
		},
		{
			Name: "policies", Summary: "The rules by which calls of tools are decided",
			Subs: []*Command{{Name: "list", Summary: "List the rules that are in force, by mode", Busy: busy, Run: policies}},
		},
		{Name: "quit", Aliases: []string{"exit"}, Args: "[--delete]", Summary: "Leave", Busy: busy, Person: person, Run: quit},
		{
			Name: "settings", Summary: "Look at and change settings", Person: person, Run: settingsList,
			Subs: []*Command{
				{Name: "list", Summary: "List what is set, and where", Busy: busy, Run: settingsList},
				{Name: "get", Args: "<key>", Summary: "Show a setting", Busy: busy, Run: settingsGet},
				{Name: "set", Args: "<key> <value>", Summary: "Write a setting into your settings file", Run: settingsSet},
				{Name: "unset", Args: "<key>", Summary: "Take a setting out of your settings file", Run: settingsUnset},
			},
		},
		{Name: "shortcuts", Summary: "List the keys and words that are known here", Busy: busy, Person: person, Run: shortcuts},
		{
			Name: "stats", Aliases: []string{"usage"}, Summary: "Count what the session has done", Busy: busy, Run: statsSession,
			Subs: []*Command{
				{Name: "session", Summary: "Time, tool calls and tokens", Busy: busy, Run: statsSession},
				{Name: "model", Summary: "What each model was used for", Busy: busy, Run: statsModel},
				{Name: "tools", Summary: "How often each tool was used", Busy: busy, Run: statsTools},
			},
		},
		{
			Name: "tasks", Aliases: []string{"bg", "background", "shells", "bashes"}, Busy: busy, Run: tasks,
			Summary: "List the commands that run in the background",
		},
		{
			Name: "tools", Summary: "The tools that the model may use", Busy: busy, Run: toolsList,
			Subs: []*Command{
				{Name: "list", Summary: "Name the tools", Busy: busy, Run: toolsList},
				{Name: "desc", Aliases: []string{"descriptions"}, Summary: "Describe the tools as the model sees them", Busy: busy, Run: toolsDescribe},
			},
		},

		later("Agents that the model can hand work to", "agents"),
		later("Write a profile of the memory in use", "bug-memory"),
		later("Commands of your own", "commands"),
		later("Show what the agent has changed", "diff"),
		later("Extensions", "extensions"),
		screen("Choose what the footer shows", "footer", "statusline"),
		later("A small model on this machine that routes", "gemma"),
		later("Programs that run around the model and its tools", "hooks"),
		screen("The connection to your editor", "ide"),
		later("Servers that bring tools", "mcp"),
		screen("What becomes of your data", "privacy"),
		later("Do again what was undone", "redo"),
		later("Go back to before a call of a tool", "restore"),
		screen("Go back to an earlier prompt", "rewind"),
		screen("Set up workflows on GitHub", "setup-github"),
		later("Instructions for special tasks", "skills"),
		screen("Set up the keys of your terminal", "terminal-setup"),
		screen("Choose colours", "theme"),
		later("Take back the last turn's changes", "undo"),
		screen("Another plan for your account", "upgrade"),
		screen("Edit as in vim", "vim"),
		screen("Speak", "voice"),
	}
	slices.SortFunc(commands, func(a, b *Command) int { return strings.Compare(a.Name, b.Name) })
	return commands
}
