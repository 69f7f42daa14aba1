package vim

import "pollux/internal/face/tui/buffer"

// Selection returns the range that is selected. ok is false outside of VISUAL mode.
func (m *Mode) Selection(b *buffer.Buffer) (r buffer.Range, ok bool) {
	first, last := min(m.anchor, b.Cursor()), max(m.anchor, b.Cursor())
	switch m.kind {
	case visual:
		return buffer.Range{Start: first, End: b.Next(last)}, true
	case visualLine:
		return linesOf(b, first, last).Range, true
	}
	return r, false
}

// runVisual carries out a command of VISUAL mode.
func (m *Mode) runVisual(c command, b *buffer.Buffer) {
	switch c.name {
	case "d", "x", "c", "s", "y":
		m.takeSelection(c.name, b)
	case "v", "V":
		to := map[string]kind{"v": visual, "V": visualLine}[c.name]
		if m.kind == to {
			to = normal
		}
		m.kind = to
	case "j", "k":
		m.moveVertically(c, b)
	default:
		if r, ok := object(c, b); ok && r.Start < r.End {
			m.anchor = r.Start
			b.MoveTo(b.Prev(r.End))
			return
		}
		m.move(c, b)
	}
}

// takeSelection applies an operator to the selection.
func (m *Mode) takeSelection(key string, b *buffer.Buffer) {
	operator := map[string]string{"x": "d", "s": "c"}[key]
	if operator == "" {
		operator = key
	}
	r, _ := m.Selection(b)
	s := shape{isLines: m.kind == visualLine, lines: b.LineNumber(r.End) - b.LineNumber(r.Start)}
	from := r.Start
	if s.lines > 0 {
		from = b.LineStart(r.End)
	}
	for ; from < r.End; from = b.Next(from) {
		s.characters++
	}
	m.kind, m.column = normal, column{}
	if b.LineStart(b.Cursor()) >= b.LineStart(m.anchor) {
		b.MoveTo(r.Start)
	}
	m.change(command{operator: operator, name: "selection", shape: s}, b)
}

// shape is the size of a selection, to which "." applies the operator again from the cursor on.
type shape struct {
	isLines    bool
	lines      int // besides the first one
	characters int // in the last line
}

// part returns the part of the text of this size at the cursor.
func (s shape) part(b *buffer.Buffer) part {
	at := b.Cursor()
	last := b.Line(b.LineNumber(at) + s.lines)
	if s.isLines {
		return linesOf(b, at, last.Start)
	}
	end := at
	if s.lines > 0 {
		end = last.Start
	}
	for i := 0; i < s.characters && end < last.End; i++ {
		end = b.Next(end)
	}
	return partOf(buffer.Range{Start: at, End: end})
}
