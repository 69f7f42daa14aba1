package file

import (
	"fmt"
	"slices"
	"strings"
)

// compare finds the lines that new_string repeats, and the slips of old_string.
func (m *merger) compare() *unclear {
	m.slips = make([][]slip, len(m.given))
	for i := range m.given {
		m.findSlips(i)
		for _, s := range m.slips[i] {
			theirs, ours := describeSlip(body(m.given[i]), body(m.file[m.align[i]]), s)
			m.notes = append(m.notes, note{m.above + m.align[i] + 1, fmt.Sprintf("%s where old_string has %s", theirs, ours)})
		}
	}
	if err := m.checkMeaning(true); err != nil {
		return err
	}
	m.correctLines()
	m.kept = alignLines(m.given, m.lines)
	if m.correctWords() {
		m.kept = alignLines(m.given, m.lines)
	}
	if err := m.checkMeaning(false); err != nil {
		return err
	}
	m.first = slices.IndexFunc(m.given, func(line string) bool { return !blank(line) })
	return m.checkMoved()
}

// findSlips finds the slips of a line of old_string.
func (m *merger) findSlips(i int) {
	m.slips[i] = nil
	if at := m.align[i]; at >= 0 {
		m.slips[i] = findSlips(body(m.given[i]), body(m.file[at]))
	}
}

// checkMeaning makes sure that old_string has the numbers, operators and logical words of the
// file, and if numbers is false, also the text in quotes.
func (m *merger) checkMeaning(numbers bool) *unclear {
	for i, slips := range m.slips {
		if len(slips) == 0 {
			continue
		}
		given, file := fixedElements(body(m.given[i])), fixedElements(body(m.file[m.align[i]]))
		for _, s := range slips {
			if any, number := s.changesMeaning(given, file); number || any && !numbers {
				return m.wrongSlip(i, s)
			}
		}
	}
	return nil
}

// correctLines corrects each line of old_string that new_string has as the file has it.
func (m *merger) correctLines() {
	for i, slips := range m.slips {
		if len(slips) == 0 {
			continue
		}
		is := func(want string) func(string) bool { return func(line string) bool { return body(line) == want } }
		given, file := is(body(m.given[i])), is(body(m.file[m.align[i]]))
		if count(m.lines, file) == 1 && count(m.lines, given) == 0 && count(m.given, file) == 0 && count(m.given, given) == 1 {
			m.correct(i, body(m.file[m.align[i]]))
		}
	}
}

// correctWords corrects the words of old_string that new_string has as the file has them in
// the same places, and reports whether there are any.
func (m *merger) correctWords() bool {
	corrected := false
	for _, h := range m.hunks() {
		if len(h.given) != len(h.lines) {
			continue
		}
		for k, i := range h.given {
			var same []slip
			if len(m.slips[i]) == 0 {
				continue
			}
			edits := findSlips(body(m.given[i]), body(m.lines[h.lines[k]]))
			for _, s := range m.slips[i] {
				if !blank(s.file) && slices.ContainsFunc(edits, func(e slip) bool { return e.from == s.from && e.to == s.to && e.file == s.file }) {
					same = append(same, s)
				}
			}
			if len(same) > 0 {
				parts := elements(body(m.given[i]))
				m.correct(i, withSlips(parts, 0, len(parts), same))
				corrected = true
			}
		}
	}
	return corrected
}

// correct replaces the text of a line of old_string.
func (m *merger) correct(i int, text string) {
	line := m.given[i]
	m.given[i] = indentOf(line) + text + trail(line)
	m.findSlips(i)
}

// count returns the number of lines for which is returns true.
func count(lines []string, is func(string) bool) int {
	n := 0
	for _, line := range lines {
		if is(line) {
			n++
		}
	}
	return n
}

// alignLines returns for each line of the second text the line of the first one that it
// repeats, apart from white space at the beginning and end, or -1.
func alignLines(given, lines []string) []int {
	kept := make([]int, len(lines))
	for i := range kept {
		kept[i] = -1
	}
	key := func(line string) string {
		if blank(line) {
			return line
		}
		return body(line)
	}
	a, b := make([]string, len(given)), make([]string, len(lines))
	for i := range given {
		a[i] = key(given[i])
	}
	for i := range lines {
		b[i] = key(lines[i])
	}
	start, end := commonElements(a, b)
	for i := range start {
		kept[i] = i
	}
	for i := range end {
		kept[len(b)-1-i] = len(a) - 1 - i
	}
	for _, p := range commonPairs(len(a)-start-end, len(b)-start-end, func(i, j int) bool { return a[start+i] == b[start+j] }) {
		kept[start+p[1]] = start + p[0]
	}
	return kept
}

// checkMoved makes sure that each line that old_string has in another way than the file, apart
// from its indentation, is either repeated once or not at all by new_string.
func (m *merger) checkMoved() *unclear {
	repeated := map[int]bool{}
	for _, i := range m.kept {
		repeated[i] = true
	}
	for i := range m.given {
		if !m.slipped(i) {
			continue
		}
		if err := m.checkRepeated(i, repeated); err != nil {
			return err
		}
	}
	return nil
}

// checkRepeated makes sure that it is certain which lines of new_string repeat this line of
// old_string, which differs from that of the file.
func (m *merger) checkRepeated(i int, repeated map[int]bool) *unclear {
	line := body(m.given[i])
	for j, other := range m.lines {
		if m.kept[j] < 0 && body(other) == line {
			return m.wrongLine(i)
		}
	}
	for j, other := range m.given {
		if body(other) != line || m.variant(i) == m.variant(j) {
			continue
		}
		if at := slices.Index(m.kept, j); at < 0 || m.lines[at] != other || !repeated[i] {
			return &unclear{reason: "it has equal lines where the file has different ones"}
		}
	}
	if m.align[i] >= 0 {
		return nil
	}
	// A blank line that the file does not have is no part of a change.
	first, last := i-1, i+1
	for first > 0 && blank(m.given[first]) {
		first--
	}
	for last < len(m.given)-1 && blank(m.given[last]) {
		last++
	}
	switch {
	case !repeated[i] && last-first == 2: // new_string does not have it either
	case !m.together(first, last) || !m.unique(first) || !m.unique(last):
		return &unclear{reason: "it has a blank line more than the file, next to the change"}
	}
	return nil
}

// together reports whether new_string repeats all lines of old_string from one to another,
// without lines between them.
func (m *merger) together(first, last int) bool {
	at := slices.Index(m.kept, first)
	for i := first; i <= last; i, at = i+1, at+1 {
		if at < 0 || at == len(m.kept) || m.kept[at] != i {
			return false
		}
	}
	return true
}

// unique reports whether a line of old_string is there once, and in new_string too.
func (m *merger) unique(i int) bool {
	n := 0
	for _, line := range append(slices.Clone(m.given), m.lines...) {
		if body(line) == body(m.given[i]) {
			n++
		}
	}
	return n == 2
}

// slipped reports whether a line of old_string differs from that of the file in more than its
// indentation.
func (m *merger) slipped(i int) bool {
	if m.align[i] < 0 || len(m.slips[i]) > 0 {
		return true
	}
	return trail(m.given[i]) != trail(m.file[m.align[i]])
}

// variant returns a line of old_string and that of the file, without indentation.
func (m *merger) variant(i int) string {
	v := strings.TrimLeft(m.given[i], " \t") + "\n"
	if m.align[i] >= 0 {
		v += strings.TrimLeft(m.file[m.align[i]], " \t") + "\n"
	}
	return v
}

// wrongLine returns the error for a line that old_string has in another way than the file.
func (m *merger) wrongLine(i int) *unclear {
	switch {
	case m.align[i] < 0:
		return &unclear{reason: "it has a blank line more than the file"}
	case len(m.slips[i]) == 0:
		return &unclear{reason: "the white space at the end of a line differs"}
	}
	return m.changesSlip(i)
}

// changesSlip returns the error for a line that old_string has in another way than the file,
// and that new_string changes in the same part.
func (m *merger) changesSlip(i int) *unclear { return m.wrongSlip(i, m.slips[i][0]) }

// wrongSlip returns the error for a slip that is not bridged.
func (m *merger) wrongSlip(i int, s slip) *unclear {
	theirs, ours := describeSlip(body(m.given[i]), body(m.file[m.align[i]]), s)
	where := "the file"
	if len(m.file) > 1 {
		where = fmt.Sprintf("line %d", m.above+m.align[i]+1)
	}
	return &unclear{reason: fmt.Sprintf("it has %s where %s has %s", ours, where, theirs)}
}
