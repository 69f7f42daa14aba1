// Package outcome holds the results of commands as data: text, tables and a value for programs. A shell
// prints an [Outcome] with [Outcome.Plain], and a session shows it with [Outcome.Markdown].
package outcome

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"pollux/internal/terminal"
)

// Outcome is the result of a command.
type Outcome struct {
	// Parts are shown to people, in this order.
	Parts []Part
	// Notes are for people, and no part of the result: a shell prints them to standard error.
	Notes []string
	// Value is the result for programs, which --json prints.
	Value any
	// After runs when the outcome is shown, if it is not nil.
	After func(ctx context.Context)
	// Failed reports whether the parts describe a failure.
	Failed bool
}

// New returns an outcome with these parts.
func New(parts ...Part) Outcome { return Outcome{Parts: parts} }

// Textf returns an outcome that is a text.
func Textf(format string, args ...any) Outcome { return New(Text(fmt.Sprintf(format, args...))) }

// WithValue returns a copy of the outcome with a value for programs.
func (o Outcome) WithValue(v any) Outcome {
	o.Value = v
	return o
}

// Part is a part of an outcome: a [Text], [Lines], [Raw], [JSON], [Code], [Diff], [Field], [*Table], [Drawing] or [Title].
type Part interface {
	// plain returns the part for a terminal of a width, and markdown for a session. 0 is no limit.
	plain(width int) string
	markdown(width int) string
}

// Text is text in lines, which are wrapped at the width of a terminal.
type Text string

func (t Text) plain(width int) string {
	return terminal.Wrap(terminal.Visible(string(t)), width) + "\n"
}
func (t Text) markdown(int) string { return string(t) }

// Lines is text that scripts read: its lines are never wrapped.
type Lines string

func (l Lines) plain(int) string    { return terminal.Visible(string(l)) + "\n" }
func (l Lines) markdown(int) string { return string(l) }

// Raw is the content of a file, which ends as it is.
type Raw string

func (r Raw) plain(int) string    { return string(r) }
func (r Raw) markdown(int) string { return string(r) }

// JSON is a value that people see as JSON.
type JSON struct{ Value any }

func (j JSON) plain(int) string {
	var b bytes.Buffer
	_ = Encode(&b, j.Value) // cannot fail: the value is that of a JSON file
	return string(terminal.AppendJSON(nil, b.Bytes()))
}
func (j JSON) markdown(width int) string { return j.plain(width) }

// Encode writes a value as indented JSON.
func Encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Code is text in lines that a session shows as they are.
type Code string

func (c Code) plain(width int) string { return Text(c).plain(width) }
func (c Code) markdown(int) string {
	return tableIndent + strings.ReplaceAll(terminal.Text(string(c)), "\n", "\n"+tableIndent)
}

// Diff is a unified diff, whose lines are never wrapped. A session colours it.
type Diff string

func (d Diff) plain(width int) string { return Lines(d).plain(width) }
func (d Diff) markdown(int) string {
	fence := "```"
	for strings.Contains(string(d), fence) {
		fence += "`"
	}
	return "\n" + fence + "diff\n" + terminal.Visible(string(d)) + "\n" + fence
}

// Field is a text with a label before it, such as "Key:". Lines after the first are indented below the text.
type Field struct{ Label, Text string }

func (f Field) plain(width int) string {
	return terminal.Hang(f.Label, terminal.Visible(f.Text), width) + "\n"
}
func (f Field) markdown(int) string { return f.Label + f.Text }

// Table is a table with a head, which may be nil. A row with a single cell is a heading.
type Table struct {
	Head []string
	Rows [][]string
	// Same is the number of the first cells of a row that people see only once if the next rows have all of them, too. Programs, for which
	// there is no width, see them in each row.
	Same int
}

// NewTable returns a table with a row for each item, whose cells the function returns.
func NewTable[T any](head []string, items []T, cells func(T) []string) *Table {
	t := &Table{Head: head}
	for _, item := range items {
		t.Rows = append(t.Rows, cells(item))
	}
	return t
}

func (t *Table) plain(width int) string {
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = clean(row)
		if n := min(t.Same, len(row)); i > 0 && width > 0 && slices.Equal(row[:n], t.Rows[i-1][:min(n, len(t.Rows[i-1]))]) {
			clear(rows[i][:n])
		}
	}
	return terminal.Table(clean(t.Head), rows, width)
}

// tableIndent stands before each line of a table in Markdown, which makes the table code and keeps the alignment.
const tableIndent = "    "

func (t *Table) markdown(width int) string {
	var b strings.Builder
	for line := range strings.Lines(t.plain(max(0, width-len(tableIndent)))) {
		b.WriteString(strings.TrimRight(tableIndent+line, " \n") + "\n")
	}
	return b.String()
}

// Drawing is a picture of characters below a table. The function returns "" if the width leaves no room for it.
type Drawing func(width int) string

func (d Drawing) plain(width int) string {
	if text := d(width); text != "" {
		return "\n" + text
	}
	return ""
}

func (d Drawing) markdown(width int) string {
	text := d.plain(max(0, width-len(tableIndent)))
	return strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+tableIndent) + text[max(0, len(text)-1):]
}

// Title is a line above a table. An empty one separates two tables.
type Title string

func (t Title) plain(width int) string { return Text(t).plain(width) }

// The table is an indented block, which begins behind a blank line only.
func (t Title) markdown(int) string {
	if t == "" {
		return "\n"
	}
	return string(t) + "\n\n"
}

// clean returns cells in one line each.
func clean(row []string) []string {
	if row == nil {
		return nil
	}
	cells := make([]string, len(row))
	for i, cell := range row {
		cells[i] = strings.NewReplacer("\n", " ", "\t", " ").Replace(terminal.Text(cell))
	}
	return cells
}

// Plain returns the parts for a terminal whose lines have a width, 0 for no limit.
func (o Outcome) Plain(width int) string {
	var b strings.Builder
	for i, p := range o.Parts {
		if i > 0 && isTable(p) != isTable(o.Parts[i-1]) {
			b.WriteString("\n")
		}
		b.WriteString(p.plain(width))
	}
	return b.String()
}

// Markdown returns the parts as Markdown that is also readable as it is. width is that of the terminal, 0 for
// no limit: tables fit it, and the face wraps text. The Markdown has no control characters.
func (o Outcome) Markdown(width int) string {
	var b strings.Builder
	for i, p := range o.Parts {
		if i > 0 && !(isTable(p) && isTable(o.Parts[i-1])) {
			b.WriteString("\n")
			if isTable(p) {
				b.WriteString("\n")
			}
		}
		b.WriteString(p.markdown(width))
	}
	return terminal.Text(b.String())
}

func isTable(p Part) bool {
	switch p.(type) {
	case *Table, Drawing, Title:
		return true
	}
	return false
}
