package cli

import (
	"bytes"
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

// printCleanJSON prints JSON without characters that a terminal does not show.
func printCleanJSON(t *terminal.Terminal, v any) error {
	var b bytes.Buffer
	if err := printJSON(&b, v); err != nil {
		return err
	}
	_, err := t.Out.Write(terminal.AppendJSON(nil, b.Bytes()))
	return err
}

// printTable prints a table of clean cells to standard output, at the width of a terminal.
func printTable(t *terminal.Terminal, head []string, rows [][]string) error {
	_, err := fmt.Fprint(t.Out, terminal.Table(head, rows, t.OutWidth()))
	return err
}
