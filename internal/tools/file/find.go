package file

import "strings"

// change replaces the text from start to end with text.
type change struct {
	start, end int // bytes
	text       string
}

// trimmed returns c without the text that it repeats at its beginning and its end.
func (c change) trimmed(text string) change {
	n := commonPrefix(text[c.start:c.end], c.text)
	c.start, c.text = c.start+n, c.text[n:]
	n = commonSuffix(text[c.start:c.end], c.text)
	c.end, c.text = c.end-n, c.text[:len(c.text)-n]
	return c
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
	isCut          bool // see merger
	// stop is called regularly to check whether to give up.
	stop  func() bool
	spans []span // lines of text, see lines
}

// place is a block of lines of the text that old may mean.
type place struct {
	start, end int // bytes, from a line start; without the line end
	first      int // number of the first line, starting at 0
	// align has the index of the line in the block for each line of old, or -1 for a blank
	// line that is not there. Lines of the block that no line of old has are blank.
	align []int
}

// unclear is the reason why an edit is not made although there is a place that old may mean:
// the result would be a guess.
type unclear struct {
	exact  bool     // whether old is there as it is
	places [][2]int // first and last lines of the places that it may mean, starting at 1
	reason string   // the objection, as the rest of a sentence after "but"
	lines  string   // the lines of the file for the model, "" for none
	advice string   // the next step, "" for sending the edit again with these lines
}

func (u *unclear) Error() string { return u.reason }

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
		find func() (match, error)
	}{
		{"flexible", func() (match, error) { return q.replaceAll(q.linesLike(strings.TrimSpace)) }},
		{"regex", func() (match, error) { return q.replaceAll(q.linesLike(bare)) }},
		{"regex", q.spaced},
		{"flexible", q.partial},
		{"fuzzy", func() (match, error) { return q.replaceAll(q.linesLike(foldCase)) }},
		{"fuzzy", q.fuzzy},
	} {
		m, err := strategy.find()
		if err != nil || m.count > 0 || q.stop() {
			m.how = strategy.name
			return m, err
		}
	}
	return match{}, nil
}

// fuzzy replaces the block of lines that is most similar to old.
func (q *query) fuzzy() (match, error) {
	places, err := q.similar()
	if err != nil {
		return match{}, err
	}
	return q.replaceAll(places)
}

func bare(s string) string { return strings.Join(strings.Fields(s), "") }

func foldCase(line string) string { return strings.ToLower(strings.TrimSpace(line)) }

func (q *query) replaceAll(places []place) (match, error) {
	m := match{count: len(places)}
	if len(places) > 1 && !q.multiple {
		for _, p := range places[:min(len(places), maxNamed)] {
			m.lines = append(m.lines, q.numbers(p))
		}
		return m, nil
	}
	m.count = 0
	for i, p := range places {
		if i > 0 && p.start < places[i-1].end {
			m.count = len(places)
			return m, &unclear{places: [][2]int{q.numbers(places[i-1]), q.numbers(p)}, reason: "they overlap"}
		}
		c, found, err := q.merge(p)
		if err != nil {
			m.count = len(places)
			err.places = [][2]int{q.numbers(p)}
			err.lines = q.excerpt(err.places[0][0]-1, err.places[0][1]-1)
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

// linesLike finds lines that are the same as those of old in this form, apart from the number of
// blank lines between them.
func (q *query) linesLike(form func(string) string) []place {
	given, lines := q.oldLines(), q.lines()
	if blank(q.old) || len(lines) > maxLines {
		return nil // (every blank line would match)
	}
	var want, have []string
	var solid []int // numbers of the lines that are not blank
	for _, line := range given {
		if !blank(line) {
			want = append(want, form(line))
		}
	}
	for i := range lines {
		if line := q.line(i); !blank(line) {
			have, solid = append(have, form(line)), append(solid, i)
		}
	}
	above, below := 0, 0 // blank lines of old
	for blank(given[above]) {
		above++
	}
	for blank(given[len(given)-1-below]) {
		below++
	}
	var places []place
	for _, i := range q.sequences(have, want) {
		numbers := solid[i : i+len(want)]
		first, last := numbers[0]-above, numbers[len(want)-1]+below
		if first < 0 || last >= len(lines) || !blank(q.text[lines[first].start:lines[numbers[0]].start]) ||
			!blank(q.text[lines[numbers[len(want)-1]].end:lines[last].end]) {
			continue
		}
		places = append(places, place{lines[first].start, lines[last].end, first, alignBlanks(given, numbers, first, last)})
	}
	return places
}

// alignBlanks returns the align of a place from line first to last whose lines that are not blank
// have these numbers. The first blank lines between two others correspond to each other.
func alignBlanks(given []string, numbers []int, first, last int) []int {
	align := make([]int, len(given))
	next, solid := first, 0
	for i, line := range given {
		end := last + 1
		if solid < len(numbers) {
			end = numbers[solid]
		}
		switch {
		case !blank(line):
			next = numbers[solid]
			solid++
		case next >= end:
			align[i] = -1
			continue
		}
		align[i] = next - first
		next++
	}
	return align
}

// sequences returns where the wanted lines are among others. They may overlap.
func (q *query) sequences(have, want []string) []int {
	var starts []int
	work := 0
	for i := 0; i+len(want) <= len(have); i++ {
		same := 0
		for same < len(want) && have[i+same] == want[same] {
			work += len(want[same]) + 1
			same++
		}
		if work++; work > compareBudget || i%1024 == 0 && q.stop() {
			return nil
		}
		if same == len(want) {
			starts = append(starts, i)
		}
	}
	return starts
}

// compareBudget is the number of bytes of lines that a search compares at most. Normal texts need a few per line.
const compareBudget = 5e7

// maxLines is the maximum number of lines of a text for comparing line by line.
const maxLines = 1 << 20

// oldLines returns the lines of old. A final "\n" does not begin another line.
func (q *query) oldLines() []string {
	return strings.Split(strings.TrimSuffix(q.old, "\n"), "\n")
}

func (q *query) lines() []span {
	if q.spans == nil {
		q.spans = splitLines(q.text)
	}
	return q.spans
}

// line returns a line of the text by its number, starting at 0.
func (q *query) line(i int) string {
	l := q.lines()[i]
	return q.text[l.start:l.end]
}

// span is the range of a line without its "\n".
type span struct{ start, end int }

// splitLines returns the lines of text. A final "\n" does not begin another line.
func splitLines(text string) []span {
	lines := make([]span, 0, strings.Count(text, "\n")+1)
	for i := 0; i < len(text); {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return append(lines, span{i, len(text)})
		}
		lines = append(lines, span{i, i + n})
		i += n + 1
	}
	return lines
}
