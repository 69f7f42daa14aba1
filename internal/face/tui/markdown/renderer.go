package markdown

import (
	"fmt"
	"strings"

	"pollux/internal/face/tui/styled"
)

// maxRule is the width of the longest rule.
const maxRule = 80

// Renderer renders blocks for a terminal. It is safe for concurrent use.
type Renderer struct {
	Width       int // columns of the terminal; 0 if unknown, then lines are as wide as the text
	Theme       Palette
	LineNumbers bool // before the lines of code
	Links       bool // the terminal opens links: URLs are not shown beside their text
}

// Render returns the lines of a block. They begin with an empty line, or one with the bar of a block quote, if the
// block has a gap before it. Prose is wrapped at the width. Lines of code have any width, and nothing before them, so
// that a terminal copies them unchanged.
func (r *Renderer) Render(b Block) []styled.Line {
	var lines []styled.Line
	if b.HasGap {
		_, rest := r.prefix(b.within[:b.shared])
		lines = append(lines, trimRight(rest))
	}
	first, rest := r.prefix(b.within)
	room := max(r.width()-rest.Width(), 1)
	style := r.textStyle(b.within)
	switch b.Kind {
	case Paragraph:
		box, text := taskBox(b)
		if box != "" {
			first = append(first, styled.Span{Text: box, Style: r.Theme.ListMarker})
			rest = append(rest, styled.Span{Text: "    "})
			room = max(room-len(box), 1)
		}
		return append(lines, joined(first, rest, r.prose(text, style, room, hasMarker(b)))...)
	case Heading:
		return append(lines, joined(first, rest, r.prose(b.text, over(style, r.Theme.heading(b.Level)), room, hasMarker(b)))...)
	case Rule:
		rule := styled.Of(strings.Repeat("─", min(room, maxRule)), r.Theme.Rule)
		return append(lines, joined(first, rest, []styled.Line{rule})...)
	case HTML:
		var html []styled.Line
		for text := range strings.SplitSeq(b.text, "\n") {
			html = append(html, wrap(styled.Of(styled.Text(text), style), room)...)
		}
		return append(lines, joined(first, rest, html)...)
	case Table:
		return append(lines, joined(first, rest, r.table(b, room, style))...)
	case Code:
		if hasMarker(b) {
			lines = append(lines, trimRight(first))
		}
		return append(lines, r.code(b)...)
	}
	return nil
}

// width returns the number of columns for lines.
func (r *Renderer) width() int {
	if r.Width <= 0 {
		return 1 << 30
	}
	return r.Width
}

// prose renders text with formatting. It returns an empty line for no text if isMarked.
func (r *Renderer) prose(text string, style styled.Style, room int, isMarked bool) (lines []styled.Line) {
	for _, l := range r.inline(text, style) {
		lines = append(lines, wrap(l, room)...)
	}
	if len(lines) == 1 && lines[0].String() == "" && !isMarked {
		return nil
	}
	return lines
}

// code renders lines of code.
func (r *Renderer) code(b Block) (lines []styled.Line) {
	scanner := b.scanner
	for n := b.number; ; n++ {
		text, more, hasMore := strings.Cut(b.text, "\n")
		var line styled.Line
		if r.LineNumbers {
			line = append(line, styled.Span{Text: fmt.Sprintf("%3d ", n), Style: with(r.Theme.LineNumber, styled.Faint)})
		}
		for _, t := range scanner.Line(text) {
			line = append(line, styled.Span{Text: t.Text, Style: r.Theme.code(t.Kind)})
		}
		if text == "" {
			line = trimRight(line)
		}
		lines = append(lines, line)
		if !hasMore {
			return lines
		}
		b.text = more
	}
}

// prefix returns the text before the first line and before the others of a block in containers. If they leave too
// little room, the outer ones are not shown.
func (r *Renderer) prefix(within []container) (first, rest styled.Line) {
	used := 0
	for i := len(within) - 1; i >= 0; i-- {
		width := max(len(within[i].marker), 2)
		if used += width; used > r.width()/2 {
			within = within[i+1:]
			break
		}
	}
	for _, c := range within {
		if c.isQuote() {
			bar := styled.Span{Text: "│ ", Style: r.Theme.Quote}
			first, rest = append(first, bar), append(rest, bar)
			continue
		}
		blank := styled.Span{Text: strings.Repeat(" ", len(c.marker))}
		rest = append(rest, blank)
		if c.isNew {
			blank = styled.Span{Text: c.marker, Style: r.Theme.ListMarker}
		}
		first = append(first, blank)
	}
	return first, rest
}

// textStyle returns the style of text in containers.
func (r *Renderer) textStyle(within []container) styled.Style {
	for _, c := range within {
		if c.isQuote() {
			return r.Theme.Quote
		}
	}
	return styled.Style{}
}

// hasMarker reports whether the block shows the marker of a list item.
func hasMarker(b Block) bool {
	for _, c := range b.within {
		if c.isNew {
			return true
		}
	}
	return false
}

// taskBox returns the box of a task and the text behind it. The box is "" if the block is none.
func taskBox(b Block) (box, text string) {
	n := len(b.within)
	if n == 0 || !b.within[n-1].isNew || len(b.text) < 4 || b.text[3] != ' ' {
		return "", b.text
	}
	switch b.text[:3] {
	case "[ ]":
		return "[ ] ", b.text[4:]
	case "[x]", "[X]":
		return "[x] ", b.text[4:]
	}
	return "", b.text
}
