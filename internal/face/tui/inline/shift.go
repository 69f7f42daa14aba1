package inline

import "slices"

// shift moves the rows from one on, with their content, so that a line printed above the composer does not draw it again.
type shift struct {
	at    int // the first row that moves
	count int // of rows that appear before it
}

// findShift returns the shift after which the fewest cells differ between two lists of rows. It has no count if rows that only
// appear at the end are about as good, because those need no shift, or if there are fewer rows than before: there are terminals that put
// a line that is deleted at their top into the scrollback.
func findShift(from, to []row) shift {
	count := len(to) - len(from)
	if count <= 0 {
		return shift{}
	}
	const sequences = 16 // bytes that a shift takes
	least := costOf(from, to, shift{at: len(from), count: count}) - sequences
	var best shift
	for at := range from {
		s := shift{at: at, count: count}
		if cost := costOf(from, to, s); cost < least {
			least, best = cost, s
		}
	}
	return best
}

// costOf returns about how many bytes it takes to paint the rows after a shift.
func costOf(from, to []row, s shift) int {
	sum := 0
	for i, r := range to {
		switch {
		case i < s.at:
			sum += cost(from[i], r)
		case i < s.at+s.count:
			sum += len(r.cells)
		default:
			sum += cost(from[i-s.count], r)
		}
	}
	return sum
}

// cost returns about how many bytes it takes to change a row.
func cost(from, to row) int {
	c, isChanged := diff(from, to)
	if !isChanged {
		return 0
	}
	const sequences = 8 // bytes that move the cursor
	return sequences + c.end - c.first
}

// shift moves rows of the live area, and returns those that the terminal shows then.
func (p *painter) shift(rows []row, s shift) []row {
	if s.count == 0 {
		return rows
	}
	for i := range s.count {
		p.addRow(len(rows) + i) // room at the bottom, because the terminal drops the rows that it moves out of the screen
	}
	p.moveTo(Position{s.at, 0})
	p.control(s.count, 'L')
	return slices.Insert(slices.Clone(rows), s.at, make([]row, s.count)...)
}

// finished returns the finished lines as rows above the live area, and false if there is none, if they do not fit with it, if
// the terminal has to break one, if its columns are in doubt, or if one is no text.
func (s *Screen) finished(live int) ([]row, bool) {
	if len(s.rows) == 0 || live == 0 || len(s.printing)+live > s.options.Height {
		return nil, false
	}
	rows := make([]row, len(s.printing))
	for i, line := range s.printing {
		if line.Width() > s.options.Width || len(line) == 1 && line[0].Object != nil {
			return nil, false
		}
		rows[i] = newRow(line, s.options.Width)
		if slices.ContainsFunc(rows[i].cells, func(c cell) bool { return c.isUnsure }) {
			return nil, false
		}
	}
	return rows, true
}
