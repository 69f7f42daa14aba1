package file

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Parameters of the fuzzy strategy, those of Gemini CLI except for rivals.
const (
	fuzzyMin       = 10  // minimum length of old in characters
	fuzzyThreshold = 0.1 // fraction of old's characters that may differ
	fuzzyWork      = 4e8 // limit of lines times the square of old's characters
	spaceWeight    = 0.1 // weight of a difference in white space
	rivalFactor    = 3   // how many times as different other blocks must be
	maxRivals      = 3   // other blocks that an error shows
)

// similar finds the block of lines that is most similar to old. If another block is not
// rivalFactor times as different, and not equal to the first one, it returns an error.
func (q *query) similar() ([]place, error) {
	want, lines := q.oldLines(), q.lines()
	target := newBlock(want)
	if n := float64(target.length); n < fuzzyMin || len(lines) > maxLines || float64(len(lines))*n*n > fuzzyWork {
		return nil, nil
	}
	type scored struct {
		line    int
		differs int // distance without white space
	}
	var blocks []scored
	best := scored{differs: target.length}
	least := 1.0
	for i := 0; i+len(want) <= len(lines); i++ {
		if i%16 == 0 && q.stop() {
			return nil, nil
		}
		score, differs := target.compare(newBlock(q.texts(i, len(want))))
		if score > fuzzyThreshold*rivalFactor {
			continue
		}
		blocks = append(blocks, scored{i, differs})
		if score < least {
			best, least = blocks[len(blocks)-1], score
		}
	}
	if least > fuzzyThreshold {
		return nil, nil
	}
	var places []place
	var differs []int // of each place
	isEqual := true
	for _, b := range blocks {
		if b.differs > rivalFactor*max(best.differs, 1) {
			continue
		}
		p := place{lines[b.line].start, lines[b.line+len(want)-1].end, b.line, sequence(len(want))}
		if len(places) > 0 && (p.start < places[len(places)-1].end || !equalBlocks(q.text, places[0], p)) {
			isEqual = false
		}
		places, differs = append(places, p), append(differs, b.differs)
	}
	if !isEqual {
		return nil, q.rivals(places, differs)
	}
	return places, nil
}

// rivals returns the error for several places that are similar to old, the most similar first. It leaves out places that
// overlap a more similar one.
func (q *query) rivals(places []place, differs []int) error {
	err := &unclear{reason: "the same as none of them"}
	order := sequence(len(places))
	slices.SortStableFunc(order, func(i, j int) int { return differs[i] - differs[j] })
	for _, i := range order {
		p, isWorse := places[i], false
		for j, other := range places {
			isWorse = isWorse || differs[j] < differs[i] && p.start < other.end && other.start < p.end
		}
		if isWorse {
			continue
		}
		at := q.numbers(p)
		if len(err.places) < maxRivals {
			err.lines += atLines([][2]int{at}, 1) + ":\n" + q.excerpt(at[0]-1, at[1]-1) + "\n"
		}
		err.places = append(err.places, at)
	}
	if len(err.places) == 1 {
		err.reason, err.lines = "not the same", q.excerpt(err.places[0][0]-1, err.places[0][1]-1)
	}
	return err
}

// texts returns n lines of the text from one on.
func (q *query) texts(first, n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = q.line(first + i)
	}
	return texts
}

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

// block is lines in the form that the fuzzy strategy compares.
type block struct {
	text   string // without trailing white space of lines
	bare   string // without any white space
	length int    // characters of text
}

func newBlock(lines []string) *block {
	var text, bare strings.Builder
	for i, line := range lines {
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(strings.TrimRightFunc(line, unicode.IsSpace))
		for word := range strings.FieldsSeq(line) {
			bare.WriteString(word)
		}
	}
	return &block{text.String(), bare.String(), utf8.RuneCountInString(text.String())}
}

// compare returns the distance between o and b divided by b's length, and the distance without
// white space. Differences in white space have little weight. A score above that of the least
// similar rival is only a lower bound.
func (b *block) compare(o *block) (score float64, differs int) {
	length := float64(b.length)
	if abs(o.length-b.length) > b.length {
		return 1, b.length
	}
	if d := bagDistance(b.bare, o.bare); float64(d) > fuzzyThreshold*rivalFactor*length {
		return float64(d) / length, d
	}
	bare := levenshtein.ComputeDistance(b.bare, o.bare)
	if float64(bare) > fuzzyThreshold*rivalFactor*length {
		return float64(bare) / length, bare
	}
	raw := levenshtein.ComputeDistance(b.text, o.text)
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
		more += max(n, 0)
		less += max(-n, 0)
	}
	return max(more, less)
}

func abs(n int) int { return max(n, -n) }
