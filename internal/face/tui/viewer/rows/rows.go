// Package rows turns the items of a conversation into rows of the screen, piece by piece.
//
// A [Document] is one item. Its pieces are small, and found from the beginning on as they are needed, so that the first
// rows of a long text cost no more than those of a short one. The division into pieces does not depend on the width: a
// place in a piece is still there when the width changes.
package rows

import (
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/diff"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/transcript"
)

// Look is the form of the rows.
type Look struct {
	Width       int // columns of the rows, 1 at least
	Theme       theme.Theme
	HasLinks    bool      // the terminal opens links
	LineNumbers bool      // before lines of code in answers
	IsRaw       bool      // answers are shown without rendered Markdown
	Names       kit.Names // of tools, nil if they are unknown
	DiffLayout  diff.Layout
}

// parts returns the look for parts of the transcript.
func (l *Look) parts() transcript.Look {
	return transcript.Look{Width: l.Width, Theme: l.Theme, HasLinks: l.HasLinks, IsRaw: l.IsRaw}
}

// Joint says how the text of a row follows that of the row above it.
type Joint uint8

// Joints.
const (
	Apart  Joint = iota // the row begins a line of text
	Spaced              // the line was wrapped at a space, which is not shown
	Broken              // the line was broken
)

// Row is a row of the screen, no wider than the look.
type Row struct {
	Line  styled.Line
	Joint Joint
	// Code is the number of the code block in the item that the row belongs to, from 1; 0 for none.
	Code int
	// IsGap is set for an empty row between two items.
	IsGap bool

	indent int // bytes before the text of a row that continues a broken line
}

// fit returns the rows of a line. Those after the first one begin with an indent.
func (l *Look) fit(line, indent styled.Line) (rows []Row) {
	if line.Width() <= l.Width {
		return []Row{{Line: line}}
	}
	if indent.Width() > l.Width/2 {
		indent = nil
	}
	head, tail := line.Split(l.Width)
	if len(head) == 0 || len(tail) == 0 || len(indent) == 0 {
		for i, row := range transcript.ScreenRows(line, l.Width) {
			rows = append(rows, Row{Line: row, Joint: jointAt(i, Broken)})
		}
		return rows
	}
	rows = append(rows, Row{Line: head})
	for _, row := range transcript.ScreenRows(tail, l.Width-indent.Width()) {
		rows = append(rows, Row{Line: append(indent[:len(indent):len(indent)], row...), Joint: Broken, indent: len(indent.String())})
	}
	return rows
}

// wrapped returns the rows of lines that are one text, wrapped at spaces.
func (l *Look) wrapped(lines []styled.Line) (rows []Row) {
	for i, line := range lines {
		for j, row := range l.fit(line, nil) {
			if j == 0 {
				row.Joint = jointAt(i, Spaced)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// jointAt returns the joint of a row of a text by its number.
func jointAt(i int, others Joint) Joint {
	if i == 0 {
		return Apart
	}
	return others
}

// Text returns the text of a row without the indentation of rows that continue a line, and the number of bytes left out.
func (r *Row) Text() (text string, indent int) {
	text = r.Line.String()
	switch r.Joint {
	case Broken:
		indent = r.indent
	case Spaced:
		indent = len(text) - len(strings.TrimLeft(text, " "))
	}
	return text[indent:], indent
}
