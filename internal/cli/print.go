package cli

import (
	"fmt"

	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

// printText prints lines of text to standard output. It removes control characters, and breaks
// the lines at the width of a terminal.
func printText(t *terminal.Terminal, text string) error {
	_, err := fmt.Fprintln(t.Out, t.WrapOut(terminal.Visible(text)))
	return err
}

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

// printTable prints a table of clean cells to standard output, at the width of a terminal.
func printTable(t *terminal.Terminal, head []string, rows [][]string) error {
	_, err := fmt.Fprint(t.Out, terminal.Table(head, rows, t.OutWidth()))
	return err
}
