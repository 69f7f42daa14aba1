package diff

import (
	"strings"

	"pollux/internal/face/tui/styled"
)

// Layout says in how many columns a change is shown; it is a value of the setting ui.diffMode.
type Layout string

// Layouts. Any other value means Auto.
const (
	Auto  Layout = "auto"    // two columns on a wide terminal
	One   Layout = "unified" // one column
	Split Layout = "split"   // two columns, unless they are too narrow
)

const (
	wide     = 160 // columns of a terminal that shows two columns if nothing else is set
	leastFor = 20  // columns of text in each of two columns
	between  = 2   // columns between them
)

// On returns the layout on a terminal of width columns: One or Split.
func (l Layout) On(width int) Layout {
	if l == Split || l != One && width >= wide {
		return Split
	}
	return One
}

// Lines returns the change for a screen of width columns. In one column, a line that is too wide can be wrapped behind [Change.Gutter]
// columns; two columns fit the width. A new file has one column.
func (c Change) Lines(s Styles, l Layout, width int) []styled.Line {
	p := newPainter(c, s)
	room := (width - between) / 2
	if l.On(width) == One || room < p.gutterWidth()+leastFor || c.isNew() || len(p.hunks) == 0 {
		return p.unified()
	}
	return p.split(room)
}

// split returns the change in two columns of this width: the old version, and the new one.
func (p *painter) split(room int) (lines []styled.Line) {
	for i, h := range p.hunks {
		if i > 0 {
			lines = append(lines, p.gap(h, p.hunks[i-1])...)
		}
		partners := h.pairs()
		for j := range h.lines {
			l := &h.lines[j]
			var partner *line
			if partners[j] >= 0 {
				partner = &h.lines[partners[j]]
			}
			switch {
			case l.kind == kept:
				lines = append(lines, beside(p.column(l, nil, l.old, room), p.column(l, nil, l.new, room), room)...)
			case l.kind == removed && partner != nil:
				lines = append(lines, beside(p.column(l, partner, l.old, room), p.column(partner, l, partner.new, room), room)...)
			case l.kind == removed:
				lines = append(lines, beside(p.column(l, nil, l.old, room), nil, room)...)
			case partner == nil: // else it stands beside that
				lines = append(lines, beside(nil, p.column(l, nil, l.new, room), room)...)
			}
		}
	}
	return lines
}

// column returns a line with its number in one of two columns, wrapped behind the number.
func (p *painter) column(l, partner *line, number, room int) (lines []styled.Line) {
	gutter := p.gutter(l.kind, number)
	indent := styled.Plain(strings.Repeat(" ", p.gutterWidth()))
	for i, part := range p.text(*l, partner).Wrap(room-p.gutterWidth(), nil) {
		if i > 0 {
			gutter = indent
		}
		lines = append(lines, append(append(styled.Line{}, gutter...), part...))
	}
	return lines
}

// beside returns the lines of two columns, of which the first one is room columns wide.
func beside(left, right []styled.Line, room int) (lines []styled.Line) {
	for i := range max(len(left), len(right)) {
		var line styled.Line
		if i < len(left) {
			line = left[i]
		}
		if i < len(right) {
			space := strings.Repeat(" ", max(room-line.Width(), 0)+between)
			line = append(append(append(styled.Line{}, line...), styled.Span{Text: space}), right[i]...)
		}
		lines = append(lines, line)
	}
	return lines
}
