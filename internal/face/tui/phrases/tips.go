package phrases

// tips returns the tips. Each names one thing that people often do not know.
func tips() []string {
	return []string{
		"Type @ to add a file to your prompt",
		"Type ! to run a shell command yourself",
		"Type ? to see the keyboard shortcuts",
		"Press Ctrl+O to read the whole conversation",
		"Press Ctrl+R to search your earlier prompts",
		"Press Ctrl+G to write the prompt in your editor",
		"Press Shift+Tab to let edits pass without a question",
		"Press Ctrl+T to see all to-dos",
		"Press Ctrl+B to send a running command to the background",
		"Press Alt+M to see the Markdown of answers",
		"Press Alt+C to copy the last code block",
		"Press Esc twice to go back to an earlier prompt",
		"Press Tab to queue a prompt while the model works",
		"Run /init to write a GEMINI.md for this project",
		"Run /model to switch to another model",
		"Run /theme to change the colors",
		"Run /settings to see what you can change",
		"Run /resume to continue an earlier session",
		"Run /stats to see requests, tokens and cost",
		"Run /compress to make room in the context window",
		"Run /plan to have changes planned first",
		"Run /mcp to see the MCP servers and their tools",
		"Run /memory show to read the context files of the model",
		"Run /tasks to see the commands in the background",
		"Run /tools to list the tools of the model",
		"Run /permissions to see whether this folder is trusted",
		"ui.footer.items chooses the items of the footer",
		"Run /vim to edit prompts with the keys of vi",
		"Drop a file on the window to add its path",
		"Put your own commands into ~/.gemini/commands",
	}
}
