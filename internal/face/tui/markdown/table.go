package markdown

import (
	"slices"
	"strings"
	"sync"

	"pollux/internal/face/tui/styled"
)

// The widths of tables.
const (
	minTableWidth = 40 // of the terminal; below it, a table is a list
	narrowColumn  = 5  // a column of this width does not shrink
)

// columns is the part of a table that the widths of its columns depend on. The pieces of a table share it.
type columns struct {
	sample string // the first lines: header, delimiters, and rows

	once    [2]sync.Once // without and with Links
	natural [2][]int     // widths
}

// align is the alignment of a column.
type align uint8

const (
	left align = iota
	center
	right
)

// table renders a table, or rows of one.
func (r *Renderer) table(b Block, room int, style styled.Style) []styled.Line {
	head, _, _ := strings.Cut(b.columns.sample, "\n")
	header := splitCells(head)
	rows := strings.Split(b.text, "\n")
	if !b.Continues {
		rows = rows[min(len(rows), 2):]
	}
	widths := r.widths(b.columns, len(header), room)
	if widths == nil {
		return r.tableList(b, header, rows, room, style)
	}
	aligns := alignments(b.columns.sample)
	var lines []styled.Line
	if !b.Continues {
		lines = append(lines, r.border("┌┬┐", widths))
		lines = append(lines, r.row(header, widths, aligns, with(over(style, r.Theme.Strong), styled.Bold))...)
		lines = append(lines, r.border("├┼┤", widths))
	}
	for _, row := range rows {
		lines = append(lines, r.row(splitRow(row, len(header)), widths, aligns, style)...)
	}
	if b.isLast {
		lines = append(lines, r.border("└┴┘", widths))
	}
	return lines
}

// widths returns the width of each column, nil if the table does not fit the room.
func (r *Renderer) widths(c *columns, n, room int) []int {
	if r.Width > 0 && r.Width < minTableWidth || n*4+1 > room {
		return nil
	}
	kind := 0
	if r.Links {
		kind = 1
	}
	c.once[kind].Do(func() { c.natural[kind] = r.naturalWidths(c.sample, n) })
	return shrink(c.natural[kind], room-3*n-1)
}

// naturalWidths returns the widths of the columns without wrapping.
func (r *Renderer) naturalWidths(sample string, n int) []int {
	widths := make([]int, n)
	for i, row := range strings.Split(sample, "\n") {
		if i == 1 {
			continue
		}
		for j, text := range splitRow(row, n) {
			for _, l := range r.cell(text, styled.Style{}) {
				widths[j] = max(widths[j], l.Width())
			}
		}
	}
	for j := range widths {
		widths[j] = max(widths[j], 1)
	}
	return widths
}

// shrink returns widths with a sum of at most room. Narrow columns keep theirs, the others shrink proportionally. It
// returns nil if there is not enough room.
func shrink(natural []int, room int) []int {
	widths := slices.Clone(natural)
	sum, wide, count := 0, 0, 0
	for _, w := range natural {
		sum += w
		if w > narrowColumn {
			wide += w
			count++
		}
	}
	if sum <= room {
		return widths
	}
	room -= sum - wide
	if room < count*narrowColumn {
		return nil
	}
	// Each wide column gets narrowColumn, and its share of the rest.
	spare, over := room-count*narrowColumn, wide-count*narrowColumn
	for i, w := range natural {
		if w > narrowColumn {
			widths[i] = narrowColumn + (w-narrowColumn)*spare/over
		}
	}
	return widths
}

// alignments returns the alignment of each column.
func alignments(sample string) (list []align) {
	_, rest, _ := strings.Cut(sample, "\n")
	delimiters, _, _ := strings.Cut(rest, "\n")
	for _, c := range splitCells(delimiters) {
		a := left
		if strings.HasSuffix(c, ":") {
			a = right
			if strings.HasPrefix(c, ":") {
				a = center
			}
		}
		list = append(list, a)
	}
	return list
}

// border returns a horizontal border with three corners.
func (r *Renderer) border(corners string, widths []int) styled.Line {
	c := []rune(corners)
	var b strings.Builder
	for i, w := range widths {
		if i == 0 {
			b.WriteRune(c[0])
		} else {
			b.WriteRune(c[1])
		}
		b.WriteString(strings.Repeat("─", w+2))
	}
	b.WriteRune(c[2])
	return styled.Of(b.String(), r.Theme.TableBorder)
}

// row renders a row. Missing cells are empty.
func (r *Renderer) row(cells []string, widths []int, aligns []align, style styled.Style) (lines []styled.Line) {
	columns := make([][]styled.Line, len(widths))
	height := 1
	for i, w := range widths {
		if i >= len(cells) {
			break
		}
		for _, l := range r.cell(cells[i], style) {
			columns[i] = append(columns[i], wrap(l, w)...)
		}
		height = max(height, len(columns[i]))
	}
	for y := range height {
		line := styled.Line{{Text: "│ ", Style: r.Theme.TableBorder}}
		for i, w := range widths {
			if i > 0 {
				line = append(line, styled.Span{Text: " │ ", Style: r.Theme.TableBorder})
			}
			var text styled.Line
			if y < len(columns[i]) {
				text = columns[i][y]
			}
			line = append(line, padded(text, w, aligns[i])...)
		}
		lines = append(lines, append(line, styled.Span{Text: " │", Style: r.Theme.TableBorder}))
	}
	return lines
}

// padded returns text with spaces around it.
func padded(text styled.Line, width int, a align) styled.Line {
	space := max(width-text.Width(), 0)
	before := 0
	switch a {
	case center:
		before = space / 2
	case right:
		before = space
	}
	var line styled.Line
	if before > 0 {
		line = append(line, styled.Span{Text: strings.Repeat(" ", before)})
	}
	line = append(line, text...)
	if space > before {
		line = append(line, styled.Span{Text: strings.Repeat(" ", space-before)})
	}
	return line
}

// cell renders the text of a cell. The tag <br> breaks the line.
func (r *Renderer) cell(text string, style styled.Style) (lines []styled.Line) {
	for _, tag := range []string{"<br>", "<br/>", "<br />"} {
		text = strings.ReplaceAll(text, tag, "\n")
	}
	for part := range strings.SplitSeq(text, "\n") {
		lines = append(lines, r.inline(strings.TrimSpace(part), style)...)
	}
	return lines
}

// tableList renders rows as lists of "header: value".
func (r *Renderer) tableList(b Block, header, rows []string, room int, style styled.Style) (lines []styled.Line) {
	bold := with(over(style, r.Theme.Strong), styled.Bold)
	if len(rows) == 0 {
		return wrap(styled.Of(styled.Text(strings.Join(header, ", ")), bold), room)
	}
	names := make([]styled.Line, len(header))
	for j, text := range header {
		names[j] = append(inOneLine(r.cell(text, bold)), styled.Span{Text: ": ", Style: bold})
	}
	for i, row := range rows {
		if i > 0 || b.Continues {
			lines = append(lines, nil)
		}
		for j, text := range splitRow(row, len(header)) {
			item := slices.Concat(names[j], inOneLine(r.cell(text, style)))
			wrapped := wrap(item, max(room-2, 1))
			lines = append(lines, joined(nil, styled.Plain("  "), wrapped)...)
		}
	}
	return lines
}

// inOneLine joins lines with spaces.
func inOneLine(lines []styled.Line) (joined styled.Line) {
	for i, l := range lines {
		if i > 0 {
			joined = append(joined, styled.Span{Text: " "})
		}
		joined = append(joined, l...)
	}
	return joined
}
