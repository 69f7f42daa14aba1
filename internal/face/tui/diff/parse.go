package diff

import (
	"strconv"
	"strings"
)

// change is the kind of a line.
type change byte

const (
	kept    change = ' '
	removed change = '-'
	added   change = '+'
)

// line is a line of a difference.
type line struct {
	kind     change
	old, new int // its numbers in the two versions, from 1; 0 in a version that lacks it
	text     string
}

// number returns the number of the line in the new version, or that in the old one if it was removed.
func (l line) number() int {
	if l.kind == removed {
		return l.old
	}
	return l.new
}

// hunk is a group of changed lines with the lines around them.
type hunk struct{ lines []line }

// parse returns the hunks of a unified difference. It skips the lines that belong to none.
func parse(unified string) (hunks []hunk) {
	var old, next int // numbers of the next lines
	for text := range strings.Lines(unified) {
		text = strings.TrimRight(text, "\r\n")
		if first, second, ok := hunkHead(text); ok {
			old, next = first, second
			hunks = append(hunks, hunk{})
			continue
		}
		if len(hunks) == 0 {
			continue
		}
		h := &hunks[len(hunks)-1]
		if text == "" { // an empty kept line whose space was lost
			text = " "
		}
		l := line{kind: change(text[0]), text: text[1:]}
		switch l.kind {
		case kept:
			l.old, l.new = old, next
			old, next = old+1, next+1
		case removed:
			l.old = old
			old++
		case added:
			l.new = next
			next++
		default: // a note about the end of a file
			continue
		}
		h.lines = append(h.lines, l)
	}
	return hunks
}

// hunkHead returns the numbers of the first lines of a hunk from its head, "@@ -1,2 +3,4 @@".
func hunkHead(text string) (old, next int, ok bool) {
	text, isHead := strings.CutPrefix(text, "@@ -")
	text, _, isWhole := strings.Cut(text, " @@")
	first, second, hasBoth := strings.Cut(text, " +")
	if !isHead || !isWhole || !hasBoth {
		return 0, 0, false
	}
	old, next = number(first), number(second)
	return old, next, old >= 0 && next >= 0
}

// number returns the number before a comma, -1 if there is none.
func number(text string) int {
	text, _, _ = strings.Cut(text, ",")
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

// pairs returns the index of the partner of each changed line of a hunk: the n-th removed line of a group and the n-th
// added line that follows it. Lines without a partner have -1.
func (h hunk) pairs() []int {
	partners := make([]int, len(h.lines))
	for i := range partners {
		partners[i] = -1
	}
	for i := 0; i < len(h.lines); i++ {
		from := i
		for i < len(h.lines) && h.lines[i].kind == removed {
			i++
		}
		middle := i
		for i < len(h.lines) && h.lines[i].kind == added {
			i++
		}
		for n := 0; from+n < middle && middle+n < i; n++ {
			partners[from+n], partners[middle+n] = middle+n, from+n
		}
		if i > from {
			i--
		}
	}
	return partners
}
