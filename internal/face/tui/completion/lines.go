package completion

import (
	"strconv"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// Lines returns at most height lines of the list, the selected suggestion among them, each at most width columns wide.
func (l *List) Lines(width, height int, t theme.Theme) []styled.Line {
	if height < 1 || width < 1 || !l.IsOpen() {
		return nil
	}
	if l.isLoading {
		return []styled.Line{styled.Of("Loading suggestions...", t.Secondary()).Cut(width)}
	}
	n := len(l.result.Suggestions)
	rows := min(n, maxRows)
	selected := l.selectedLines(width, height, t)
	for rows > 1 && l.windowHeight(rows)+len(selected)-1+l.footerHeight(rows) > height {
		rows--
	}
	l.scroll(rows)
	lines := l.window(rows, width, selected, t)
	lines = lines[max(0, l.overflow(lines, len(selected), height)):]
	lines = lines[:min(len(lines), height)]
	if rows < n && len(lines) < height {
		lines = append(lines, l.position(rows, t).Cut(width))
	}
	if l.result.Note != "" && len(lines) < height {
		lines = append(lines, styled.Of(styled.Text(l.result.Note), t.Secondary()).Cut(width))
	}
	return lines
}

// overflow returns the number of lines before the selected suggestion that do not fit if it is the only one: its title.
func (l *List) overflow(lines []styled.Line, selected, height int) int {
	return min(len(lines)-height, len(lines)-selected)
}

// footerHeight returns the number of lines below the suggestions.
func (l *List) footerHeight(rows int) (n int) {
	if rows < len(l.result.Suggestions) {
		n++
	}
	if l.result.Note != "" {
		n++
	}
	return n
}

// windowHeight returns the number of lines of the suggestions that are visible if there is room for so many.
func (l *List) windowHeight(rows int) int {
	l.scroll(rows)
	n := rows
	for i := l.top; i < l.top+rows; i++ {
		if l.hasTitle(i) {
			n++
		}
	}
	return n
}

// hasTitle reports whether the title of a group is above a suggestion.
func (l *List) hasTitle(i int) bool {
	group := l.result.Suggestions[i].Group
	return group != "" && (i == l.top || group != l.result.Suggestions[i-1].Group)
}

// scroll moves the top so that the selected suggestion is one of so many rows.
func (l *List) scroll(rows int) {
	l.top = max(min(l.top, l.selected, len(l.result.Suggestions)-rows), l.selected-rows+1)
}

// window returns the lines of so many suggestions from the top.
func (l *List) window(rows, width int, selected []styled.Line, t theme.Theme) (lines []styled.Line) {
	for i := l.top; i < l.top+rows; i++ {
		if l.hasTitle(i) {
			lines = append(lines, styled.Of("-- "+l.result.Suggestions[i].Group+" --", t.Secondary()).Cut(width))
		}
		if i == l.selected {
			lines = append(lines, selected...)
			continue
		}
		line, _ := l.row(i, width, t)
		lines = append(lines, line)
	}
	return lines
}

// position returns the line that tells the place of the selected suggestion, with a marker for hidden ones above and
// below.
func (l *List) position(rows int, t theme.Theme) styled.Line {
	above, below := " ", " "
	if l.top > 0 {
		above = "▲"
	}
	if l.top+rows < len(l.result.Suggestions) {
		below = "▼"
	}
	text := above + below + " (" + strconv.Itoa(l.selected+1) + "/" + strconv.Itoa(len(l.result.Suggestions)) + ")"
	return styled.Of(text, t.Secondary())
}
