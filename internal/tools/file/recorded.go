package file

import (
	"errors"
	"fmt"
	"strings"
)

// recordedChange is a change in a recorded diff: lines with their ends in the place of others, between lines
// that stay, as far as the diff has these.
type recordedChange struct {
	at            int // index of the first new line in the new text
	old, new      []string
	before, after []string
}

// parseDiff reads a diff that [unified] has written.
func parseDiff(diff string) ([]recordedChange, error) {
	var list []recordedChange
	var h recordedHunk
	hasHunk := false
	for line := range strings.Lines(diff) {
		begins := strings.HasPrefix(line, "@@ ")
		switch {
		case begins && h.from == 0 && h.to == 0:
			list = append(list, h.changes()...)
			h, hasHunk = recordedHunk{}, true
			var err error
			if h.at, h.from, h.to, err = parseHunkHeader(line); err != nil {
				return nil, err
			}
			continue
		case !hasHunk: // the header
			continue
		}
		if err := h.add(line[0], line[1:]); err != nil {
			return nil, err
		}
	}
	if h.from != 0 || h.to != 0 {
		return nil, errors.New("fewer lines than announced")
	}
	return append(list, h.changes()...), nil
}

// recordedHunk is a part of a recorded diff.
type recordedHunk struct {
	at       int // index of the first line in the new text
	from, to int // lines of the old and the new text that are to come
	lines    []signedLine
}

type signedLine struct {
	sign byte // ' ', '-' or '+'
	text string
}

func (h *recordedHunk) add(sign byte, text string) error {
	switch sign {
	case ' ':
		h.from, h.to = h.from-1, h.to-1
	case '-':
		h.from--
	case '+':
		h.to--
	case '\\': // the line before has no end
		if n := len(h.lines); n > 0 {
			h.lines[n-1].text = strings.TrimSuffix(h.lines[n-1].text, "\n")
		}
		return nil
	default:
		return errors.New("a line without a sign")
	}
	if h.from < 0 || h.to < 0 {
		return errors.New("more lines than announced")
	}
	h.lines = append(h.lines, signedLine{sign, text})
	return nil
}

// changes returns the changes in the hunk. Lines between two of them are around both.
func (h *recordedHunk) changes() []recordedChange {
	var list []recordedChange
	var stay []string // since the last change
	at := h.at
	for i, l := range h.lines {
		if l.sign == ' ' {
			stay = append(stay, l.text)
			at++
			continue
		}
		if n := len(list); n == 0 || h.lines[i-1].sign == ' ' {
			if n > 0 {
				list[n-1].after = stay
			}
			list = append(list, recordedChange{at: at, before: stay})
			stay = nil
		}
		c := &list[len(list)-1]
		if l.sign == '-' {
			c.old = append(c.old, l.text)
		} else {
			c.new = append(c.new, l.text)
			at++
		}
	}
	if n := len(list); n > 0 {
		list[n-1].after = stay
	}
	return list
}

// parseHunkHeader reads "@@ -1,2 +1,3 @@". It returns the index of the first new line, and the numbers of
// lines.
func parseHunkHeader(line string) (at, from, to int, err error) {
	fields := strings.Fields(line)
	if len(fields) != 4 || fields[3] != "@@" {
		return 0, 0, 0, errors.New("not the header of a hunk")
	}
	parse := func(field, sign string) (first, n int, err error) {
		n = 1
		format, to := sign+"%d", []any{&first}
		if strings.Contains(field, ",") {
			format, to = format+",%d", append(to, &n)
		}
		if _, err = fmt.Sscanf(field, format, to...); err == nil && (first < 0 || n < 0 || first > maxFile || n > maxFile) {
			err = errors.New("not a range of lines")
		}
		if n > 0 {
			first--
		}
		return max(first, 0), n, err
	}
	if _, from, err = parse(fields[1], "-"); err == nil {
		at, to, err = parse(fields[2], "+")
	}
	return at, from, to, err
}

// reverse returns the changes that undo recorded ones in a text. ok is false if it does not have their new
// lines, if they can be in several places, or if two lines would become one.
func reverse(text string, recorded []recordedChange) (changes []change, ok bool) {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	next, offset, moved := 0, 0, 0 // index of the first line after the last change, its offset, and how far lines have moved
	for _, c := range recorded {
		at, ok := c.find(lines, next, c.at+moved, len(recorded))
		if !ok {
			return nil, false
		}
		moved = at - c.at
		offset += sizeOf(lines[next:at])
		next = at + len(c.new)
		end := offset + sizeOf(c.new)
		old := strings.Join(c.old, "")
		isAfterHalf := old != "" && at > 0 && !strings.HasSuffix(lines[at-1], "\n")
		isBeforeMore := old != "" && next < len(lines) && !strings.HasSuffix(old, "\n")
		if isAfterHalf || isBeforeMore {
			return nil, false
		}
		changes = append(changes, change{start: offset, end: end, text: old})
		offset = end
	}
	return changes, true
}

// find returns where lines have the new lines of the change, from first on: with all lines around them, at
// the usual index or at the only one; else at the only one with half of the lines around them, or with all on
// one side; else at the usual index, if they are nowhere else.
func (c *recordedChange) find(lines []string, first, usual, changes int) (int, bool) {
	const most = 1 << 24 // lines to look at
	isEmpty := len(c.before)+len(c.new)+len(c.after) == 0
	if usual >= first && c.match(lines, usual) == matchesAll {
		return usual, !isEmpty || len(lines) == 0
	}
	if len(lines)*changes > most || isEmpty {
		return 0, false
	}
	var found [matchesAll + 1]int // number of places
	var last [matchesAll + 1]int
	for i := first; i+len(c.new) <= len(lines); i++ {
		m := c.match(lines, i)
		found[m]++
		last[m] = i
	}
	switch {
	case found[matchesAll] > 0:
		return last[matchesAll], found[matchesAll] == 1
	case found[matchesMost] > 0:
		return last[matchesMost], found[matchesMost] == 1
	}
	return usual, len(c.new) > 0 && found[matchesBare] == 1 && last[matchesBare] == usual
}

// matching is how much lines at a place are like the new lines of a change and those around them.
type matching int

const (
	matchesNot  matching = iota
	matchesBare          // the new lines
	matchesMost          // with half of those around them, or all on one side
	matchesAll           // with all of them
)

// match compares the lines at an index.
func (c *recordedChange) match(lines []string, at int) matching {
	count := func(at int, want []string) (n int) {
		for k, line := range want {
			if i := at + k; i >= 0 && i < len(lines) && lines[i] == line {
				n++
			}
		}
		return n
	}
	if at < 0 || at+len(c.new) > len(lines) || count(at, c.new) < len(c.new) {
		return matchesNot
	}
	before, after := count(at-len(c.before), c.before), count(at+len(c.new), c.after)
	isBefore, isAfter := before == len(c.before), after == len(c.after)
	switch {
	case isBefore && isAfter:
		return matchesAll
	case isBefore && before > 0, isAfter && after > 0, 2*(before+after) >= len(c.before)+len(c.after):
		return matchesMost
	}
	return matchesBare
}

func sizeOf(lines []string) int {
	n := 0
	for _, line := range lines {
		n += len(line)
	}
	return n
}
