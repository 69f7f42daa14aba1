package transcript

import (
	"strings"

	"pollux/internal/face/tui/markdown"
	"pollux/internal/face/tui/styled"
)

// mark stands before an answer.
const mark = "✦"

// answer is an answer of the model while it arrives.
type answer struct {
	splitter markdown.Splitter
	hasText  bool // a block has shown something
	chunks   int

	preview preview
}

// preview is the open block as it was drawn last.
type preview struct {
	chunks int
	look   Look
	lines  []styled.Line
}

// addText adds a chunk of the answer, and begins one if none is open.
func (t *Transcript) addText(text string) {
	if text == "" {
		return
	}
	if t.answer == nil {
		t.answer = &item{group: apart, isOpen: true, answer: &answer{}}
		t.queue = append(t.queue, t.answer)
	}
	a := t.answer.answer
	a.chunks++
	t.put(t.answer, t.blockLines(a.splitter.Add(text), &a.hasText))
}

// endAnswer ends the open answer.
func (t *Transcript) endAnswer() {
	it := t.answer
	if it == nil {
		return
	}
	t.answer, it.isOpen = nil, false
	t.put(it, t.blockLines(it.answer.splitter.End(), &it.answer.hasText))
}

// blockLines renders blocks of an answer. hasText reports whether the answer has shown something before.
func (t *Transcript) blockLines(blocks []markdown.Block, hasText *bool) (lines []styled.Line) {
	for _, b := range blocks {
		rendered := t.blockOf(b, !*hasText)
		lines = append(lines, rendered...)
		*hasText = *hasText || len(rendered) > 0
	}
	return lines
}

// blockOf renders a block. The mark stands before the text of the first one, or in a line of its own if something is
// below it that must begin in the first column: code, a table, a list.
func (t *Transcript) blockOf(b markdown.Block, isFirst bool) []styled.Line {
	r := t.renderer(t.width(), t.Options.LineNumbers)
	if t.Look.IsRaw {
		return t.rawBlock(b, isFirst)
	}
	if !isFirst {
		return t.inResponse(r.Render(b))
	}
	b.HasGap = false
	prefix := styled.Span{Text: mark + " ", Style: t.Look.Theme.Accent()}
	const least = 8 // columns beside the mark
	if r.Width >= least && (b.Kind == markdown.Paragraph || b.Kind == markdown.Heading) {
		beside := r
		beside.Width -= 2
		lines := t.inResponse(beside.Render(b))
		if len(lines) == 0 {
			return nil
		}
		if !hasMarker(lines[0]) {
			lines[0] = append(styled.Line{prefix}, lines[0]...)
			return lines
		}
	}
	lines := t.inResponse(r.Render(b))
	if len(lines) == 0 {
		return nil
	}
	prefix.Text = mark
	return append([]styled.Line{{prefix}}, lines...)
}

// hasMarker reports whether a line begins with the marker of a list item or of a block quote.
func hasMarker(l styled.Line) bool {
	if len(l) == 0 {
		return true // an empty item
	}
	first := strings.TrimRight(l[0].Text, " ")
	if first == "-" || first == "│" {
		return true
	}
	number := strings.TrimRight(first, ".)")
	return number != first && number != "" && strings.Trim(number, "0123456789") == ""
}

// renderer returns the renderer of Markdown.
func (t *Transcript) renderer(width int, hasNumbers bool) markdown.Renderer {
	return markdown.Renderer{Width: width, Theme: markdown.PaletteOf(t.Look.Theme), LineNumbers: hasNumbers, Links: t.Look.HasLinks}
}

// inResponse gives text without a color the color of answers.
func (t *Transcript) inResponse(lines []styled.Line) []styled.Line {
	color := t.Look.Theme.Response().Fg
	if color == nil {
		return lines
	}
	for _, l := range lines {
		for i := range l {
			if l[i].Style.Fg == nil {
				l[i].Style.Fg = color
			}
		}
	}
	return lines
}

// previewLines returns the open block of an answer in rows as wide as the screen.
func (t *Transcript) previewLines(a *answer) []styled.Line {
	p := &a.preview
	if p.chunks == a.chunks && p.look.Width == t.Look.Width && p.look.HasLinks == t.Look.HasLinks && p.look.Theme.Name == t.Look.Theme.Name && p.look.IsRaw == t.Look.IsRaw {
		return p.lines
	}
	hasText := a.hasText
	p.chunks, p.look, p.lines = a.chunks, t.Look, nil
	for _, l := range t.blockLines(a.splitter.Preview(), &hasText) {
		p.lines = append(p.lines, screenRows(l, t.width())...)
	}
	return p.lines
}

// screenRows returns the rows that a line takes on the screen.
func screenRows(l styled.Line, width int) (rows []styled.Line) {
	for {
		head, tail := l.Split(width)
		if len(head) == 0 && len(tail) > 0 { // a wide character in one column
			return append(rows, tail.Cut(width))
		}
		rows = append(rows, head)
		if len(tail) == 0 {
			return rows
		}
		l = tail
	}
}
