package vim

import "pollux/internal/face/tui/buffer"

// target is the position to which a motion leads.
type target struct {
	at   int
	kind reach
}

// reach is the part of the text between the cursor and a target that an operator takes.
type reach uint8

const (
	exclusive reach = iota // up to the character before the later position
	inclusive              // with the character there
	lines                  // all lines
)

// motion returns the target of a motion. ok is false if there is none, or if the command is no motion.
func (m *Mode) motion(c command, b *buffer.Buffer) (t target, ok bool) {
	at, isOperator := b.Cursor(), c.operator != ""
	switch c.name {
	case "h", "l":
		return target{at: sideways(b, c)}, true
	case "j", "k":
		return otherLine(b, c)
	case "w", "W":
		return forward(b, c), true
	case "b", "B":
		return target{at: repeatMove(at, c.times(), func(at int) int { return b.PrevWord(at, c.name == "B") })}, at > 0
	case "e", "E":
		to := repeatMove(at, c.times(), func(at int) int { return b.WordEnd(at, c.name == "E") })
		if to == b.LineEnd(to) { // no word follows in an empty last line
			to = b.Len()
		}
		return target{at: max(onCharacter(b, to), at), kind: inclusive}, isOperator || to != at
	case "0", "<home>":
		return target{at: b.LineStart(at)}, true
	case "^":
		return target{at: firstNonBlank(b, at)}, true
	case "$":
		return lineEnd(b, c)
	case "gg":
		return target{firstNonBlank(b, b.Line(c.times()-1).Start), lines}, true
	case "G":
		number := b.LineCount()
		if c.count > 0 {
			number = c.count
		}
		return target{firstNonBlank(b, b.Line(number-1).Start), lines}, true
	case "f", "F", "t", "T":
		m.found = find{c.name, c.argument}
		return m.found.search(b, c.times(), false)
	case ";":
		return m.found.search(b, c.times(), true)
	case ",":
		return m.found.reversed().search(b, c.times(), true)
	}
	return t, false
}

// repeatMove applies a movement n times, or until it leads no further.
func repeatMove(at, n int, move func(at int) int) int {
	for range n {
		next := move(at)
		if next == at {
			break
		}
		at = next
	}
	return at
}

// sideways returns the target of h and l, which stay in their line, but reach its end.
func sideways(b *buffer.Buffer, c command) int {
	at := b.Cursor()
	first, last := b.LineStart(at), b.LineEnd(at)
	if c.name == "h" {
		return repeatMove(at, c.times(), func(at int) int { return max(b.Prev(at), first) })
	}
	return repeatMove(at, c.times(), func(at int) int { return min(b.Next(at), last) })
}

// otherLine returns the target of j and k for operators, which take lines, not rows of the screen.
func otherLine(b *buffer.Buffer, c command) (target, bool) {
	number := b.LineNumber(b.Cursor())
	to := max(number-c.times(), 0)
	if c.name == "j" {
		to = min(number+c.times(), b.LineCount()-1)
	}
	return target{sameColumn(b, b.Cursor(), b.Line(to)), lines}, to != number
}

// sameColumn returns the position in a line that is as far from its start as a position is from that of its own line.
func sameColumn(b *buffer.Buffer, at int, line buffer.Range) int {
	to := line.Start
	for from := b.LineStart(at); from < at && to < line.End; from = b.Next(from) {
		to = b.Next(to)
	}
	return onCharacter(b, to)
}

// firstNonBlank returns the position of the first character of a line that is no blank, or its last character.
func firstNonBlank(b *buffer.Buffer, at int) int { return onCharacter(b, b.FirstNonBlank(at)) }

func lineEnd(b *buffer.Buffer, c command) (target, bool) {
	number := b.LineNumber(b.Cursor())
	last := min(number+c.times()-1, b.LineCount()-1)
	end := b.Line(last).End
	return target{onCharacter(b, end), inclusive}, last > number || c.times() == 1
}

// forward returns the target of w and W. Before an operator, the last word ends with its line.
func forward(b *buffer.Buffer, c command) target {
	isBig := c.name == "W"
	next := func(at int) int { return b.NextWord(at, isBig) }
	if c.operator == "" {
		return target{at: repeatMove(b.Cursor(), c.times(), next)}
	}
	return target{at: wordInLine(b, repeatMove(b.Cursor(), c.times()-1, next), isBig)}
}

// wordInLine returns the start of the next word, or the end of the line if the word at the position is the last thing
// in it.
func wordInLine(b *buffer.Buffer, at int, isBig bool) int {
	next, end := b.NextWord(at, isBig), b.LineEnd(at)
	switch {
	case next <= end:
		return next
	case at == end: // an empty line
		return b.Next(at)
	}
	for i := at; b.Next(at) < end && i < end; i = b.Next(i) {
		if isBlank(b, i) {
			return next
		}
	}
	return end
}

// find is a search for a character in a line: "f" and "t" forwards, "F" and "T" backwards, "t" and "T" up to the one
// before it.
type find struct{ name, character string }

func (f find) reversed() find {
	return find{map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[f.name], f.character}
}

// search returns the target of the n-th occurrence. A repeated search does not stay before the occurrence next to the
// cursor.
func (f find) search(b *buffer.Buffer, n int, isRepeated bool) (t target, ok bool) {
	step, isBefore := 1, f.name == "t" || f.name == "T"
	switch f.name {
	case "":
		return t, false
	case "F", "T":
		step = -1
	default:
		t.kind = inclusive
	}
	at, ok := b.FindInLine(b.Cursor(), f.character, step*n)
	if !ok {
		return t, false
	}
	if isBefore && isRepeated && n == 1 && f.before(b, at) == b.Cursor() {
		if at, ok = b.FindInLine(b.Cursor(), f.character, 2*step); !ok {
			return t, false
		}
	}
	if t.at = at; isBefore {
		t.at = f.before(b, at)
	}
	return t, true
}

// before returns the position next to an occurrence, on the side from which the search comes.
func (f find) before(b *buffer.Buffer, at int) int {
	if f.name == "T" {
		return b.Next(at)
	}
	return b.Prev(at)
}
