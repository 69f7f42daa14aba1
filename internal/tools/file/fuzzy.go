package file

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Parameters of the fuzzy strategy.
const (
	fuzzyMin       = 10  // minimum length of old in characters
	fuzzyThreshold = 0.1 // fraction of old's characters that may differ
	spaceWeight    = 0.1 // weight of a difference in white space
	fuzzyWork      = 4e8 // limit of lines times the square of old's characters
)

// fuzzy finds blocks of lines that are similar to old. A block's score is its distance from
// old divided by old's length; differences in white space have little weight. It takes all of
// the best blocks that do not overlap.
func fuzzy(text, old, replacement string, stop func() bool) match {
	if strings.Count(text, "\n") > maxLines {
		return match{}
	}
	lines := splitLines(text)
	want := splitLines(old)
	target := newCandidate(measure(old, want), want, old)
	if n := float64(target.raw); n < fuzzyMin || float64(len(lines))*n*n > fuzzyWork {
		return match{}
	}
	type place struct {
		line  int
		score float64
	}
	var places []place
	sizes := measure(text, lines)
	n := len(want)
	for i := 0; i+n <= len(lines); i++ {
		if i%16 == 0 && stop() {
			return match{}
		}
		if !target.mayResemble(sizes[i], sizes[i+n], n) {
			continue
		}
		if score := target.score(newCandidate(sizes[i:i+n+1], lines[i:i+n], text)); score <= fuzzyThreshold {
			places = append(places, place{i, score})
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.line, b.line))
	})
	taken := make([]bool, len(lines)+n) // lines of the blocks taken
	var starts []int
	for _, p := range places {
		if !taken[p.line] && !taken[p.line+n-1] { // all blocks have the same size
			starts = append(starts, p.line)
			for i := range n {
				taken[p.line+i] = true
			}
		}
	}
	slices.Sort(starts)
	var m match
	for _, i := range starts {
		m.add(block(text, lines[i].start, lines[i+n-1].end, old, replacement, true))
		m.lines = append(m.lines, [2]int{i + 1, i + n})
	}
	return m
}

// size is the number of characters before a line: raw without trailing white space of lines,
// solid without any white space. Line ends do not count.
type size struct{ raw, solid int }

// measure returns the size before each line, and the total size.
func measure(text string, lines []span) []size {
	sizes := make([]size, len(lines)+1)
	for i, l := range lines {
		line := trimRight(text, l)
		spaces := 0
		for _, r := range line {
			if unicode.IsSpace(r) {
				spaces++
			}
		}
		n := utf8.RuneCountInString(line)
		sizes[i+1] = size{sizes[i].raw + n, sizes[i].solid + n - spaces}
	}
	return sizes
}

func trimRight(text string, l span) string {
	return strings.TrimRightFunc(text[l.start:l.end], unicode.IsSpace)
}

// candidate is a block of lines in the form that the fuzzy strategy compares.
type candidate struct {
	size        // line ends except the last one count as raw
	text string // without trailing white space of lines
	bare string // without any white space
}

func newCandidate(sizes []size, lines []span, text string) *candidate {
	c := &candidate{}
	if len(lines) == 0 {
		return c
	}
	var raw, bare strings.Builder
	for i, l := range lines {
		if i > 0 {
			raw.WriteByte('\n')
		}
		line := trimRight(text, l)
		raw.WriteString(line)
		for word := range strings.FieldsSeq(line) {
			bare.WriteString(word)
		}
	}
	c.text, c.bare = raw.String(), bare.String()
	first, end := sizes[0], sizes[len(lines)]
	c.size = size{end.raw - first.raw + len(lines) - 1, end.solid - first.solid}
	return c
}

// mayResemble reports whether n lines of these sizes can be similar enough to c: a difference
// in length is a lower bound of the distance.
func (c *candidate) mayResemble(before, after size, n int) bool {
	raw, solid := after.raw-before.raw+n-1, after.solid-before.solid
	return abs(raw-c.raw) <= c.raw && float64(abs(solid-c.solid)) <= fuzzyThreshold*float64(c.raw)
}

// score returns the distance between o and c. A result above fuzzyThreshold is only a lower
// bound.
func (c *candidate) score(o *candidate) float64 {
	length := float64(c.raw)
	if d := float64(bagDistance(c.bare, o.bare)); d > fuzzyThreshold*length {
		return d / length
	}
	bare := float64(levenshtein.ComputeDistance(c.bare, o.bare))
	if bare > fuzzyThreshold*length {
		return bare / length
	}
	raw := float64(levenshtein.ComputeDistance(c.text, o.text))
	return (bare + (raw-bare)*spaceWeight) / length
}

// bagDistance counts the characters that one text has more of than the other, regardless of
// order. It is a cheap lower bound of the Levenshtein distance. It compares only the low byte
// of characters, which can only make the result smaller.
func bagDistance(a, b string) int {
	var bag [256]int
	for _, r := range a {
		bag[byte(r)]++
	}
	for _, r := range b {
		bag[byte(r)]--
	}
	more, less := 0, 0
	for _, n := range bag {
		if n > 0 {
			more += n
		} else {
			less -= n
		}
	}
	return max(more, less)
}

func abs(n int) int { return max(n, -n) }
