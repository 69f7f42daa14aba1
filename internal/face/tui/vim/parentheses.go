package vim

import "pollux/internal/face/tui/buffer"

// parentheses returns the range of the n-th pair of parentheses around the cursor, counted from the inside. If the
// cursor is in none, the next pair is the first one. Quotes and placeholders mean nothing.
func parentheses(b *buffer.Buffer, n int) (r buffer.Range, ok bool) {
	text, at := b.Shown(), b.Cursor()
	first := opening(text, at, n)
	if first < 0 && n == 1 {
		first = nextOpening(text, at+1)
	}
	if first < 0 {
		return r, false
	}
	depth := 0
	for i := first; i < len(text); i++ {
		if depth -= weight(text, i); depth == 0 {
			return buffer.Range{Start: first, End: i + 1}, true
		}
	}
	return r, false
}

// opening returns the position of the n-th parenthesis before a position that opens and does not close before it, -1 if
// there is none.
func opening(text string, at, n int) int {
	if weight(text, at) > 0 { // the position is at the end of the pair
		at--
	}
	for ; at >= 0; at-- {
		if n += weight(text, at); n == 0 {
			break
		}
	}
	return at
}

// nextOpening returns the position of the first parenthesis from a position on that opens, -1 if there is none. For
// each one that closes before, it leaves out one.
func nextOpening(text string, at int) int {
	for closed := 0; at < len(text); at++ {
		switch weight(text, at) {
		case 1:
			closed++
		case -1:
			if closed--; closed < 0 {
				return at
			}
		}
	}
	return -1
}

// weight returns -1 for a parenthesis that opens, 1 for one that closes, and 0 for other characters.
func weight(text string, at int) int {
	if at < len(text) {
		switch text[at] {
		case '(':
			return -1
		case ')':
			return 1
		}
	}
	return 0
}

// inParentheses returns the range between the parentheses. If they stand at the ends of lines of their own, it has the
// lines between them.
func inParentheses(b *buffer.Buffer, n int) (buffer.Range, bool) {
	r, ok := parentheses(b, n)
	if !ok {
		return r, false
	}
	r.Start, r.End = r.Start+1, r.End-1
	if r.Start == b.LineEnd(r.Start) && r.Start < r.End {
		r.Start = b.Next(r.Start)
	}
	if start := b.LineStart(r.End); start >= r.Start && b.FirstNonBlank(start) == r.End {
		r.End = start
	}
	r.End = max(r.Start, r.End)
	return r, true
}
