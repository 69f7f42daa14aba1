package todo

import (
	"fmt"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

// Lines returns the tray in at most height lines of at most width columns. hint is the key that expands it, "" for
// none. A collapsed tray without tasks to do is empty.
func (y *Tray) Lines(width, height int, hint string, t theme.Theme) []styled.Line {
	switch {
	case width < 1 || height < 1 || len(y.tasks) == 0 || !y.IsExpanded && !y.isOpen:
		return nil
	case !y.IsExpanded || height == 1:
		return []styled.Line{y.summary(hint, width, t)}
	}
	lines := []styled.Line{y.head(hint, t).Cut(width)}
	if all := y.wrapped(width, height-1, t); all != nil {
		return append(lines, all...)
	}
	return append(lines, y.part(width, height-1, t)...)
}

// head returns the title with the number of tasks.
func (y *Tray) head(hint string, t theme.Theme) styled.Line {
	line := styled.Line{
		{Text: "Todo", Style: t.Accent()},
		{Text: fmt.Sprintf("  %d/%d completed", y.done, y.total), Style: t.Secondary()},
	}
	if hint != "" {
		line = append(line, styled.Span{Text: " (" + hint + " to toggle)", Style: t.Secondary()})
	}
	return line
}

// summary returns the collapsed tray. The hint gives way to the task in progress where room is scarce.
func (y *Tray) summary(hint string, width int, t theme.Theme) styled.Line {
	line := y.head(hint, t)
	if y.current < 0 {
		return line.Cut(width)
	}
	task := styled.Of("  "+y.tasks[y.current].Description, t.Text())
	const enough = 20 // columns of a task from which people recognize it
	if width-line.Width() < min(task.Width(), enough) {
		line = y.head("", t)
	}
	return append(line, task...).Cut(width)
}

// wrapped returns all tasks in full, nil if they take more than height lines.
func (y *Tray) wrapped(width, height int, t theme.Theme) (lines []styled.Line) {
	if y.hidden > 0 || len(y.tasks) > height {
		return nil
	}
	indent := styled.Plain("  ")
	if width <= 2*len("  ") {
		indent = nil
	}
	for i := range y.tasks {
		if lines = append(lines, y.task(i, t).Wrap(width, indent)...); len(lines) > height {
			return nil
		}
	}
	return lines
}

// part returns the tasks around the next one, a line each, and the number of the others if there is room for it.
func (y *Tray) part(width, height int, t theme.Theme) (lines []styled.Line) {
	rows := min(height, len(y.tasks))
	if height > 1 && rows < len(y.tasks)+y.hidden {
		rows = min(height-1, len(y.tasks))
	}
	first := max(0, min(y.next-1, len(y.tasks)-rows))
	if rows == 1 {
		first = y.next
	}
	for i := first; i < first+rows; i++ {
		lines = append(lines, y.task(i, t).Cut(width))
	}
	if n := len(y.tasks) + y.hidden - rows; n > 0 && height > 1 {
		lines = append(lines, styled.Of(fmt.Sprintf("... (+%d more)", n), t.Secondary()).Cut(width))
	}
	return lines
}

// task returns the line of a task.
func (y *Tray) task(i int, t theme.Theme) styled.Line {
	glyph, style := "☐", t.Text()
	switch y.tasks[i].Status {
	case tool.TodoCompleted:
		glyph, style = "✓", t.Secondary()
	case tool.TodoInProgress:
		glyph, style = "»", t.Accent()
	case tool.TodoCancelled:
		glyph, style = "✗", t.Secondary()
		style.Attrs |= styled.Strikethrough
	case tool.TodoBlocked:
		glyph, style = "!", t.Warning()
	}
	return styled.Line{{Text: glyph + " ", Style: style}, {Text: y.tasks[i].Description, Style: style}}
}
