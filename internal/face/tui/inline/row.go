package inline

import (
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"pollux/internal/face/tui/styled"
)

// row is a line as cells, without the spaces at its end.
type row struct {
	line  styled.Line
	cells []cell
	width int          // of the cells, in columns
	fill  *styled.Span // has the background behind the cells; nil for none
}

// cell is a grapheme cluster.
type cell struct {
	text     string
	width    int
	isUnsure bool // terminals differ about the width
	span     *styled.Span
}

// newRow returns at most width columns of a line. Spaces with a background that end in the last column become the fill: a
// terminal erases with the background, and does not keep such spaces when it rewraps the row.
func newRow(line styled.Line, width int) row {
	r := row{line: line, cells: cellsOf(line)}
	for i, c := range r.cells {
		if r.width+c.width > width {
			r.cells = r.cells[:i]
			break
		}
		r.width += c.width
	}
	if n := len(r.cells); r.width == width && n > 0 && r.cells[n-1].isSpace() && r.cells[n-1].span.Style.Bg != nil {
		r.fill = r.cells[n-1].span
		r.trim(func(c cell) bool { return c.isSpace() && c.span.Style.Equal(&r.fill.Style) })
	} else {
		r.trim(func(c cell) bool { return c.isSpace() && c.span.Style.Bg == nil })
	}
	return r
}

// trim removes the cells at the end for which the function returns true, each of one column.
func (r *row) trim(isRemoved func(cell) bool) {
	n := len(r.cells)
	for n > 0 && isRemoved(r.cells[n-1]) {
		n--
	}
	r.width -= len(r.cells) - n
	r.cells = r.cells[:n]
}

// cellsOf returns the cells of a line. A character without width belongs to the cell before it.
func cellsOf(line styled.Line) []cell {
	n := 0
	for i := range line {
		n += len(line[i].Text)
	}
	cells := make([]cell, 0, n)
	for i := range line {
		span, text, state := &line[i], line[i].Text, -1
		for text != "" {
			if text[0] < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
				if text[0] >= ' ' && text[0] != 0x7f { // a control character has no cell
					cells = append(cells, cell{text: text[:1], width: 1, span: span})
				}
				text, state = text[1:], -1
				continue
			}
			var c cell
			c.text, text, c.width, state = uniseg.FirstGraphemeClusterInString(text, state)
			if c.width == 0 {
				addMark(cells, c.text)
				continue
			}
			c.span, c.isUnsure, c.text = span, isUnsure(c.text), bounded(c.text)
			cells = append(cells, c)
		}
	}
	return cells
}

// addMark adds a mark that begins a span to the cell before it. It ignores all else that has no width.
func addMark(cells []cell, mark string) {
	if r, _ := utf8.DecodeRuneInString(mark); len(cells) > 0 && unicode.Is(unicode.M, r) {
		last := &cells[len(cells)-1]
		last.text, last.isUnsure = bounded(last.text+mark), true
	}
}

// isUnsure reports whether terminals differ about the width of a cluster: of emoji, of signs that another character makes an emoji,
// and of characters with marks.
func isUnsure(cluster string) bool {
	r, n := utf8.DecodeRuneInString(cluster)
	return n < len(cluster) || r >= 0x1f000 || r >= 0x2190 && r < 0x2500 || r >= 0x25a0 && r < 0x2e80
}

// bounded returns a cluster without the marks that no script needs: those after the first 64 bytes.
func bounded(cluster string) string {
	const most = 64
	if len(cluster) <= most {
		return cluster
	}
	n := most
	for !utf8.RuneStart(cluster[n]) {
		n--
	}
	return cluster[:n]
}

// isSpace reports whether the cell shows nothing but a background.
func (c cell) isSpace() bool {
	return c.text == " " && c.span.Style.Underline == 0 && c.span.Style.Attrs == 0 && c.span.Link == ""
}

func (c cell) equals(d cell) bool {
	return c.text == d.text && c.span.Link == d.span.Link && (c.span == d.span || c.span.Style.Equal(&d.span.Style))
}

// height returns the number of rows that the row takes in a terminal of width columns.
func (r row) height(width int) int {
	rows, column := 1, 0
	for _, c := range r.cells {
		if column+c.width > width && column > 0 {
			rows, column = rows+1, 0
		}
		column += c.width
	}
	return rows
}

// sameFill reports whether two rows have the same background behind their cells.
func sameFill(a, b row) bool {
	if a.fill == nil || b.fill == nil {
		return a.fill == b.fill
	}
	return a.fill.Style.Equal(&b.fill.Style)
}

// change is the difference of two rows: the cells of the new one from first on, which begin in column, up to end.
type change struct {
	first, end, column int
	erases             erasure
}

// erasure is the part of a row that is erased.
type erasure int

const (
	nothing erasure = iota
	rest            // behind the cells, after they are written
	whole           // the row, before they are written
)

// diff returns the difference of two rows, and false if there is none. A row that gets shorter is written whole: tmux keeps the columns that are
// erased behind others, and would wrap them in a narrower window.
func diff(from, to row) (change, bool) {
	if from.width > to.width {
		return change{end: len(to.cells), erases: whole}, true
	}
	var c change
	for c.first < len(from.cells) && c.first < len(to.cells) && from.cells[c.first].equals(to.cells[c.first]) {
		c.column += to.cells[c.first].width
		c.first++
	}
	c.end = len(to.cells)
	if !sameFill(from, to) {
		c.erases = rest
	}
	if from.width == to.width {
		for n := len(from.cells); c.end > c.first && n > c.first && from.cells[n-1].equals(to.cells[c.end-1]); n-- {
			c.end--
		}
	}
	return c, c.first < c.end || c.erases != nothing
}
