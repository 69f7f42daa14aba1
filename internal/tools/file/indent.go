package file

import "strings"

// shift is how the indentation of a call's texts becomes that of the file.
type shift func(indent string) string

// pair is the indentation of a line in old_string, and of the same line in the file.
type pair struct{ old, file string }

// moved returns the lines of replacement indented for the place of a match: each is moved by
// the difference between the file's indentation and that of old, with the file's characters
// for the call's. Lines of white space become empty. If the match differs from old in more
// than its indentation, aligned is false, and only the first lines are compared.
func moved(matched, old, replacement string, aligned bool) string {
	pairs := indentPairs(matched, old, aligned)
	if agree(pairs) {
		return replacement
	}
	lines := strings.Split(replacement, "\n")
	to := findShift(pairs, append(strings.Split(old, "\n"), lines...))
	for i, line := range lines {
		if blank(line) {
			lines[i] = ""
			continue
		}
		indent := indentOf(line)
		lines[i] = to(indent) + line[len(indent):]
	}
	return strings.Join(lines, "\n")
}

func indentOf(line string) string { return line[:skip(line, 0, " \t")] }

// indentPairs returns the indentations of the lines that are compared.
func indentPairs(matched, old string, aligned bool) []pair {
	there, given := strings.Split(matched, "\n"), strings.Split(old, "\n")
	for len(given) > 1 && len(given) > len(there) && blank(given[0]) {
		given = given[1:]
	}
	n := 1
	if aligned && len(there) == len(given) {
		n = len(there)
	}
	var pairs []pair
	for i := range n {
		if !blank(there[i]) && !blank(given[i]) {
			pairs = append(pairs, pair{indentOf(given[i]), indentOf(there[i])})
		}
	}
	if len(pairs) == 0 {
		pairs = []pair{{indentOf(given[0]), indentOf(there[0])}}
	}
	return pairs
}

func agree(pairs []pair) bool {
	for _, p := range pairs {
		if p.old != p.file {
			return false
		}
	}
	return true
}

// findShift returns a shift that makes the file's indentation of that of old for all pairs; if
// there is none, for the first pair. call are all lines of the call's texts.
func findShift(pairs []pair, call []string) shift {
	for _, some := range [][]pair{pairs, pairs[:1]} {
		for _, find := range []func([]pair, []string) shift{spacesToTabs, tabsToSpaces, sameCharacter} {
			if to := find(some, call); to != nil {
				return to
			}
		}
	}
	first := pairs[0]
	return func(indent string) string {
		rest, _ := strings.CutPrefix(indent, first.old)
		if len(rest) == len(indent) {
			rest = ""
		}
		return first.file + rest
	}
}

// count returns the number of tabs at the start of an indentation, and of spaces after them. ok
// is false if there is a tab after a space.
func count(indent string) (tabs, spaces int, ok bool) {
	rest := strings.TrimLeft(indent, "\t")
	return len(indent) - len(rest), len(rest), !strings.Contains(rest, "\t")
}

// usesTabs reports whether any of the lines is indented with a tab.
func usesTabs(lines []string) bool {
	for _, line := range lines {
		if !blank(line) && strings.Contains(indentOf(line), "\t") {
			return true
		}
	}
	return false
}

// step returns the number of spaces that a call probably indents with, given the width of its
// lines: the largest one that divides all of them, 0 if none is indented.
func step(lines []string) int {
	n := 0
	for _, line := range lines {
		if !blank(line) {
			n = divisor(n, len(indentOf(line)))
		}
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

// spacesToTabs is for a call with spaces and a file with tabs: so many spaces are a tab, and
// all lines are some tabs deeper in the file.
func spacesToTabs(pairs []pair, call []string) shift {
	width := step(call)
	if usesTabs(call) || width == 0 {
		return nil
	}
	tabs := false
	for _, p := range pairs {
		tabs = tabs || strings.HasPrefix(p.file, "\t")
	}
	if !tabs {
		return nil
	}
	// As deep in the call as in the file is likelier than anything else. Then the widths
	// decide that models use.
	for _, deeper := range []bool{false, true} {
		for _, per := range []int{width, 4, 2, 8, 3, 1, 5, 6, 7} {
			if per > 8 { // nobody indents with more
				continue
			}
			to := func(indent string, by int) string {
				n := len(indent)
				return strings.Repeat("\t", max(0, n/per+by)) + strings.Repeat(" ", n%per)
			}
			there, _, _ := count(pairs[0].file)
			by := there - len(pairs[0].old)/per
			if by != 0 && !deeper || !fits(pairs, func(indent string) string { return to(indent, by) }) {
				continue
			}
			return func(indent string) string { return to(indent, by) }
		}
	}
	return nil
}

// tabsToSpaces is for a call with tabs and a file with spaces.
func tabsToSpaces(pairs []pair, call []string) shift {
	if !usesTabs(call) {
		return nil
	}
	var there []string
	for _, p := range pairs {
		if strings.Contains(p.file, "\t") {
			return nil
		}
		there = append(there, p.file+".") // a line that is not blank
	}
	for _, deeper := range []bool{false, true} {
		for _, per := range []int{step(there), 4, 2, 8, 3, 1, 5, 6, 7} {
			if per < 1 || per > 8 { // nobody indents with more
				continue
			}
			to := func(indent string, by int) string {
				tabs, spaces, _ := count(indent)
				return strings.Repeat(" ", max(0, tabs*per+spaces+by))
			}
			by := len(pairs[0].file) - len(to(pairs[0].old, 0))
			if by != 0 && !deeper || !fits(pairs, func(indent string) string { return to(indent, by) }) {
				continue
			}
			return func(indent string) string { return to(indent, by) }
		}
	}
	return nil
}

// sameCharacter is for a call and a file that indent with the same character: all lines are so
// many characters deeper in the file, or a step of the call is another number of them there.
// Other white space after the character stays.
func sameCharacter(pairs []pair, _ []string) shift {
	char := ""
	for _, p := range pairs {
		if indent := p.old + p.file; char == "" && indent != "" {
			char = indent[:1]
		}
	}
	depth := func(indent string) int { return len(indent) - len(strings.TrimLeft(indent, char)) }
	first, other := pairs[0], pairs[0]
	for _, p := range pairs {
		if depth(p.old) != depth(first.old) {
			other = p
		}
	}
	// Lines move as the points (depth in the call, depth in the file) lie.
	run, rise := depth(other.old)-depth(first.old), depth(other.file)-depth(first.file)
	if run == 0 {
		run, rise = 1, 1
	}
	if run < 0 {
		run, rise = -run, -rise
	}
	to := func(indent string) string {
		n := depth(indent)
		by := floorDiv((n-depth(first.old))*rise, run)
		return strings.Repeat(char, max(0, depth(first.file)+by)) + indent[n:]
	}
	if rise <= 0 || !fits(pairs, to) {
		return nil
	}
	return to
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// fits reports whether a shift makes the file's indentation of that of old for all pairs.
func fits(pairs []pair, to shift) bool {
	for _, p := range pairs {
		if to(p.old) != p.file {
			return false
		}
	}
	return true
}
