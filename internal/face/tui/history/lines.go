package history

import (
	"fmt"
	"strings"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// The largest numbers of inputs in the list, and of lines of an expanded one.
const (
	maxRows     = 8
	maxExpanded = 10
)

// markerWidth is the number of columns before the text of each input.
const markerWidth = 2

// maxColumnBytes is a number of bytes that rarely take less than a column: those of an emoji.
const maxColumnBytes = 16

// Lines returns at most height lines of the list of inputs, the selected one among them, each at most width columns
// wide. If inputs are hidden, the last line tells the position.
func (s *Search) Lines(width, height int, t theme.Theme) (lines []styled.Line) {
	s.width = width
	if height < 1 {
		return nil
	}
	if len(s.found) == 0 {
		return []styled.Line{styled.Of("  No matches."+s.hint("  "), t.Secondary()).Cut(width)}
	}
	chosen := []styled.Line{s.labeled(s.found[s.selected], width-markerWidth, t)}
	if s.isExpanded {
		chosen = s.found[s.selected].full(max(width-markerWidth, 1), min(maxExpanded, max(height-1, 1)), t)
	}
	rows := min(maxRows, len(s.found), max(height-len(chosen)+1, 1))
	hasPosition := height > 1 && (rows < len(s.found) || s.hint("") != "")
	if hasPosition {
		rows = min(rows, max(height-len(chosen), 1))
	}
	s.top = max(s.selected-rows+1, min(s.top, s.selected, len(s.found)-rows))
	for i := s.top; i < s.top+rows; i++ {
		if i != s.selected {
			lines = append(lines, marked("  ", s.labeled(s.found[i], width-markerWidth, t), t.Text(), width))
			continue
		}
		for n, line := range chosen {
			lines = append(lines, marked([]string{"❯ ", "  "}[min(n, 1)], line, t.Selected(), width))
		}
	}
	if hasPosition {
		lines = append(lines, s.position(rows, width, t))
	}
	return lines
}

// marked returns a line behind a marker. An empty line stays empty.
func marked(marker string, line styled.Line, style styled.Style, width int) styled.Line {
	if len(line) == 0 && marker == "  " {
		return nil
	}
	return append(styled.Line{{Text: marker, Style: style}}, line...).Cut(width)
}

// position returns the line that tells the position of the selected input.
func (s *Search) position(rows, width int, t theme.Theme) styled.Line {
	above, below := " ", " "
	if s.top > 0 {
		above = "▲"
	}
	if s.top+rows < len(s.found) {
		below = "▼"
	}
	text := ""
	if rows < len(s.found) {
		text = fmt.Sprintf("%s%s (%d/%d)", above, below, s.selected+1, len(s.found))
	}
	return styled.Of(text+s.hint("  "), t.Secondary()).Cut(width)
}

// hint returns the key that widens the scope of the search, or the scope, behind a gap; "" if there is only one scope.
func (s *Search) hint(gap string) string {
	switch {
	case s.WidenKey == "":
		return ""
	case s.scope == thisProject:
		return gap + s.WidenKey + " all projects"
	case s.scope == loading:
		return gap + "Loading the prompts of all projects..."
	}
	return gap + "All projects"
}

// maxLabel is the width of a label.
const maxLabel = 24

// labeled returns the row of an input with its label at the right end, if there is room for it.
func (s *Search) labeled(m match, width int, t theme.Theme) styled.Line {
	label := styled.Of("  "+styled.Text(m.label), t.Secondary()).Cut(maxLabel)
	if m.label == "" || width < 2*maxLabel {
		return s.row(m, width, t)
	}
	line := s.row(m, width-label.Width(), t)
	gap := width - label.Width() - line.Width()
	return append(append(line, styled.Span{Text: strings.Repeat(" ", gap)}), label...)
}

// row returns an input in one line of at most width columns, with the part that matches in it.
func (s *Search) row(m match, width int, t theme.Theme) styled.Line {
	if width < 1 {
		return nil
	}
	most := width * maxColumnBytes
	before, after := m.text[:m.start], head(m.text[m.end:], most)
	style := t.Text()
	if m.entry == s.found[s.selected].entry {
		style = t.Selected()
	}
	line := styled.Of(styled.Text(tail(before, most)), style)
	found := styled.Span{Text: styled.Text(head(m.text[m.start:m.end], most)), Style: t.Accent()}
	if room := width - 1 - (styled.Line{found}).Width(); line.Width() > room {
		_, end := line.Split(line.Width() - max(min(room-1, width/2), 0))
		line = append(styled.Of("…", style), end...)
	}
	return append(line, found, styled.Span{Text: styled.Text(after), Style: style}).Cut(width)
}

// isLong reports whether the row of the selected input does not show all of it.
func (s *Search) isLong() bool {
	if len(s.found) == 0 {
		return false
	}
	text, room := s.found[s.selected].text, max(s.width-markerWidth, 1)
	part := head(text, room*maxColumnBytes)
	return len(part) < len(text) || strings.Contains(text, "\n") || styled.Plain(styled.Text(text)).Width() > room
}

// full returns the first lines of an input.
func (m match) full(width, height int, t theme.Theme) (lines []styled.Line) {
	at := 0
	for text := range strings.Lines(head(m.text, width*height*maxColumnBytes)) {
		var line styled.Line
		content := strings.TrimRight(text, "\r\n")
		start, end := min(max(m.start-at, 0), len(content)), min(max(m.end-at, 0), len(content))
		for _, part := range []styled.Span{
			{Text: content[:start], Style: t.Selected()},
			{Text: content[start:end], Style: t.Accent()},
			{Text: content[end:], Style: t.Selected()},
		} {
			if part.Text = styled.Text(part.Text); part.Text != "" {
				line = append(line, part)
			}
		}
		at += len(text)
		if lines = append(lines, line.Wrap(width, nil)...); len(lines) >= height {
			return lines[:height]
		}
	}
	return lines
}
