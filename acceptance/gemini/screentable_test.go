//go:build unix

package gemini

// screenTable lists the differences at a terminal, with their reasons. A part of docs/differences.md is made of it.
var screenTable = []allowed{
	{
		kind: better, scenes: "start quit", paths: []string{restored},
		what: "At the end, Pollux leaves all modes of the terminal as they were. Gemini CLI leaves some switched on.",
	},
	{
		kind: better, scenes: "start", paths: []string{"name", "account", "tips"},
		what: "The header names the provider and where the key comes from, and the working directory. A tour of keys and commands replaces the tips.",
	},
	{
		kind: better, scenes: "edit write shell fetch", paths: []string{"options", "selected"},
		what: "In a confirmation, each number always means the same answer: 3 is the answer for all future sessions, and is left out where that is switched off. In Gemini CLI, the numbers behind it shift. Pollux's last answer takes a text for the model.",
	},
	{
		kind: better, scenes: "edit", paths: []string{"diff-stat"},
		what: "The diff of a confirmation has a line with the file and the number of added and removed lines.",
	},
	{
		kind: better, scenes: "edit", paths: []string{"row"},
		what: "The row of an edit keeps the description of the change.",
	},
	{
		kind: better, scenes: "shell focus", paths: []string{"result", "sent"}, sometimes: true,
		what: "The result of a command names its process group only if processes are left.",
	},
	{
		kind: better, scenes: "rewind", paths: []string{"options", "input", "file-after", "answer"},
		what: "A rewind offers to revert changes to files for each prompt that made some, brings the prompt back into the input, and keeps the conversation usable. Gemini CLI takes results of tools for prompts: it offers no revert, and the API refuses its next request.",
	},
	{
		kind: better, scenes: "screen", paths: []string{"after-ctrl-l"}, sometimes: true,
		what: "Ctrl+L clears the screen, and the conversation stays in the terminal's scrollback. Gemini CLI may draw its last lines again.",
	},
	{
		kind: better, scenes: "cancel", paths: []string{"history"},
		what: "A cancelled prompt and the answer so far stay in the conversation, so that the model knows what was interrupted. Gemini CLI forgets both.",
	},
	{
		kind: better, scenes: "queue", paths: []string{"after-esc", "history"},
		what: "Esc brings queued prompts back into the input. Gemini CLI sends them at once.",
	},
	{
		kind: better, scenes: "vim", paths: []string{"dw", "undone", "insert", "sent"}, sometimes: true,
		what: "The keys of vi work however fast they are pressed. Gemini CLI loses some.",
	},
	{
		kind: better, scenes: "lines", paths: []string{"ctrl-w"},
		what: "Ctrl+W deletes back to the start of a word, with the signs behind it, as in a shell.",
	},
	{
		kind: better, scenes: "lines", paths: []string{"after-backslash", "input", "ends", "ctrl-u", "undo", "sent"}, sometimes: true,
		what: "A backslash before Enter always becomes a line end. Gemini CLI sometimes keeps it.",
	},
	{
		kind: better, scenes: "bang", paths: []string{"shell-history"}, sometimes: true,
		what: "Up in shell mode brings shell commands only.",
	},
	{
		kind: better, scenes: "at", paths: []string{"all"},
		what: "Without a text behind it, `@` offers files near the top first, without backslashes in the list.",
	},
	{
		kind: better, scenes: "at", paths: []string{"row"},
		what: "An attached file is listed with its lines, not as a call of a tool.",
	},
	{
		kind: better, scenes: "slash", paths: []string{"all"},
		what: "The list of `/` is in alphabetical order.",
	},
	{
		kind: better, scenes: "slash", paths: []string{"st"},
		what: "The list of `/` has no commands without a use in Pollux, such as `/setup-github`.",
	},
	{
		kind: better, scenes: "slash", paths: []string{"sub"},
		what: "`/stats` has more parts: `activity`, `days`, `sessions` and `projects`.",
	},
	{
		kind: better, scenes: "error", paths: []string{"unknown", "requests"},
		what: "A lone command that does not exist is not sent at once. Enter alone sends it.",
	},
	{
		kind: better, scenes: "mistyped", paths: []string{"hint", "requests"},
		what: "A mistyped command gets a hint with the right one, and is not sent at once.",
	},
	{
		kind: better, scenes: "error", paths: []string{"error"},
		what: "An API error is shown as its sentence, not as JSON.",
	},
	{
		kind: better, scenes: "screen", paths: []string{"code"},
		what: "Code in answers has no line numbers, unless `ui.showLineNumbers` asks for them, so that it can be copied.",
	},
	{
		kind: better, scenes: "restore", paths: []string{"list"},
		what: "`/restore` is a dialog in which a call can be chosen, and needs no setting. In Gemini CLI it is a list of file names.",
	},
	{
		kind: better, scenes: "trust", paths: []string{"restarts"},
		what: "Trust takes effect at once. Gemini CLI restarts.",
	},
	{
		kind: better, scenes: "theme", paths: []string{"names"}, sometimes: true,
		what: "The list of themes shows all of them.",
	},
	{
		kind: better, scenes: "model", paths: []string{"rows"},
		what: "`/model` lists all models with their context size and price at once.",
	},
	{
		kind: better, scenes: "plan", paths: []string{"rows", "sent"},
		what: "A plan can be edited and refused with a number, too. The result does not ask the model to read the plan that it has just written.",
	},
	{
		kind: better, scenes: "ask", paths: []string{"rows"},
		what: "The answers of a question stand in one line with their descriptions.",
	},
	{
		kind: better, scenes: "help", paths: []string{"headings", "some-commands"},
		what: "`/help` lists the everyday commands by purpose on one screen, and `/help all` lists all.",
	},
	{
		kind: better, scenes: "lists", paths: []string{"tools"},
		what: "`/tools` lists the tools in the order in which the model gets them, and has one more, which stops background processes.",
	},
	{
		kind: better, scenes: "settings", paths: []string{"found", "toggled"},
		what: "`/settings` lists settings by their keys, as they are in the file.",
	},
	{
		kind: words, scenes: "edit write shell", paths: []string{"header"},
		what: "The heading of a confirmation.",
	},
	{
		kind: words, scenes: "shell", paths: []string{"question"},
		what: "The question before a command.",
	},
	{
		kind: words, scenes: "fetch ask", paths: []string{"title"},
		what: "The heading of other confirmations and of questions.",
	},
	{
		kind: words, scenes: "trust", paths: []string{"question", "rows"},
		what: "The question whether a folder is trusted, and its answers.",
	},
	{
		kind: words, scenes: "start", paths: []string{"resume-hint"},
		what: "The hint how to resume a session names Pollux.",
	},
	{
		kind: words, scenes: "start stats", paths: []string{"summary-rows", "rows", "reviewed"},
		what: "The rows of `/stats` and of the summary at the end: how many calls succeeded and failed and how many you approved, instead of rates.",
	},
	{
		kind: words, scenes: "edit", paths: []string{"result"},
		what: "The result of one replacement.",
	},
	{
		kind: words, scenes: "bang", paths: []string{"sent", "row"},
		what: "The message about a command that you ran, and its row.",
	},
	{
		kind: words, scenes: "todo", paths: []string{"collapsed"},
		what: "The sign before the step in progress.",
	},
	{
		kind: words, scenes: "shortcuts", paths: []string{"first"},
		what: "The names of the keys' effects.",
	},
	{
		kind: words, scenes: "theme model", paths: []string{"title", "preview"},
		what: "The headings of the dialogs for themes and models, and the code of the preview.",
	},
	{
		kind: words, scenes: "lists", paths: []string{"directory", "tools-title", "about"},
		what: "The headings of `/directory` and `/tools`, and the rows of `/about`.",
	},
}
