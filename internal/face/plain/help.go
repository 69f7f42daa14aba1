package plain

// Shortcuts is the help text for keys and special input, one item per line, short
// enough for a screen reader.
const Shortcuts = `Type a prompt and press Enter. These help:
\ at the end of a line: the prompt goes on in the next line.
@ and a path: the file becomes part of the prompt.
! and a shell command: it is run, and the model knows of it. With a space behind the ! it does not.
/help and Enter: what commands there are. They begin with a slash.
Ctrl+G and Enter: write the prompt in your editor. It begins with the text before Ctrl+G, or with what was not sent.
While the model works, what you type is queued and sent afterwards.
Ctrl+C: stop what the model is doing. Twice within 3 seconds: exit.
Ctrl+D on an empty line, twice: exit.
In a question: ? explains the answers, /cancel refuses.`

func helpText(asked bool) string {
	if asked {
		return "A question waits for your answer. Type ? as the answer to hear what each one means."
	}
	return Shortcuts
}
