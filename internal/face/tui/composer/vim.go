package composer

import (
	"pollux/internal/face/tui/buffer"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/vim"
)

// inserts reports whether keys insert their text: always, but in NORMAL and VISUAL mode of vi.
func (c *Composer) inserts() bool { return c.Vim == nil || c.Vim.Name() == "INSERT" }

// pressVim gives a key to the mode of vi. It returns nil if the key counts as without vi.
func (c *Composer) pressVim(k keys.Key) Outcome {
	if c.Vim == nil {
		return nil
	}
	switch c.Vim.Handle(k, &c.field.Buffer) {
	case vim.Ignored:
		return nil
	case vim.ClearInput:
		c.Clear()
	case vim.HistoryPrevious:
		if c.wantsQueue() {
			return QueueWanted{}
		}
		c.recall(c.inputs().Older)
	case vim.HistoryNext:
		c.recall(c.inputs().Newer)
	}
	return Changed{}
}

// settle moves the cursor to where NORMAL mode of vi may have it.
func (c *Composer) settle() {
	if c.Vim != nil {
		c.Vim.Settle(&c.field.Buffer)
	}
}

// markSelection shows the selection of VISUAL mode in the rows of the text.
func (c *Composer) markSelection(lines []styled.Line, rows []buffer.Row) {
	if c.Vim == nil || c.search != nil {
		return
	}
	selected, ok := c.Vim.Selection(&c.field.Buffer)
	if !ok || c.IsEmpty() {
		return
	}
	for i, row := range rows {
		start, end := max(selected.Start, row.Start), min(selected.End, row.End)
		if start < end {
			lines[i] = reversed(lines[i], columnsOf(row.Text[:start-row.Start]), columnsOf(row.Text[start-row.Start:end-row.Start]))
		}
	}
}

// columnsOf returns the number of columns of a part of a row.
func columnsOf(part string) int { return styled.Plain(styled.Text(part)).Width() }

// reversed returns a line with reversed colors in the columns behind from.
func reversed(line styled.Line, from, columns int) styled.Line {
	head, rest := line.Split(from)
	middle, tail := rest.Split(columns)
	for _, s := range middle {
		s.Style.Attrs ^= styled.Reverse
		head = append(head, s)
	}
	return append(head, tail...)
}
