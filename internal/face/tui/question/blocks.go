package question

import (
	"bytes"
	"encoding/json"
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/diff"
	"pollux/internal/face/tui/highlight"
	"pollux/internal/face/tui/markdown"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// blocksOf returns a function that draws all blocks of a question, with an empty line between them.
func blocksOf(q *kit.Question, layout diff.Layout) func(width int, t theme.Theme) []styled.Line {
	return func(width int, t theme.Theme) (lines []styled.Line) {
		for i, b := range q.Blocks {
			if i > 0 {
				lines = append(lines, nil)
			}
			lines = append(lines, blockLines(b, layout, width, t)...)
			if kit.IsAltered(foreignText(b)) {
				lines = append(lines, styled.Of(kit.Altered, t.Warning()).Wrap(width, nil)...)
			}
		}
		return lines
	}
}

func blockLines(b kit.Block, layout diff.Layout, width int, t theme.Theme) []styled.Line {
	switch b := b.(type) {
	case *kit.Change:
		return changeLines(b, layout, width, t)
	case *kit.Command:
		return codeLines("bash", b.Text, width, t)
	case *kit.Text: // of the model: formatting could hide a part of it
		return codeLines("", b.Text, width, t)
	case *kit.Plan:
		path := styled.Of(b.ShownPath, t.Secondary()).Cut(width)
		return append([]styled.Line{path}, markdownLines(b.Text, width, t)...)
	case *kit.Request:
		return requestLines(b, width, t)
	}
	return nil
}

// foreignText returns the text of a block that must be shown as it is.
func foreignText(b kit.Block) string {
	switch b := b.(type) {
	case *kit.Change:
		return b.Diff
	case *kit.Command:
		return b.Text
	case *kit.Text:
		return b.Text
	case *kit.Plan:
		return b.Text
	case *kit.Request:
		return string(b.Args)
	}
	return ""
}

func changeLines(b *kit.Change, layout diff.Layout, width int, t theme.Theme) []styled.Line {
	styles, change := diff.StylesOf(t), diff.Change{DiffDisplay: *b.DiffDisplay}
	lines := []styled.Line{change.Head(b.ShownPath, styles).Cut(width)}
	indent := styled.Plain(strings.Repeat(" ", min(change.Gutter(), width/2)))
	for _, l := range change.Lines(styles, layout, width) {
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
