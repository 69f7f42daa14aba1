package file

import (
	"fmt"
	"strings"
)

// Limits of a part of the file in an error.
const (
	maxExcerpt     = 15   // lines
	maxExcerptLine = 300  // characters of a line
	maxLikeLines   = 1000 // lines that are compared character by character
)

// excerpt returns lines of the text from one number to another, starting at 0, for the model.
func (q *query) excerpt(first, last int) string {
	lines := q.spans()
	last = min(last, len(lines)-1)
	var out []string
	for i := first; i <= last; i++ {
		if len(out) == maxExcerpt {
			out = append(out, fmt.Sprintf("... (%d more lines)", last-i+1))
			break
		}
		out = append(out, shortLine(q.line(i)))
	}
	return validText([]byte(strings.Join(out, "\n")))
}

// line returns a line of the text by its number, starting at 0.
func (q *query) line(i int) string {
	l := q.spans()[i]
	return q.text[l.start:l.end]
}

// shortLine returns the beginning of a long line.
func shortLine(line string) string {
	if len(line) <= maxExcerptLine {
		return line
	}
	return strings.ToValidUTF8(line[:maxExcerptLine], "") + "..."
}

// nearest describes the lines that are most similar to old, and their first difference from
// it.
func (q *query) nearest() string {
	const general = "old_string must be the text of the file to the letter: white space, indentation and line breaks as they are, nothing escaped. "
	first := q.mostLike()
	if first < 0 {
		return general + "Nothing like it was found: look at the file with read_file, then try again with what is really there."
	}
	given := q.oldLines()
	last := min(first+len(given), len(q.spans())) - 1
	where := atLines([][2]int{{first + 1, last + 1}}, 1)
	return fmt.Sprintf("The most similar text is at %s. %s\n%s", where, q.firstDifference(first, given), q.excerpt(first, last))
}

// firstDifference describes how the text from a line on differs from lines of old.
func (q *query) firstDifference(first int, given []string) string {
	for i, line := range given {
		if first+i >= len(q.spans()) {
			return fmt.Sprintf("The file ends there, and old_string has %d more lines. The file has:", len(given)-i)
		}
		file := q.line(first + i)
		if file == line {
			continue
		}
		n := commonPrefix(file, line)
		n = strings.LastIndexAny(line[:n], " \t") + 1
		return fmt.Sprintf("The first difference is in line %d, which has %s where old_string has %s. The file has:",
			first+i+1, part(file[n:]), part(line[n:]))
	}
	return "The file has:"
}

// part quotes the beginning of the rest of a line.
func part(rest string) string {
	if rest == "" {
		return "the line end"
	}
	return shortQuote(validText([]byte(rest)))
}

// mostLike returns the number of the first line of the block that has the most lines of old at
// their places, or else has a line that is similar to the longest line of old; -1 if there is
// none.
func (q *query) mostLike() int {
	given := q.oldLines()
	if len(given) > maxLines || len(q.spans()) > maxLines {
		return -1
	}
	at := map[string][]int{} // lines of old
	longest := 0
	for i, line := range given {
		if b := body(line); wordy(b) && len(at[b]) < maxExcerpt {
			at[b] = append(at[b], i)
		}
		if len(body(line)) > len(body(given[longest])) {
			longest = i
		}
	}
	votes := map[int]int{}
	best, most := -1, 0
	for n := range q.spans() {
		if q.hopeless(n) {
			return -1
		}
		for _, i := range at[body(q.line(n))] {
			start := max(0, n-i)
			if votes[start]++; votes[start] > most {
				best, most = start, votes[start]
			}
		}
	}
	if best < 0 {
		best = q.likeLine(body(given[longest]), longest)
	}
	return best
}

// hopeless reports whether to give up the search at a line.
func (q *query) hopeless(line int) bool { return line%1024 == 0 && q.stop() }

// wordy reports whether a line has a word of some length, as "}" and "else" have not.
func wordy(line string) bool {
	for _, e := range elements(line) {
		if isWord(e) && len(e) > 4 || len(line) > 12 {
			return true
		}
	}
	return false
}

// likeLine returns the start of the block whose line with this index is most similar to a line
// of old, -1 if none has most of its characters.
func (q *query) likeLine(want string, index int) int {
	if want = shortLine(want); len(want) < 4 {
		return -1
	}
	best, least, compared := -1, len(want)/3, 0
	for n := range q.spans() {
		if q.hopeless(n) {
			return -1
		}
		line := shortLine(body(q.line(n)))
		if abs(len(line)-len(want)) >= least {
			continue
		}
		if bagDistance(line, want) >= least {
			continue
		}
		if d := distance(line, want); d < least {
			best, least = max(0, n-index), d
		}
		if compared++; compared == maxLikeLines {
			break
		}
	}
	return best
}
