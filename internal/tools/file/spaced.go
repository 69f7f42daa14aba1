package file

import (
	"slices"
	"strings"
)

// spaced finds old within a longer line that differs from it only in white space at brackets and separators. It makes
// no change if there are several such places, or if new has line breaks, whose indentation would be a guess.
func (q *query) spaced() (match, error) {
	want := words(elements(q.old))
	if q.multiple || len(want) < 3 || !slices.ContainsFunc(want, isWord) || strings.Contains(q.old+q.new, "\n") || len(q.lines()) > maxLines {
		return match{}, nil
	}
	var places []place
	whole := *q // with the lines of the file around old and new
	for i, l := range q.lines() {
		if i%1024 == 0 && q.stop() {
			return match{}, nil
		}
		line := q.line(i)
		for _, at := range occurrences(line, want) {
			part := line[at.start:at.end]
			if !isSpaced(q.old, findSlips(q.old, part)) {
				continue
			}
			places = append(places, place{l.start, l.end, i, []int{0}})
			whole.old, whole.new = line[:at.start]+q.old+line[at.end:], line[:at.start]+q.new+line[at.end:]
		}
	}
	return whole.replaceAll(places)
}

// isSpaced reports whether all slips of a line are spacing.
func isSpaced(line string, slips []slip) bool {
	all := elements(line)
	return !slices.ContainsFunc(slips, func(s slip) bool { return !s.isSpacing(all) })
}

// words returns the elements that are not white space.
func words(all []string) []string { return slices.DeleteFunc(slices.Clone(all), blank) }

// occurrences returns where a line has these elements in a row, with any white space between them.
func occurrences(line string, want []string) (found []span) {
	var have []span // the elements that are not white space
	at := 0
	for _, e := range elements(line) {
		if !blank(e) {
			have = append(have, span{at, at + len(e)})
		}
		at += len(e)
	}
	for i := 0; i+len(want) <= len(have); i++ {
		n := 0
		for n < len(want) && line[have[i+n].start:have[i+n].end] == want[n] {
			n++
		}
		if n == len(want) {
			found = append(found, span{have[i].start, have[i+n-1].end})
		}
	}
	return found
}
