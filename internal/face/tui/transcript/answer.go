package transcript

import (
	"strings"

	"pollux/internal/face/tui/markdown"
	"pollux/internal/face/tui/styled"
)

// mark stands before an answer.
const (
	mark      = "✦"
	markWidth = 2 // with the space behind it
)

// answer is an answer of the model while it arrives.
type answer struct {
	splitter markdown.Splitter
	place    Place // of the next block
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
	t.put(t.answer, t.blockLines(a.splitter.Add(text), &a.place))
}

// endAnswer ends the open answer.
func (t *Transcript) endAnswer() {
	it := t.answer
	if it == nil {
		return
	}
	t.answer, it.isOpen = nil, false
	t.put(it, t.blockLines(it.answer.splitter.End(), &it.answer.place))
}

// blockLines renders blocks of an answer. place is that of the first one, and then that of the next one.
func (t *Transcript) blockLines(blocks []markdown.Block, place *Place) (lines []styled.Line) {
	for _, b := range blocks {
		rendered := t.fittingBlock(b, *place)
		lines = append(lines, rendered...)
		*place = place.After(b, len(rendered) > 0)
	}
	return lines
}

// fittingBlock renders a block, so that it can be fitted again if the screen does that.
func (t *Transcript) fittingBlock(b markdown.Block, place Place) []styled.Line {
	if !t.Look.Refits {
		return t.blockOf(b, place) // without a closure: chunks come often
	}
	kept := b
	return t.fit(func(t *Transcript) []styled.Line { return t.blockOf(kept, place) })
}

// Place is where a block is in an answer.
type Place uint8

// The places of blocks.
const (
	AtStart     Place = iota // nothing of the answer is shown yet: the mark stands before the block
	InFirstList              // in the list or the quotation with which the answer begins, which hangs behind the mark
	Inside
)

// After returns the place of the block that follows b. isShown reports whether b has lines.
func (p Place) After(b markdown.Block, isShown bool) Place {
	switch {
	case !isShown:
		return p
	case p != Inside && b.IsNested():
		return InFirstList
	}
	return Inside
}

// blockOf renders a block. The mark stands before the text of the first one, or in a line of its own if something is
// below it that must begin in the first column: code, a table. A list and a quotation hang behind the mark.
func (t *Transcript) blockOf(b markdown.Block, place Place) []styled.Line {
	if t.Look.IsRaw {
		return t.rawBlock(b, place == AtStart)
	}
	const least = 8 // columns beside the mark
	r := t.renderer(t.width(), t.Options.LineNumbers)
	hangs := place != Inside && b.IsNested() && b.Kind != markdown.Code && r.Width >= least
	isBeside := place == AtStart && r.Width >= least && (hangs || b.Kind == markdown.Paragraph || b.Kind == markdown.Heading)
	if hangs || isBeside {
		r.Width -= markWidth
	}
	b.HasGap = b.HasGap && place != AtStart
	lines := t.inResponse(r.Render(b))
	if len(lines) == 0 {
		return nil
	}
	prefix := styled.Span{Text: mark + " ", Style: t.Look.Theme.Accent()}
	for i := range lines {
		switch {
		case i == 0 && isBeside:
			lines[i] = append(styled.Line{prefix}, lines[i]...)
		case hangs && len(lines[i]) > 0:
			lines[i] = append(styled.Line{{Text: strings.Repeat(" ", markWidth)}}, lines[i]...)
		}
	}
	if place == AtStart && !isBeside {
		prefix.Text = mark
		lines = append([]styled.Line{{prefix}}, lines...)
	}
	return lines
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
	place := a.place
	p.chunks, p.look, p.lines = a.chunks, t.Look, nil
	for _, l := range styled.Unblocked(t.blockLines(a.splitter.Preview(), &place)) {
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
