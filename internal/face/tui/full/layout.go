package full

import (
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"pollux/internal/face/tui/styled"
)

// place is the beginning of a row: the number of its line, and the bytes of the line before it.
type place struct{ line, start int }

func (p place) isBefore(q place) bool {
	return p.line < q.line || p.line == q.line && p.start < q.start
}

// sheet is the lines in rows of one width. The rows of a line are found when they are needed.
type sheet struct {
	store
	width int
	known map[int][]int // beginnings of the rows of lines
}

// maxKnown is the number of lines whose rows are kept.
const maxKnown = 2048

// setWidth changes the width of the rows.
func (s *sheet) setWidth(width int) {
	if width = max(width, 1); width != s.width {
		s.width, s.known = width, nil
	}
}

// starts returns the beginnings of the rows of a line.
func (s *sheet) starts(n int) []int {
	rows, ok := s.known[n]
	if !ok {
		if s.known == nil || len(s.known) >= maxKnown {
			s.known = map[int][]int{}
		}
		s.refit(n, s.width)
		rows = rowStarts(s.at(n).text, s.width)
		s.known[n] = rows
	}
	return rows
}

// rowStarts breaks a text into rows, behind a space in the second half of the row if there is one. It returns where they begin.
func rowStarts(text string, width int) []int {
	starts := []int{0}
	if len(text) <= width && !strings.Contains(text, "\n") { // no character has more columns than bytes
		return starts
	}
	begin, column, space := 0, 0, -1 // space is the byte behind the last space of the row
	for at, state := 0, -1; at < len(text); {
		cluster, _, w, next := uniseg.FirstGraphemeClusterInString(text[at:], state)
		state = next
		switch {
		case cluster == "\n":
			at++
			starts = append(starts, at)
			begin, column, space, state = at, 0, -1, -1
			continue
		case column+w <= width || at == begin:
		case cluster == " ": // invisible at the end of the row
			w = 0
		default:
			from := at
			if space > begin+(at-begin)/2 {
				from = space
			}
			starts = append(starts, from)
			begin, space, column = from, -1, columns(text[from:at])
		}
		at += len(cluster)
		column += w
		if cluster == " " {
			space = at
		}
	}
	return starts
}

// columns returns the width of a text.
func columns(text string) int { return uniseg.StringWidth(text) }

// row returns the number of the row of a place among those of its line.
func (s *sheet) row(p place) int {
	i, ok := slices.BinarySearch(s.starts(p.line), p.start)
	if !ok {
		i--
	}
	return max(i, 0)
}

// endOf returns the byte behind the text of a row that begins at a place.
func (s *sheet) endOf(p place) int {
	rows, text := s.starts(p.line), s.at(p.line).text
	i := s.row(p) + 1
	switch {
	case i == len(rows):
		return len(text)
	case text[rows[i]-1] == '\n':
		return rows[i] - 1
	}
	return rows[i]
}

// whole returns a line, or those of a block.
func (s *sheet) whole(n int) (lines []styled.Line) {
	s.starts(n) // fits a block
	at := 0
	for text := range strings.SplitSeq(s.at(n).text, "\n") {
		lines = append(lines, s.part(n, at, at+len(text)))
		at += len(text) + 1
	}
	return lines
}

// settle returns the row that has a place, or the nearest one. Behind the last line is the place of the next one.
func (s *sheet) settle(p place) place {
	switch {
	case p.line >= s.end():
		return place{line: s.end()}
	case p.line < s.first:
		return place{line: s.first}
	}
	return place{p.line, s.starts(p.line)[s.row(p)]}
}

// move returns the place n rows further, or before if n is negative, as far as there are rows.
func (s *sheet) move(p place, n int) place {
	p = s.settle(p)
	for ; n > 0 && p.line < s.end(); n-- {
		if rows, i := s.starts(p.line), s.row(p)+1; i < len(rows) {
			p.start = rows[i]
		} else {
			p = place{line: p.line + 1}
		}
	}
	for ; n < 0 && (place{line: s.first}).isBefore(p); n++ {
		if p.start > 0 {
			p.start = s.starts(p.line)[s.row(p)-1]
		} else {
			rows := s.starts(p.line - 1)
			p = place{p.line - 1, rows[len(rows)-1]}
		}
	}
	return p
}

// text returns the text from one place to another, which may be within rows. The last line keeps the spaces at its end.
func (s *sheet) text(from, to place) string {
	var b strings.Builder
	for n := max(from.line, s.first); n <= to.line && n < s.end(); n++ {
		s.starts(n) // fits a block
		text := s.at(n).text
		start, end := 0, len(text)
		if n == from.line {
			start = min(from.start, end)
		}
		if n == to.line {
			end = max(min(to.start, end), start)
		}
		lines := strings.Split(text[start:end], "\n")
		for i, line := range lines {
			if isLast := i == len(lines)-1; !isLast || n < to.line {
				line = strings.TrimRight(line, " ")
				if !isLast || n+1 < s.end() {
					line += "\n"
				}
			}
			b.WriteString(line)
		}
	}
	return b.String()
}
