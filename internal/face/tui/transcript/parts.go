package transcript

import (
	"pollux/agent"
	"pollux/internal/face/tui/markdown"
	"pollux/internal/face/tui/styled"
)

// Block returns the lines of a block of an answer. hasNumbers adds line numbers to code.
func (l Look) Block(b markdown.Block, place Place, hasNumbers bool) []styled.Line {
	t := Transcript{Look: l, Options: Options{LineNumbers: hasNumbers}}
	return t.blockOf(b, place)
}

// Hang returns lines of text behind a sign, wrapped. All rows but the first are indented by the width of the sign, unless
// that leaves no room.
func (l Look) Hang(sign styled.Span, texts []string, style styled.Style) []styled.Line {
	t := Transcript{Look: l}
	return t.hang(sign, texts, style)
}

// NoteStyle returns the style of messages of Pollux.
func (l Look) NoteStyle() styled.Style {
	t := Transcript{Look: l}
	return t.infoStyle()
}

// CallHead is the first line about a call. Its texts must be clean.
type CallHead struct {
	Status              agent.Status
	Name, About, Remark string
}

// Head returns the first line about a call, however long it is.
func (l Look) Head(c CallHead) styled.Line {
	const noLimit = 1 << 30
	h := head{glyph: glyphOf(c.Status), name: c.Name, about: c.About, remark: arrow(c.Remark)}
	return h.line(noLimit, l.Theme)
}

// ScreenRows returns the rows that a line takes on a screen of so many columns.
func ScreenRows(l styled.Line, width int) []styled.Line { return screenRows(l, max(width, 1)) }
