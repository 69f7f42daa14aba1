package inline

import "slices"

// scroll moves rows up within the live area, so that text that scrolls in a part of it is not written again: count rows from one on
// are deleted, and as many empty ones appear at its end. The rows below stay where they are.
type scroll struct {
	at, end int // the rows from at to end move up by count
	count   int
}

// maxScroll is how far rows scroll at most: between two frames, an answer hardly gets more rows.
const maxScroll = 8

// findScroll returns the scroll after which the fewest cells differ between two lists of as many rows. It has no count if none saves
// bytes. The first row of the live area never scrolls: it may be the first one of the screen, and there are terminals that put a line
// that is deleted there into the scrollback.
func findScroll(from, to []row) scroll {
	if len(from) != len(to) {
		return scroll{}
	}
	const sequences = 24            // bytes that a scroll takes
	changed := make([]int, len(to)) // bytes to change each row
	all := 0
	for i, r := range to {
		changed[i] = cost(from[i], r)
		all += changed[i]
	}
	if all <= sequences { // as after most keys and chunks
		return scroll{}
	}
	most := sequences // saved
	var best scroll
	for count := 1; count <= min(maxScroll, len(to)-2); count++ {
		for at := 1; at+count < len(to); at++ {
			s := scroll{at: at, end: at, count: count}
			saved := 0
			for s.end+count < len(to) && cost(from[s.end+count], to[s.end]) == 0 {
				saved += changed[s.end]
				s.end++
			}
			if s.end == at {
				continue
			}
			at = s.end // whose row does not fit
			for i := s.end; i < s.end+count; i++ {
				saved += changed[i] - cost(row{}, to[i])
			}
			if saved > most {
				most, best = saved, s
			}
		}
	}
	return best
}

// scroll scrolls rows of the live area, and returns those that the terminal shows then.
func (p *painter) scroll(rows []row, s scroll) []row {
	if s.count == 0 {
		return rows
	}
	p.moveTo(Position{s.at, 0})
	p.control(s.count, 'M')
	p.moveTo(Position{s.end, 0})
	p.control(s.count, 'L')
	rows = slices.Delete(slices.Clone(rows), s.at, s.at+s.count)
	return slices.Insert(rows, s.end, make([]row, s.count)...)
}
