package search

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// maxShown limits the length of a line that a result shows whole, in characters.
	maxShown = 2000
	// maxExcerpt limits the shown part of a longer line, in characters.
	maxExcerpt = 500
	// minShown is the least value that a result uses in place of maxShown.
	minShown = 200
)

// hit is a matching line, or the part of a long line around the match.
type hit struct {
	line   int    // line number, from 1
	text   string // valid UTF-8
	offset int    // characters of the line before text
	length int    // characters of the line
	match  int    // characters of the line before the match
	piece  bool   // the line is longer than maxLine, and the numbers are those of a piece of it
}

// newHit returns the hit for a line that p matches, or for a line of the context if p is nil.
func newHit(number int, line []byte, p *pattern) hit {
	text := lineText(line)
	h := hit{line: number, text: text, length: utf8.RuneCountInString(text)}
	if h.length <= maxShown {
		return h
	}
	if p != nil {
		h.match = min(utf8.RuneCount(line[:p.locate(line)]), h.length-1)
	}
	from, to := around(h.match, h.length, maxShown)
	h.text, h.offset = strings.Clone(runes(text, from, to)), from
	return h
}

// show returns the line as a result shows it: whole if it has at most width characters, else
// the part around the match, and which part that is.
func (h hit) show(width int) string {
	if h.length <= width {
		return h.text
	}
	from, to := around(h.match, h.length, min(width, maxExcerpt))
	text := runes(h.text, from-h.offset, to-h.offset)
	if from > 0 {
		text = "..." + text
	}
	if to < h.length {
		text += "..."
	}
	if h.piece {
		return fmt.Sprintf("%s [cut: part of a line of more than %d MB]", text, maxLine>>20)
	}
	return fmt.Sprintf("%s [cut: characters %d-%d of %d]", text, from+1, to, h.length)
}

// around returns the bounds of at most width of length characters, most of them after the
// match.
func around(match, length, width int) (from, to int) {
	from = max(0, min(match-width/4, length-width))
	return from, min(length, from+width)
}

// runes returns the characters of s from one index to another.
func runes(s string, from, to int) string {
	start, n := len(s), 0
	for i := range s {
		if n == from {
			start = i
		}
		if n == to {
			return s[start:i]
		}
		n++
	}
	return s[start:]
}

// locate returns the index in line where p matches, 0 if that is unknown.
func (p *pattern) locate(line []byte) int {
	if p.re != nil {
		if loc := p.re.FindIndex(line); loc != nil {
			return loc[0]
		}
		return 0
	}
	return p.locateBacktracking(string(line))
}

// locateBacktracking is locate on the backtracking engine, which may panic or give up.
func (p *pattern) locateBacktracking(line string) (at int) {
	defer func() {
		if recover() != nil {
			at = 0
		}
	}()
	m, err := p.backtracking.FindStringMatch(line)
	if err != nil || m == nil {
		return 0
	}
	return len(runes(line, 0, m.Index))
}
