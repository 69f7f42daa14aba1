package file

import (
	"slices"
	"strings"
)

// flexible finds lines that differ from those of old only in white space at their beginning
// and end, and in the number of blank lines between them.
func (q *query) flexible() ([]place, error) {
	places := q.sameLines()
	if len(places) > 0 && q.multiple {
		return places, nil
	}
	for _, p := range q.withoutBlanks() {
		if !slices.ContainsFunc(places, func(other place) bool { return other.start == p.start && other.end == p.end }) {
			places = append(places, p)
		}
	}
	slices.SortFunc(places, func(a, b place) int { return a.start - b.start })
	return places, nil
}

// otherCase finds the only lines that differ from those of old in the case of letters, and in
// white space at their beginning and end.
func (q *query) otherCase() ([]place, error) {
	places := q.linesLike(func(line string) string { return strings.ToLower(strings.TrimSpace(line)) })
	if len(places) != 1 {
		return nil, nil
	}
	return places, nil
}

// sameLines finds lines that differ from those of old only in white space at their beginning
// and end.
func (q *query) sameLines() []place { return q.linesLike(strings.TrimSpace) }

// linesLike finds lines that are the same as those of old in this form.
func (q *query) linesLike(form func(string) string) []place {
	want := q.oldLines()
	for i := range want {
		want[i] = form(want[i])
	}
	if blank(q.old) || strings.Count(q.text, "\n") > maxLines {
		return nil // (every blank line would match)
	}
	lines := q.spans()
	same := sequence(len(want))
	var places []place
	for _, i := range q.sequences(len(lines), func(i int) string { return form(q.line(i)) }, want) {
		places = append(places, place{lines[i].start, lines[i+len(want)-1].end, i, same})
	}
	return places
}

// oldLines returns the lines of old. A final "\n" does not begin another line.
func (q *query) oldLines() []string {
	return strings.Split(strings.TrimSuffix(q.old, "\n"), "\n")
}

// withoutBlanks finds lines that differ from those of old only in white space at their
// beginning and end, and in the number of blank lines between them.
func (q *query) withoutBlanks() []place {
	given := q.oldLines()
	var want []string
	for _, line := range given {
		if !blank(line) {
			want = append(want, strings.TrimSpace(line))
		}
	}
	if len(want) < 2 || blank(given[0]) || blank(given[len(given)-1]) || strings.Count(q.text, "\n") > maxLines {
		return nil
	}
	lines := q.spans()
	var solid []int // numbers of the lines that are not blank
	for i, l := range lines {
		if !blank(q.text[l.start:l.end]) {
			solid = append(solid, i)
		}
	}
	var places []place
	for _, i := range q.sequences(len(solid), func(i int) string {
		l := lines[solid[i]]
		return strings.TrimSpace(q.text[l.start:l.end])
	}, want) {
		first, last := solid[i], solid[i+len(want)-1]
		p := place{start: lines[first].start, end: lines[last].end, first: first}
		p.align = q.alignBlanks(given, solid[i:i+len(want)])
		places = append(places, p)
	}
	return places
}

// alignBlanks returns the align of a place whose lines that are not blank are those with the
// given numbers. The first blank lines between two others correspond to each other.
func (q *query) alignBlanks(given []string, numbers []int) []int {
	align := make([]int, len(given))
	next, solid := numbers[0], 0
	for i, line := range given {
		switch {
		case !blank(line):
			align[i] = numbers[solid] - numbers[0]
			next = numbers[solid] + 1
			solid++
		case next < numbers[min(solid, len(numbers)-1)]:
			align[i] = next - numbers[0]
			next++
		default:
			align[i] = -1
		}
	}
	return align
}

// sequences returns where the wanted lines are among n lines. They may overlap.
func (q *query) sequences(n int, line func(int) string, want []string) []int {
	trimmed := make([]string, n)
	for i := range n {
		trimmed[i] = line(i)
	}
	var starts []int
	work := 0
	for i := 0; i+len(want) <= n; i++ {
		same := 0
		for same < len(want) && trimmed[i+same] == want[same] {
			work += len(want[same]) + 1
			same++
		}
		if work++; work > budget || i%1024 == 0 && q.stop() {
			return nil
		}
		if same == len(want) {
			starts = append(starts, i)
		}
	}
	return starts
}

// budget is the number of bytes that flexible and tokens compare at most. (Normal texts need a
// few per line.)
const budget = 5e7

// maxLines is the maximum number of lines of a text for comparing line by line.
const maxLines = 1 << 20

// span is the range of a line without its "\n".
type span struct{ start, end int }

// spans returns the lines of the text.
func (q *query) spans() []span {
	if q.lines == nil {
		q.lines = splitLines(q.text)
	}
	return q.lines
}

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
