// Package shortcuts has the panel with the keys that a user of the input needs most.
package shortcuts

import (
	"slices"
	"strings"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// entry is a key and its effect.
type entry struct{ key, effect string }

// entries returns the keys of the panel. Commands without a key are left out.
func entries(b *keys.Bindings) []entry {
	cancel := b.Hint(keys.BasicCancel)
	if cancel != "" {
		cancel += " " + cancel
	}
	all := []entry{
		{"!", "shell command"},
		{"@", "add a file"},
		{cancel, "clear or rewind"},
		{b.Hint(keys.InputQueueMessage), "queue a prompt"},
		{b.Hint(keys.AppToggleYolo), "YOLO mode"},
		{b.Hint(keys.AppCycleApprovalMode), "approval mode"},
		{b.Hint(keys.InputPaste), "paste an image"},
		{b.Hint(keys.AppToggleMarkdown), "raw Markdown"},
		{b.Hint(keys.HistorySearchStart), "search history"},
		{b.Hint(keys.InputOpenExternalEditor), "open an editor"},
	}
	return slices.DeleteFunc(all, func(e entry) bool { return e.key == "" })
}

// gap is the number of columns between two columns of the panel.
const gap = 3

// Lines returns the panel in lines of at most width columns: three columns of keys, or fewer if they do not fit.
func Lines(width int, t theme.Theme, b *keys.Bindings) []styled.Line {
	if width < 1 {
		return nil
	}
	all := entries(b)
	lines := []styled.Line{styled.Of("Shortcuts", t.Accent()).Cut(width)}
	for n := 3; ; n-- {
		if columns := divide(all, n); n == 1 || total(columns) <= width {
			return append(lines, rows(columns, width, t)...)
		}
	}
}

// column is a part of the entries, one below the other.
type column struct {
	entries      []entry
	keys, effect int // widths
}

// divide distributes the entries over n columns.
func divide(all []entry, n int) (columns []column) {
	for part := range slices.Chunk(all, (len(all)+n-1)/n) {
		c := column{entries: part}
		for _, e := range part {
			c.keys, c.effect = max(c.keys, terminal.Width(e.key)), max(c.effect, terminal.Width(e.effect))
		}
		columns = append(columns, c)
	}
	return columns
}

// width returns the width of the column, with a space between keys and effects.
func (c column) width() int { return c.keys + 1 + c.effect }

// total returns the width of columns with the gaps between them.
func total(columns []column) int {
	sum := -gap
	for _, c := range columns {
		sum += c.width() + gap
	}
	return sum
}

// rows returns the lines of the columns.
func rows(columns []column, width int, t theme.Theme) []styled.Line {
	lines := make([]styled.Line, len(columns[0].entries))
	missing := make([]int, len(lines)) // columns until the next column of the panel
	for _, c := range columns {
		for i, e := range c.entries {
			lines[i] = append(
				lines[i],
				styled.Span{Text: strings.Repeat(" ", missing[i])},
				styled.Span{Text: e.key, Style: t.Accent()},
				styled.Span{Text: strings.Repeat(" ", c.keys-terminal.Width(e.key)+1)},
				styled.Span{Text: e.effect, Style: t.Secondary()},
			)
			missing[i] = c.effect - terminal.Width(e.effect) + gap
		}
	}
	for i := range lines {
		lines[i] = lines[i].Cut(width)
	}
	return lines
}
