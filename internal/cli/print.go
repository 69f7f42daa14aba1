package cli

import (
	"fmt"

	"pollux/internal/terminal"
)

// printText prints lines of text to standard output. It removes control characters, and breaks
// the lines at the width of a terminal.
func printText(t *terminal.Terminal, text string) error {
	_, err := fmt.Fprintln(t.Out, t.WrapOut(clean(text)))
	return err
}

// printNote is [printText] for standard error. It ignores write errors.
func printNote(t *terminal.Terminal, text string) {
	fmt.Fprintln(t.Err, t.WrapErr(clean(text)))
}

// printTable prints a table of clean cells to standard output, at the width of a terminal.
func printTable(t *terminal.Terminal, head []string, rows [][]string) error {
	_, err := fmt.Fprint(t.Out, terminal.Table(head, rows, t.OutWidth()))
	return err
}
