package composer

import (
	"slices"
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
		above, below := edges(width, style, t)
		shade(lines, width, t)
		lines = append(append([]styled.Line{above}, lines...), below)
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

// edges returns the rows above and below the text: rules, or the halves of a box if it has a background.
func edges(width int, style styled.Style, t theme.Theme) (above, below styled.Line) {
	background := t.Input().Bg
	if background == nil {
		rule := styled.Of(strings.Repeat("─", width), style)
		return rule, rule
	}
	style = styled.Style{Fg: background}
	return styled.Of(strings.Repeat("▄", width), style), styled.Of(strings.Repeat("▀", width), style)
}

// shade gives rows the background of the box, if it has one.
func shade(rows []styled.Line, width int, t theme.Theme) {
	background := t.Input().Bg
	if background == nil {
		return
	}
	for i, row := range rows {
		row = slices.Clone(row)
		for j := range row {
			if row[j].Style.Bg == nil {
				row[j].Style.Bg = background
			}
		}
		rest := strings.Repeat(" ", max(width-row.Width(), 0))
		rows[i] = append(row, styled.Span{Text: rest, Style: styled.Style{Bg: background}})
	}
}
