package file

import (
	"slices"
	"strings"
)

// reading is a way to understand the indentation of new_string: it returns the indentation in
// the file for a line. ok is false if it does not say what that is. lone is true for the line
// in the place of the one line whose indentation differs from the file's.
type reading func(indent string, lone bool) (result string, ok bool)

// pair is the indentation of a line in old_string, and of the same line in the file.
type pair struct {
	old, file string
	line      int // index in old_string
}

func indentOf(line string) string { return line[:skip(line, 0, " \t")] }

// unchanged is the reading for texts that are indented like the file.
func unchanged(indent string, _ bool) (string, bool) { return indent, true }

// undecided is a reading that never says what the indentation is.
func undecided(string, bool) (string, bool) { return "", false }

// differing returns the pairs that do not agree.
func differing(pairs []pair) []pair {
	var d []pair
	for _, p := range pairs {
		if p.old != p.file {
			d = append(d, p)
		}
	}
	return d
}

// loneSlip returns the reading in which old_string has another indentation than the file in
// one line only, d, by mistake: other lines are indented like the file. first reports whether
// it is the first line that is not blank.
func loneSlip(d pair, first bool) reading {
	return func(indent string, lone bool) (string, bool) {
		switch {
		case lone && (indent == d.old || indent == d.file):
			return d.file, true
		case lone, indent == d.old && (!first || indent != ""):
			return "", false // the slip may be repeated here
		}
		return indent, true
	}
}

// shifts returns the readings in which all lines move in the same way from the indentation of
// old_string to that of the file, and which explain all pairs. call has the indentations of
// all lines of old_string and new_string. unit is the number of spaces of a level in the file,
// 0 if that is not known.
func shifts(pairs []pair, call []string, unit int) []reading {
	var all []reading
	for _, candidates := range [][]reading{constantShifts(pairs, call), spacesToTabs(pairs, call), tabsToSpaces(pairs, call, unit), otherWidths(pairs, call, unit)} {
		for _, to := range candidates {
			if explains(to, pairs) {
				all = append(all, to)
			}
		}
	}
	return all
}

// explains reports whether a reading makes the file's indentation of that of old for all
// pairs.
func explains(to reading, pairs []pair) bool {
	for _, p := range pairs {
		if indent, ok := to(p.old, false); !ok || indent != p.file {
			return false
		}
	}
	return true
}

// constantShifts is for lines that have so much more, or less, at their beginning in the file.
func constantShifts(pairs []pair, call []string) []reading {
	p := pairs[0]
	if more, ok := strings.CutSuffix(p.file, p.old); ok {
		spaced := strings.Contains(more, "\t") && step(call) > 1 && !hasTabs(call)
		return []reading{func(indent string, _ bool) (string, bool) {
			if spaced && len(indent) > 1 && !showsSpaces(pairs) {
				return "", false // the call is indented with spaces, and the file with tabs
			}
			return more + indent, true
		}}
	}
	if less, ok := strings.CutSuffix(p.old, p.file); ok {
		return []reading{func(indent string, _ bool) (string, bool) { return strings.CutPrefix(indent, less) }}
	}
	return nil
}

// showsSpaces reports whether there are lines in the file that are indented with spaces after
// tabs.
func showsSpaces(pairs []pair) bool {
	for _, p := range pairs {
		if strings.Contains(p.file, "\t ") {
			return true
		}
	}
	return false
}

// hasTabs reports whether one of the indentations has a tab.
func hasTabs(indents []string) bool {
	for _, i := range indents {
		if strings.Contains(i, "\t") {
			return true
		}
	}
	return false
}

// step returns the largest number of spaces that divides the widths of all indentations, 0 if
// none has a width.
func step(indents []string) int {
	n := 0
	for _, i := range indents {
		n = divisor(n, len(i))
	}
	return n
}

// divisor returns the greatest common divisor.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// widths returns the numbers of spaces that are likely to be a level of indentation if all
// indentations are multiples of step. Smaller ones are likely only if then all lines are as
// deep in the call as in the file.
func widths(step int) []int {
	if step >= 2 && step <= 4 {
		return []int{step}
	}
	var all []int
	for _, n := range []int{2, 3, 4, 8} {
		if step == 1 || step%n == 0 && (n > 2 || step%4 != 0) {
			all = append(all, n)
		}
	}
	return all
}

// spacesToTabs is for a call with spaces and a file with tabs: so many spaces are a tab, and
// all lines are some tabs deeper in the file.
func spacesToTabs(pairs []pair, call []string) []reading {
	tabs := strings.Count(pairs[0].file, "\t")
	if hasTabs(call) {
		return nil
	}
	var all []reading
	likely := widths(step(call))
	for _, width := range []int{2, 3, 4, 8} {
		deeper := tabs - len(pairs[0].old)/width
		if !slices.Contains(likely, width) && (deeper != 0 || step(call)%width != 0) {
			continue
		}
		all = append(all, func(indent string, _ bool) (string, bool) {
			level := len(indent)/width + deeper
			if level < 0 {
				return "", false
			}
			return strings.Repeat("\t", level) + strings.Repeat(" ", len(indent)%width), true
		})
	}
	return all
}

// tabsToSpaces is for a call with tabs and a file with spaces.
func tabsToSpaces(pairs []pair, call []string, unit int) []reading {
	for _, p := range pairs {
		if strings.Contains(p.file, "\t") {
			return nil
		}
	}
	if !hasTabs(call) {
		return nil
	}
	units := []int{2, 3, 4, 8}
	if unit > 0 && !distinctDepths(pairs) {
		units = []int{unit}
	}
	width := func(indent string, unit int) int {
		n := strings.Count(indent, "\t")
		return n*unit + len(indent) - n
	}
	var all []reading
	for _, u := range units {
		deeper := len(pairs[0].file) - width(pairs[0].old, u)
		all = append(all, func(indent string, _ bool) (string, bool) {
			n := width(indent, u) + deeper
			if n < 0 {
				return "", false
			}
			return strings.Repeat(" ", n), true
		})
	}
	return all
}

// distinctDepths reports whether old_string has lines of several depths.
func distinctDepths(pairs []pair) bool {
	for _, p := range pairs {
		if p.old != pairs[0].old {
			return true
		}
	}
	return false
}

// otherWidths is for a call and a file that both indent with spaces, but have another number
// of them for a level.
func otherWidths(pairs []pair, call []string, unit int) []reading {
	for _, p := range pairs {
		if strings.Contains(p.file, "\t") {
			return nil
		}
	}
	if hasTabs(call) {
		return nil
	}
	units := []int{2, 3, 4, 8}
	if unit > 0 && !distinctDepths(pairs) {
		units = []int{unit}
	}
	var all []reading
	likely := widths(step(call))
	for _, from := range []int{2, 3, 4, 8} {
		for _, to := range units {
			width := func(n int) int { return n/from*to + n%from }
			deeper := len(pairs[0].file) - width(len(pairs[0].old))
			if from == to || deeper < 0 || !slices.Contains(likely, from) && (deeper != 0 || step(call)%from != 0) {
				continue
			}
			all = append(all, func(indent string, _ bool) (string, bool) {
				n := width(len(indent)) + deeper
				if n < 0 {
					return "", false
				}
				return strings.Repeat(" ", n), true
			})
		}
	}
	return all
}

// indentUnit returns the number of spaces that most lines of a text are indented more than the
// line before, 0 if there are no such lines or no clear number.
func indentUnit(text string, lines []span) int {
	var counts [9]int
	total, last := 0, 0
	for _, l := range lines {
		line := text[l.start:l.end]
		if blank(line) {
			continue
		}
		n := skip(line, 0, " ")
		if n < len(line) && line[n] == '\t' {
			continue
		}
		if more := n - last; more > 0 && more < len(counts) {
			counts[more]++
			total++
		}
		last = n
	}
	for n := 2; n < len(counts); n++ {
		if counts[n]*4 > total*3 {
			return n
		}
	}
	return 0
}
