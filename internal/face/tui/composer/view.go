package composer

import (
	"strings"

	"pollux/internal/face/tui/field"
	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// maxRows is the number of rows of the text that are visible at once.
const maxRows = 10

// maxListRows is the number of rows that a list below the input gets if the text wants more room as well.
const maxListRows = 9

// View is the composer on the screen.
type View struct {
	Lines  []styled.Line
	Cursor inline.Position // in Lines
}

// View returns the input between two rules, with the list of suggestions or of the search below it: at most height
// lines, each at most width columns wide, with the row of the cursor among them.
func (c *Composer) View(width, height int, t theme.Theme) View {
	width, height = max(width, 1), max(height, 1)
	rules := 0
	if height > 2 {
		rules = 2
	}
	room := height - rules
	lines, cursor := c.rows(width, min(c.rowsFor(room), maxRows), t)
	list := c.list(width, room-len(lines), t)
	if rules > 0 {
		_, style := c.styles(t)
		rule := styled.Of(strings.Repeat("─", width), style)
		lines = append(append([]styled.Line{rule}, lines...), rule)
		cursor.Row++
	}
	return View{Lines: append(lines, list...), Cursor: cursor}
}

// Panel returns the lines of the panel that "?" opens, none if it is closed.
func (c *Composer) Panel(width int, t theme.Theme) []styled.Line {
	if !c.HasHelp() {
		return nil
	}
	return c.Help(width, t)
}

// rowsFor returns the number of rows that the text may have if it shares the room with a list.
func (c *Composer) rowsFor(room int) int {
	if c.search == nil && !c.suggested.list.IsOpen() {
		return room
	}
	return max(room-maxListRows, (room+1)/2)
}

// list returns the lines of the open list.
func (c *Composer) list(width, height int, t theme.Theme) []styled.Line {
	if c.search != nil {
		return c.search.Lines(width, height, t)
	}
	return c.suggested.list.Lines(width, height, t)
}

// rows returns at most height rows of the text behind the prefix.
func (c *Composer) rows(width, height int, t theme.Theme) ([]styled.Line, inline.Position) {
	f, placeholder := c.shownField()
	f.Placeholder = placeholder
	prefix := c.prefix()
	indent := terminal.Width(prefix)
	if width < indent+2 {
		prefix, indent = "", 0
	}
	style, _ := c.styles(t)
	lines, cursor, shown := f.Lines(width-indent, height, t)
	c.markSelection(lines, shown.Rows)
	c.drawn = place{rows: len(shown.Rows), cursor: cursor.Row, indent: indent}
	for i, line := range lines {
		if indent > 0 && (i == 0 || len(line) > 0) {
			line = append(styled.Line{{Text: prefix, Style: style}}, line...)
			prefix, style = strings.Repeat(" ", indent), styled.Style{}
		}
		lines[i] = line.Cut(width)
	}
	cursor.Column = min(cursor.Column+indent, width-1)
	return lines, cursor
}

// shownField returns the field that has the cursor, and its placeholder.
func (c *Composer) shownField() (f *field.Field, placeholder string) {
	if c.search != nil {
		return c.search.Query(), ""
	}
	return &c.field, c.placeholder()
}
