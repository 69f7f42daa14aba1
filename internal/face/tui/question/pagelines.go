package question

import (
	"fmt"
	"strconv"
	"strings"

	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// lines returns the possible answers in at most height lines, and the position of the cursor in them.
func (p *page) lines(width, height int, t theme.Theme) (lines []styled.Line, cursor inline.Position) {
	if p.problem != "" {
		lines = styled.Of(p.problem, t.Warning()).Wrap(width, nil)
	}
	height -= len(lines)
	var answers []styled.Line
	if p.list == nil {
		answers, cursor = fieldLines(&p.text, width, max(min(height, longField), 1), "> ", t.Accent(), t)
	} else {
		answers, cursor = p.rowLines(width, height, t)
	}
	cursor.Row += len(lines)
	return append(lines, answers...), cursor
}

// rowLines returns the rows of the list in at most height lines, the selected one among them. If rows are hidden, the
// last line has the position.
func (p *page) rowLines(width, height int, t theme.Theme) (lines []styled.Line, cursor inline.Position) {
	from, to := 0, 0 // the lines of the selected row
	for i := range p.rows {
		row, at := p.rowAt(i, width, t)
		if i == p.list.Selected() {
			from, to, cursor = len(lines), len(lines)+len(row), at
		}
		lines = append(lines, row...)
	}
	if len(lines) <= height {
		cursor.Row += from
		return lines, cursor
	}
	room := max(height-1, 1)
	top := max(0, min(from-max(room-(to-from), 0)/2, len(lines)-room))
	cursor.Row = min(cursor.Row+from-top, room-1)
	shown := lines[top : top+room : top+room]
	if height > 1 {
		position := fmt.Sprintf("(%d/%d)", p.list.Selected()+1, len(p.rows))
		shown = append(shown, styled.Of(position, t.Secondary()).Cut(width))
	}
	return shown, cursor
}

// rowAt returns the lines of the row with this index, and the position of the cursor if it has the field.
func (p *page) rowAt(i, width int, t theme.Theme) (lines []styled.Line, cursor inline.Position) {
	r, marker, style := p.rows[i], "  ", t.Text()
	isSelected := i == p.list.Selected()
	if isSelected {
		marker, style = "❯ ", t.Selected()
	}
	number := strconv.Itoa(i + 1)
	marker += strings.Repeat(" ", len(strconv.Itoa(len(p.rows)))-len(number)) + number + ". "
	if p.isMulti() && r.kind != doneRow {
		marker += map[bool]string{true: "[x] ", false: "[ ] "}[p.isChecked(i)]
	}
	if r.kind == textRow {
		rows := 1
		if isSelected {
			rows = 3
		}
		return fieldLines(&p.text, width, rows, marker, style, t)
	}
	label := styled.Text(r.label)
	if i == p.chosen {
		label += " ✓"
	}
	line := styled.Line{{Text: marker + label, Style: style}}
	if r.detail != "" {
		line = append(line, styled.Span{Text: "  " + styled.Text(r.detail), Style: t.Secondary()})
	}
	return line.Wrap(width, hanging(terminal.Width(marker), width)), cursor
}

// isChecked reports whether a row of a question that takes several options is a part of the answer.
func (p *page) isChecked(i int) bool {
	switch p.rows[i].kind {
	case allRow:
		return p.hasAll()
	case textRow:
		return p.words() != ""
	}
	return p.isPicked[i]
}
