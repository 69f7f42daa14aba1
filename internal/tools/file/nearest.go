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

// firstDifference describes how the text from a line on differs from lines of old: in words, or else in white space. The
// first line of old may be the end of one of the file, and the last line the beginning of one.
func (q *query) firstDifference(first int, given []string) string {
	spaced := -1
	for i, line := range given {
		if first+i >= len(q.lines()) {
			return fmt.Sprintf("The file ends there, and old_string has %d more lines. The file has:", len(given)-i)
		}
		file := q.line(first + i)
		isFirst, isLast := i == 0, i == len(given)-1
		switch {
		case agree(file, line, isFirst, isLast):
		case !agree(bare(file), bare(line), isFirst, isLast):
			file, line := strings.TrimLeft(file, " \t"), strings.TrimLeft(line, " \t")
			n := commonPrefix(file, line)
			n = strings.LastIndexAny(line[:n], " \t") + 1
			return fmt.Sprintf("The first difference is in line %d, which has %s where old_string has %s. The file has:",
				first+i+1, part(file[n:]), part(line[n:]))
		case spaced < 0:
			spaced = i
		}
	}
	if spaced < 0 {
		return "The file has:"
	}
	theirs, ours := spaceDifference(q.line(first+spaced), given[spaced])
	return fmt.Sprintf("Only white space differs, first in line %d, which has %s where old_string has %s. The file has:", first+spaced+1, theirs, ours)
}

// agree reports whether a line of the file is one of old, or ends or begins with it if that is the first or last one.
func agree(file, line string, isFirst, isLast bool) bool {
	return file == line || !blank(line) && (isFirst && strings.HasSuffix(file, line) || isLast && strings.HasPrefix(file, line))
}

// spaceDifference describes the first white space in which two lines differ.
func spaceDifference(file, line string) (theirs, ours string) {
	n := commonPrefix(file, line)
	n = len(strings.TrimRight(line[:n], " \t"))
	return describeSpace(indentOf(file[n:])), describeSpace(indentOf(line[n:]))
}

// describeSpace returns white space in words, such as "a tab" or "4 spaces".
func describeSpace(space string) string {
	var parts []string
	for len(space) > 0 {
		name, rest := "tab", strings.TrimLeft(space, space[:1])
		if space[0] == ' ' {
			name = "space"
		}
		if n := len(space) - len(rest); n == 1 {
			parts = append(parts, "a "+name)
		} else {
			parts = append(parts, plural(n, name))
		}
		space = rest
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, " and ")
}

// part quotes the beginning of the rest of a line.
func part(rest string) string {
	if rest == "" {
		return "the line end"
	}
	return shortQuote(validText([]byte(rest)))
}

// cutAlike returns which lines of old may be a part of this line: the first one if it ends with that, the last one if it
// begins with that.
func cutAlike(line string, given []string) (alike []int) {
	last := len(given) - 1
	if first := strings.TrimSpace(given[0]); len(first) > 4 && strings.HasSuffix(line, first) {
		alike = append(alike, 0)
	}
	if end := strings.TrimSpace(given[last]); len(end) > 4 && strings.HasPrefix(line, end) {
		alike = append(alike, last)
	}
	return alike
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
		alike := at[line]
		if alike == nil && len(given) > 1 {
			alike = cutAlike(line, given)
		}
		for _, i := range alike {
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
