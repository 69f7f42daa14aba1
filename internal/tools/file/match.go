package file

import "strings"

// change replaces the text from start to end with text.
type change struct {
	start, end int // bytes
	text       string
}

// match is the result of a search for the place of an edit.
type match struct {
	changes []change // sorted, not overlapping
	count   int      // number of occurrences of the searched text
	how     string   // name of the strategy that found it
	// lines are the first and last lines of the places, starting at 1, at most maxNamed of
	// them. An exact match has them only if there are several places.
	lines [][2]int
	// differences are those between the text at these places and the searched text. An exact
	// match has none.
	differences differences
	// inserted is the size of the texts of all changes. Beyond maxChanges or maxInserted,
	// changes are counted but not kept: see tooMuch.
	inserted int
}

// Limits of one edit: number of changes, and inserted bytes.
const (
	maxChanges  = 100_000
	maxInserted = 64 << 20
)

// maxNamed is the number of places that a result names.
const maxNamed = 10

func (m *match) add(c change) {
	m.count++
	m.inserted += len(c.text)
	if !m.tooMuch() {
		m.changes = append(m.changes, c)
	}
}

// tooMuch reports whether there are more changes than are kept.
func (m *match) tooMuch() bool { return m.count > maxChanges || m.inserted > maxInserted }

// query is an edit of a text. All texts have "\n" line ends.
type query struct {
	text, old, new string
	multiple       bool // whether all occurrences of old are replaced
	// stop is called regularly to check whether to give up.
	stop  func() bool
	lines []span // of text, see spans
}

// place is a block of lines of the text that old may mean.
type place struct {
	start, end int // bytes, from a line start; without the line end
	first      int // number of the first line, starting at 0
	// align has the index of the line in the block for each line of old, or -1 for a blank
	// line that is not there. Lines of the block that no line of old has are blank. If align
	// is nil, the lines of old and the block are broken in different places.
	align []int
}

// find searches the text for old with increasingly lenient strategies, and returns the changes
// that replace it. The first strategy that finds anything is used; if count is 0, none did. If
// there are several places and multiple is false, it returns no changes. If a place is found
// but the result would depend on a guess, the error is an [*unclear].
func (q *query) find() (match, error) {
	if q.old == "" {
		return match{}, nil
	}
	if m, err := q.exact(); m.count > 0 {
		return m, err
	}
	for _, strategy := range [...]struct {
		name string // Gemini CLI's name
		find func() ([]place, error)
	}{{"flexible", q.flexible}, {"regex", q.tokens}, {"fuzzy", q.otherCase}, {"fuzzy", q.fuzzy}} {
		places, err := strategy.find()
		if err != nil || len(places) > 0 || q.stop() {
			m, mergeErr := q.replaceAll(places)
			m.how = strategy.name
			if err == nil {
				err = mergeErr
			}
			return m, err
		}
	}
	return match{}, nil
}

// replaceAll returns the changes at the places of old.
func (q *query) replaceAll(places []place) (match, error) {
	var m match
	if len(places) > 1 && !q.multiple {
		m.count = len(places)
		for _, p := range places[:min(len(places), maxNamed)] {
			m.lines = append(m.lines, q.numbers(p))
		}
		return m, nil
	}
	for i, p := range places {
		if i > 0 && p.start < places[i-1].end {
			m.count = len(places)
			return m, &unclear{places: [][2]int{q.numbers(places[i-1]), q.numbers(p)}, reason: "they overlap"}
		}
		c, found, err := q.merge(p)
		if err != nil {
			m.count = len(places)
			return m, err
		}
		m.add(c)
		if len(m.lines) < maxNamed {
			m.lines = append(m.lines, q.numbers(p))
		}
		m.differences.add(found)
	}
	return m, nil
}

// numbers returns the numbers of the first and last line of a place, starting at 1.
func (q *query) numbers(p place) [2]int {
	return [2]int{p.first + 1, p.first + 1 + strings.Count(q.text[p.start:p.end], "\n")}
}
