package completion

import (
	"strings"

	"github.com/rivo/uniseg"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// markWidth is the width of the mark before a suggestion.
const markWidth = 2

// row returns the line of a suggestion, and whether a part of it does not fit.
func (l *List) row(i, width int, t theme.Theme) (line styled.Line, isCut bool) {
	s := l.result.Suggestions[i]
	style, mark := t.Text(), "  "
	if i == l.selected {
		style, mark = t.Selected(), "❯ "
	}
	room := width - markWidth
	if l.hasDetails {
		room = width/2 - markWidth
	}
	column := max(min(l.column, room), 1)
	label, isCut := s.label(column, style)
	line = append(styled.Line{{Text: mark, Style: style}}, label...)
	if s.Detail != "" {
		line = append(line, styled.Span{Text: strings.Repeat(" ", column-label.Width()+2)}, styled.Span{Text: s.Detail, Style: t.Secondary()})
	}
	return line.Cut(width), isCut || line.Width() > width
}

// selectedLines returns the lines of the selected suggestion, more than one only if it is expanded.
func (l *List) selectedLines(width, height int, t theme.Theme) []styled.Line {
	line, isCut := l.row(l.selected, width, t)
	l.isCut = isCut
	if !l.isExpanded || !isCut {
		return []styled.Line{line}
	}
	s := l.result.Suggestions[l.selected]
	line = append(styled.Line{{Text: "❯ ", Style: t.Selected()}}, emphasize(s.Label+s.suffix(), s.MatchAt, t.Selected())...)
	if s.Detail != "" {
		line = append(line, styled.Span{Text: "  " + s.Detail, Style: t.Secondary()})
	}
	indent := styled.Plain("  ")
	if width <= 2*markWidth {
		indent = nil
	}
	lines := line.Wrap(width, indent)
	lines = lines[:min(len(lines), height, maxRows)]
	for i := range lines {
		lines[i] = lines[i].Cut(width) // a wide character in one column
	}
	return lines
}

// label returns the label and the suffix in at most width columns. A path keeps its end if it does not fit.
func (s Suggestion) label(width int, style styled.Style) (line styled.Line, isCut bool) {
	suffix := s.suffix()
	room := width - terminal.Width(suffix)
	if room < 2 {
		room, suffix, isCut = width, "", suffix != ""
	}
	line = emphasize(s.Label, s.MatchAt, style)
	if excess := line.Width() - room; excess > 0 {
		isCut = true
		if strings.Contains(strings.Trim(s.Label, "/"), "/") {
			line = cutBegin(line, room, style)
		} else {
			line = line.Cut(room)
		}
	}
	if suffix != "" {
		line = append(line, styled.Span{Text: suffix, Style: style})
	}
	return line, isCut
}

// cutBegin returns the last columns of a line, with "…" before them.
func cutBegin(line styled.Line, width int, style styled.Style) styled.Line {
	excess := line.Width() - width + 1
	_, tail := line.Split(excess)
	if tail.Width() >= width { // a wide character was in the way
		_, tail = line.Split(excess + 1)
	}
	return append(styled.Of("…", style), tail...)
}

// emphasize returns a text with some of its bytes in bold: the clusters to which they belong.
func emphasize(text string, at []int, style styled.Style) (line styled.Line) {
	bold := style
	bold.Attrs |= styled.Bold
	begin, wasBold := 0, false
	add := func(end int) {
		if begin < end && wasBold {
			line = append(line, styled.Span{Text: text[begin:end], Style: bold})
		} else if begin < end {
			line = append(line, styled.Span{Text: text[begin:end], Style: style})
		}
		begin = end
	}
	for i, state := 0, -1; i < len(text) && len(at) > 0; {
		var cluster string
		cluster, _, _, state = uniseg.FirstGraphemeClusterInString(text[i:], state)
		isBold := false
		for len(at) > 0 && at[0] < i+len(cluster) {
			at, isBold = at[1:], true
		}
		if isBold != wasBold {
			add(i)
			wasBold = isBold
		}
		if i += len(cluster); len(at) == 0 && isBold {
			add(i)
			wasBold = false
		}
	}
	add(len(text))
	return line
}
