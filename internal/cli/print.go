package cli

import (
	"fmt"

	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

// printNote prints a warning or a note to standard error, in a length that people read. It ignores write
// errors.
func printNote(t *terminal.Terminal, text string) { printWhole(t, terminal.Brief(text)) }

// printWhole prints a text that the user must see as a whole to standard error, such as what they consent to.
func printWhole(t *terminal.Terminal, text string) {
	fmt.Fprintln(t.Err, t.WrapErr(terminal.Visible(text)))
}

// printJSON prints a value as indented JSON to standard output.
func printJSON(t *terminal.Terminal, v any) error {
	return outcome.Encode(t.Out.JSON(), v)
}
