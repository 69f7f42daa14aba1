package file

import (
	"fmt"
	"strings"
)

// maxShown is the number of places that a result lists with their text.
const maxShown = 5

// insideWords describes the places of an edit of several places that are parts of longer words, "" if there are none.
func (e *edit) insideWords() string {
	if e.how != "exact" || e.count < 2 {
		return ""
	}
	var list []string
	count, lines := 0, e.firstLines()
	first := e.changes[0]
	head, tail := sharedEnds(elements(e.before.text[first.start:first.end]), elements(first.text)) // the same of all places
	for i, c := range e.changes {
		word := longerWord(e.before.text, c.start+head, c.end-tail)
		if word == "" {
			continue
		}
		if count++; count <= maxShown {
			list = append(list, fmt.Sprintf("line %d (%s)", lines[i], shortQuote(word)))
		}
	}
	if count == 0 {
		return ""
	}
	if count > maxShown {
		list = append(list, fmt.Sprintf("%d more", count-maxShown))
	}
	return fmt.Sprintf("%d of %d replaced places were inside longer words: %s. Undo those that you did not mean.", count, e.count, enumeration(list))
}

// sharedEnds returns the size of the elements that two texts share at their beginnings and at their ends.
func sharedEnds(a, b []string) (head, tail int) {
	start, end := 0, 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		head += len(a[start])
		start++
	}
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		tail += len(a[len(a)-1-end])
		end++
	}
	return head, tail
}

// longerWord returns the words that begin or end outside of the bytes from start to end of a text, with these bytes;
// "" if there is none.
func longerWord(text string, start, end int) string {
	from, to := start, end
	if isWithinWord(text, start) {
		for from > 0 && isWordByte(text[from-1]) {
			from--
		}
	}
	if isWithinWord(text, end) {
		for to < len(text) && isWordByte(text[to]) {
			to++
		}
	}
	if from == start && to == end {
		return ""
	}
	return text[from:to]
}

// isWithinWord reports whether an offset is between two characters of a word.
func isWithinWord(text string, at int) bool {
	return at > 0 && at < len(text) && isWordByte(text[at-1]) && isWordByte(text[at])
}

// minRename is the number of places from which on the result of a rename lists lines.
const minRename = 4

// renamed returns the first lines of the new text that a rename has changed, with their numbers; "" for an edit that is
// none: it replaces many occurrences of one word by one other.
func (e *edit) renamed(old, replacement string) string {
	isName := func(s string) bool { return isWord(s) && len(elements(s)) == 1 }
	if e.how != "exact" || e.count < minRename || !isName(old) || !isName(replacement) {
		return ""
	}
	var out []string
	rows, last := splitLines(e.after.text), 0
	for _, n := range e.firstLines() {
		switch {
		case n == last:
			continue
		case len(out) == maxShown:
			return strings.Join(append(out, "..."), "\n")
		}
		last = n
		out = append(out, fmt.Sprintf("line %d: %s", n, partAround(validText([]byte(e.after.text[rows[n-1].start:rows[n-1].end])), 0)))
	}
	return strings.Join(out, "\n")
}
