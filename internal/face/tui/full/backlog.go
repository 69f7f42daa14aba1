package full

import "pollux/internal/face/tui/styled"

// backlog is the finished lines with the part of them that is on the screen.
type backlog struct {
	sheet
	height int
	top    place // the first row on the screen, unless the end is shown
	seen   int   // number of the line behind the last one that was on the screen
	open   int   // rows of work in progress behind the lines
	limit  int   // number of the line behind the last one that is shown, if isKept
	isKept bool  // the lines that are shown stay the same
	isBack bool  // top is not at the end
	shown  []place
	marked selection
}

// print adds finished lines.
func (b *backlog) print(lines []styled.Line) {
	for _, l := range lines {
		b.add(l)
	}
}

// drop forgets all lines.
func (b *backlog) drop() {
	b.clear()
	b.known, b.isBack, b.seen, b.marked = nil, false, b.end(), selection{}
}

// last returns the first row of the screen that shows the end.
func (b *backlog) last() place { return b.move(place{line: b.bound()}, b.open-b.height) }

// bound returns the number of the line behind the last one that is shown.
func (b *backlog) bound() int {
	if b.isKept {
		return max(min(b.limit, b.end()), b.first)
	}
	return b.end()
}

// scroll moves the screen by rows, up if n is negative. It stops at the end, and follows it from there on.
func (b *backlog) scroll(n int) {
	b.rest()
	b.goTo(b.move(b.top, n))
}

// rest makes top the row that is the first one on the screen.
func (b *backlog) rest() {
	if !b.isBack {
		b.top = b.last()
	}
}

func (b *backlog) goTo(top place) {
	b.top = b.settle(top)
	b.isBack = b.top.isBefore(b.last())
}

// view returns so many rows: those of the finished lines, and the open lines behind them.
func (b *backlog) view(width, height int, open []styled.Line) []styled.Line {
	if width != b.width {
		b.setWidth(width)
		b.marked = selection{} // blocks have other texts now
	}
	open = open[max(len(open)-height, 0):]
	b.height, b.open = height, len(open)
	if b.isBack {
		b.goTo(b.top)
	}
	b.rest()
	lines := make([]styled.Line, 0, height)
	b.shown = b.shown[:0]
	p, end := b.top, place{line: b.bound()}
	for ; len(lines) < height && p.isBefore(end); p = b.move(p, 1) {
		b.shown = append(b.shown, p)
		lines = append(lines, b.marked.mark(b.part(p.line, p.start, b.endOf(p)), p))
	}
	b.seen = max(b.seen, p.line)
	if !b.isBack {
		b.seen = end.line
	}
	lines = append(lines, open[:min(len(open), height-len(lines))]...)
	for len(lines) < height {
		lines = append(lines, nil)
	}
	return lines
}

// unseen returns the number of lines that have come since the end was on the screen, and were not on it.
func (b *backlog) unseen() int { return max(b.before(b.bound())-b.before(max(b.seen, b.first)), 0) }

// freeze keeps later lines from being shown.
func (b *backlog) freeze(isFrozen bool) {
	b.rest()
	b.isKept, b.limit = isFrozen, b.end()
}
