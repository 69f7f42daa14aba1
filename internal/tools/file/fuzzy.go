package file

import (
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
	maxRivals      = 3   // other blocks that an error shows
	rivalFactor    = 3   // how many times as different other blocks must be
	spaceWeight    = 0.1 // weight of a difference in white space
	fuzzyWork      = 4e8 // limit of lines times the square of old's characters
)

// fuzzy finds the block of lines that is most similar to old. A block's score is its distance
// from old divided by old's length; differences in white space have little weight. If another
// block is not rivalFactor times as far from old, and not equal to the first, it returns an
// error.
func (q *query) fuzzy() ([]place, error) {
	if strings.Count(q.text, "\n") > maxLines {
		return nil, nil
	}
	lines, want := q.spans(), splitLines(q.old)
	target := newCandidate(measure(q.old, want), want, q.old)
	if n := float64(target.raw); n < fuzzyMin || float64(len(lines))*n*n > fuzzyWork {
		return nil, nil
	}
	blocks, best := q.similar(target, len(want))
	if best.score > fuzzyThreshold {
		return nil, nil
	}
	var places []place
	var near [][2]int
	equal := true
	for _, b := range blocks {
		if b.differs > rivalFactor*max(best.differs, 1) {
			continue
		}
		p := place{lines[b.line].start, lines[b.line+len(want)-1].end, b.line, sequence(len(want))}
		if len(places) > 0 && (p.start < places[len(places)-1].end || !equalBlocks(q.text, places[0], p)) {
			equal = false
		}
		places = append(places, p)
		near = append(near, q.numbers(p))
	}
	if !equal {
		err := &unclear{places: near, reason: "the same as none of them"}
		for _, n := range near[:min(len(near), maxRivals)] {
			err.lines += atLines([][2]int{n}, 1) + ":\n" + q.excerpt(n[0]-1, n[1]-1) + "\n"
		}
		return nil, err
	}
	return places, nil
}

// scored is a block of lines that is similar to old.
type scored struct {
	line    int
	score   float64
	differs int // distance without white space
}

// similar returns the blocks of n lines that are similar to target, including those that only
// are rivals of a block that is similar enough, and the best one.
func (q *query) similar(target *candidate, n int) ([]scored, scored) {
	const limit = fuzzyThreshold * rivalFactor
	lines := q.spans()
	sizes := measure(q.text, lines)
	var blocks []scored
	best := scored{score: 1}
	for i := 0; i+n <= len(lines); i++ {
		if i%16 == 0 && q.stop() {
			return nil, scored{score: 1}
		}
		if !target.mayResemble(sizes[i], sizes[i+n], n, limit) {
			continue
		}
		score, differs := target.score(newCandidate(sizes[i:i+n+1], lines[i:i+n], q.text), limit)
		if score > limit {
			continue
		}
		blocks = append(blocks, scored{i, score, differs})
		if score < best.score {
			best = blocks[len(blocks)-1]
		}
	}
	return blocks, best
}

// sequence returns the numbers from 0 to n-1.
func sequence(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// equalBlocks reports whether two blocks differ only in white space at the beginning and end of
// lines.
func equalBlocks(text string, a, b place) bool {
	x, y := strings.Split(text[a.start:a.end], "\n"), strings.Split(text[b.start:b.end], "\n")
	return slices.EqualFunc(x, y, func(x, y string) bool { return strings.TrimSpace(x) == strings.TrimSpace(y) })
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

// mayResemble reports whether n lines of these sizes can have a score up to limit: a difference
// in length is a lower bound of the distance.
func (c *candidate) mayResemble(before, after size, n int, limit float64) bool {
	raw, solid := after.raw-before.raw+n-1, after.solid-before.solid
	return abs(raw-c.raw) <= c.raw && float64(abs(solid-c.solid)) <= limit*float64(c.raw)
}

// score returns the distance between o and c divided by c's length, and the distance without
// white space. A score above limit is only a lower bound.
func (c *candidate) score(o *candidate, limit float64) (score float64, differs int) {
	length := float64(c.raw)
	if d := bagDistance(c.bare, o.bare); float64(d) > limit*length {
		return float64(d) / length, d
	}
	bare := distance(c.bare, o.bare)
	if float64(bare) > limit*length {
		return float64(bare) / length, bare
	}
	raw := distance(c.text, o.text)
	return (float64(bare) + float64(raw-bare)*spaceWeight) / length, bare
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

// distance returns the Levenshtein distance of two texts.
func distance(a, b string) int { return levenshtein.ComputeDistance(a, b) }
