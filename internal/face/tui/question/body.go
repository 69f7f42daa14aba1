package question

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/diff"
	"pollux/internal/face/tui/highlight"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/markdown"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// body is the subject of a question with its warnings, of which the user can scroll a part into view.
type body struct {
	lines    []styled.Line
	warnings int // lines of warnings, at the end
	width    int
	theme    string
	top      int // the first line that is shown
	rows     int // lines that were shown last
}

// scroll takes a key that scrolls. It returns false for other keys, and if all lines are shown.
func (b *body) scroll(k keys.Key, bindings *keys.Bindings) bool {
	if len(b.lines) <= b.rows {
		return false
	}
	command, ok := bindings.Match(k.Chord, keys.ScrollUp, keys.ScrollDown, keys.ScrollPageUp, keys.ScrollPageDown, keys.ScrollHome, keys.ScrollEnd)
	if !ok {
		return false
	}
	page := max(b.rows-1, 1)
	switch command {
	case keys.ScrollUp:
		b.top--
	case keys.ScrollDown:
		b.top++
	case keys.ScrollPageUp:
		b.top -= page
	case keys.ScrollPageDown:
		b.top += page
	case keys.ScrollHome:
		b.top = 0
	case keys.ScrollEnd:
		b.top = len(b.lines)
	}
	b.top = max(0, min(b.top, len(b.lines)-b.rows))
	return true
}

// view returns at most height lines, the last of which names the position if lines are hidden.
func (b *body) view(q *kit.Question, width, height int, t theme.Theme) []styled.Line {
	if b.width != width || b.theme != t.Name {
		b.lines, b.width, b.theme = blockLines(q, width, t), width, t.Name
		b.warnings = -len(b.lines)
		for _, w := range q.Warnings {
			b.lines = append(b.lines, styled.Of(w, t.Warning()).Wrap(width, nil)...)
		}
		b.warnings += len(b.lines)
	}
	height = max(height, 2)
	if len(b.lines) <= height {
		b.top, b.rows = 0, height
		return b.lines
	}
	b.rows = height - 1
	b.top = max(0, min(b.top, len(b.lines)-b.rows))
	shown := append([]styled.Line(nil), b.lines[b.top:b.top+b.rows]...)
	position, style := fmt.Sprintf("lines %d-%d of %d", b.top+1, b.top+b.rows, len(b.lines)), t.Secondary()
	if b.warnings > 0 && b.top+b.rows < len(b.lines) {
		position, style = position+", warnings below", t.Warning()
	}
	return append(shown, styled.Of(position+" (PgUp, PgDn)", style).Cut(width))
}

// blockLines returns the lines of all blocks, with an empty line between them.
func blockLines(q *kit.Question, width int, t theme.Theme) (lines []styled.Line) {
	for i, b := range q.Blocks {
		if i > 0 {
			lines = append(lines, nil)
		}
		switch b := b.(type) {
		case *kit.Change:
			lines = append(lines, changeLines(b, width, t)...)
		case *kit.Command:
			lines = append(lines, codeLines("bash", b.Text, width, t)...)
		case *kit.Text: // of the model: formatting could hide a part of it
			lines = append(lines, codeLines("", b.Text, width, t)...)
		case *kit.Plan:
			lines = append(lines, styled.Of(b.ShownPath, t.Secondary()).Cut(width))
			lines = append(lines, markdownLines(b.Text, width, t)...)
		case *kit.Request:
			lines = append(lines, requestLines(b, width, t)...)
		}
	}
	return lines
}

func changeLines(b *kit.Change, width int, t theme.Theme) []styled.Line {
	styles, change := diff.StylesOf(t), diff.Change{DiffDisplay: *b.DiffDisplay}
	lines := []styled.Line{change.Head(b.ShownPath, styles).Cut(width)}
	indent := styled.Plain(strings.Repeat(" ", min(change.Gutter(), width/2)))
	for _, l := range change.Unified(styles) {
		lines = append(lines, l.Wrap(width, indent)...)
	}
	return lines
}

// codeLines returns code, wrapped.
func codeLines(language, code string, width int, t theme.Theme) (lines []styled.Line) {
	scanner := highlight.NewScanner(language)
	for text := range strings.SplitSeq(strings.TrimRight(terminal.Text(code), "\n"), "\n") {
		var line styled.Line
		for _, token := range scanner.Line(text) {
			line = append(line, styled.Span{Text: styled.Text(token.Text), Style: t.Code(token.Kind)})
		}
		lines = append(lines, line.Wrap(width, nil)...)
	}
	return lines
}

func markdownLines(text string, width int, t theme.Theme) (lines []styled.Line) {
	var s markdown.Splitter
	r := markdown.Renderer{Width: width, Theme: markdown.PaletteOf(t)}
	for _, block := range append(s.Add(text), s.End()...) {
		for _, l := range r.Render(block) {
			lines = append(lines, l.Wrap(width, nil)...)
		}
	}
	return lines
}

func requestLines(b *kit.Request, width int, t theme.Theme) []styled.Line {
	lines := []styled.Line{
		styled.Line{{Text: "MCP Server: ", Style: t.Secondary()}, {Text: styled.Text(b.Server)}}.Cut(width),
		styled.Line{{Text: "Tool: ", Style: t.Secondary()}, {Text: styled.Text(b.Tool)}}.Cut(width),
	}
	var args bytes.Buffer
	if len(b.Args) > 0 && json.Indent(&args, b.Args, "", "  ") == nil {
		lines = append(lines, codeLines("json", args.String(), width, t)...)
	}
	return lines
}
