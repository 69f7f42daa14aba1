package file

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"

	"pollux/llm/ellipsis"
)

// Limits of a part of the file in an error.
const (
	maxExcerpt     = 15   // lines
	maxExcerptLine = 300  // characters of a line
	maxLikeLines   = 1000 // lines that are compared character by character
)

// excerpt returns lines of the text from one number to another, starting at 0, for the model.
func (q *query) excerpt(first, last int) string {
	lines := q.lines()
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

// shortLine returns the beginning of a long line.
func shortLine(line string) string { return ellipsis.Bytes(line, maxExcerptLine) }

// nearest describes the lines that are most similar to old, and their first difference from
// it.
func (q *query) nearest() string {
	const general = "old_string must be the text of the file to the letter: white space, indentation and line breaks as they are, nothing escaped. "
	first := q.mostLike()
	if first < 0 {
		return general + "Nothing like it was found: look at the file with read_file, then try again with what is really there."
	}
	given := q.oldLines()
	last := min(first+len(given), len(q.lines())) - 1
	where := atLines([][2]int{{first + 1, last + 1}}, 1)
	return fmt.Sprintf("The most similar text is at %s. %s\n%s", where, q.firstDifference(first, given), q.excerpt(first, last))
}

// firstDifference describes how the text from a line on differs from lines of old.
func (q *query) firstDifference(first int, given []string) string {
	for i, line := range given {
		if first+i >= len(q.lines()) {
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
	if len(given) > maxLines || len(q.lines()) > maxLines {
		return -1
	}
	at := map[string][]int{} // lines of old
	longest := 0
	for i, line := range given {
		line = strings.TrimSpace(line)
		if len(line) > 4 && len(at[line]) < maxExcerpt { // not "}" or "else"
			at[line] = append(at[line], i)
		}
		if len(line) > len(strings.TrimSpace(given[longest])) {
			longest = i
		}
	}
	want := shortLine(strings.TrimSpace(given[longest]))
	votes := map[int]int{}
	best, most := -1, 0
	similar, least, compared := -1, len(want)/3, 0
	for n := range q.lines() {
		if n%1024 == 0 && q.stop() {
			return -1
		}
		line := strings.TrimSpace(q.line(n))
		for _, i := range at[line] {
			start := max(0, n-i)
			if votes[start]++; votes[start] > most {
				best, most = start, votes[start]
			}
		}
		line = shortLine(line)
		if compared < maxLikeLines && len(want) >= 4 && abs(len(line)-len(want)) < least && bagDistance(line, want) < least {
			if d := levenshtein.ComputeDistance(line, want); d < least {
				similar, least = max(0, n-longest), d
			}
			compared++
		}
	}
	if best < 0 {
		return similar
	}
	return best
}
