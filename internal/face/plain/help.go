package plain

// Shortcuts is the help text for keys and special input, one item per line, short
// enough for a screen reader.
const Shortcuts = `Type a prompt and press Enter.
@path attaches a file or directory.
!command runs a shell command and shows its output to the model; with a space after the ! only to you.
/help lists the commands.
\ at the end of a line continues the prompt on the next line.
Ctrl+G, Enter opens your editor for a long prompt.
Ctrl+C stops the model. Twice: exit.
Ctrl+D on an empty line, twice: exit.
While the model works, you can type the next prompt: Pollux queues it.
In a question, ? explains the choices and /cancel refuses.`
