package tuitest

import (
	"image/color"
	"regexp"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// Picture is the rows of a terminal with their colors, as it was at a time.
type Picture struct {
	Width                  int // columns
	Foreground, Background color.Color
	Rows                   [][]uv.Cell // the cells of a row; a wide character is one cell
}

// Picture returns the scrollback and the screen, without the empty rows at the end. How much of it is on the screen depends
// on the frames that were drawn meanwhile.
func (e *Emulator) Picture() Picture {
	p := Picture{Width: e.Width(), Foreground: e.ForegroundColor(), Background: e.BackgroundColor()}
	for y := range e.ScrollbackLen() {
		p.add(func(x int) *uv.Cell { return e.ScrollbackCellAt(x, y) })
	}
	for y := range e.Height() {
		p.add(func(x int) *uv.Cell { return e.CellAt(x, y) })
	}
	for n := len(p.Rows); n > 0 && isBlank(p.Rows[n-1]); n-- {
		p.Rows = p.Rows[:n-1]
	}
	return p
}

// add adds a row, of which at returns the cells.
func (p *Picture) add(at func(x int) *uv.Cell) {
	row := make([]uv.Cell, 0, p.Width)
	for x := range p.Width {
		switch c := at(x); {
		case c == nil || c.Width > 0 && c.Content == "":
			row = append(row, uv.EmptyCell)
		case c.Width > 0: // else it is the second half of a wide character
			row = append(row, *c)
		}
	}
	p.Rows = append(p.Rows, row)
}

func isBlank(row []uv.Cell) bool {
	return !slices.ContainsFunc(row, func(c uv.Cell) bool { return c.Content != " " || c.Style.Bg != nil })
}

// From returns the rows from the last one that begins with a text, all if there is none.
func (p Picture) From(text string) Picture {
	rows := p.Text()
	for y := len(rows) - 1; y >= 0; y-- {
		if strings.HasPrefix(rows[y], text) {
			p.Rows = p.Rows[y:]
			break
		}
	}
	return p
}

// Text returns the rows without styles and without spaces at their ends.
func (p Picture) Text() (rows []string) {
	for _, row := range p.Rows {
		var b strings.Builder
		for _, c := range row {
			b.WriteString(c.Content)
		}
		rows = append(rows, strings.TrimRight(b.String(), " "))
	}
	return rows
}

// Mask replaces texts that match a pattern by others of the same number of characters, so that they do not depend on the time. A
// replacement that is too short ends in spaces; one that is too long is cut.
func (p Picture) Mask(pattern *regexp.Regexp, replacement string) Picture {
	rows := make([][]uv.Cell, len(p.Rows))
	for y, row := range p.Rows {
		rows[y] = slices.Clone(row)
		text, offsets := "", make([]int, len(row)+1)
		for x, c := range row {
			offsets[x] = len(text)
			text += c.Content
		}
		offsets[len(row)] = len(text)
		for _, m := range pattern.FindAllStringIndex(text, -1) {
			first, _ := slices.BinarySearch(offsets, m[0])
			end, _ := slices.BinarySearch(offsets, m[1])
			put := []rune(replacement)
			for x := first; x < end; x++ {
				rows[y][x].Content = " "
				if x-first < len(put) {
					rows[y][x].Content = string(put[x-first])
				}
			}
		}
	}
	p.Rows = rows
	return p
}
