package file

import (
	"slices"
	"strings"
)

// reading is a way to understand the indentation of new_string: it returns the indentation in
// the file for a line. ok is false if it does not know the indentation. number is the index of
// the line.
type reading func(indent string, number int) (result string, ok bool)

// otherIndent is the reason for an edit whose indentation in the file would be a guess.
const otherIndent = "the indentation differs"

// pair is the indentation of a line in old_string, and of the same line in the file.
type pair struct {
	old, file string
	line      int // index in old_string
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// pairs returns the indentations of the lines that are not blank.
func (m *merger) pairs() []pair {
	var pairs []pair
	for i, at := range m.align {
		if at >= 0 && m.given[i].body != "" && (i > 0 || !m.isCut) {
			pairs = append(pairs, pair{m.given[i].indent, m.file[at].indent, i})
		}
	}
	return pairs
}

// differing returns the pairs that do not agree.
func (m *merger) differing() []pair {
	return slices.DeleteFunc(m.pairs(), func(p pair) bool { return p.old == p.file })
}

// reindented returns the lines that replace those of the file. It tries all readings of the
// indentation of new_string that are possible. They must have the same result.
func (m *merger) reindented(q *query) ([]string, *unclear) {
	if len(m.differing()) == 0 {
		if !m.isIndentedLike(q) {
			return nil, &unclear{
				reason: "new_string is not indented with the characters of the file",
				advice: "Indent new_string like the file, and send it again with old_string as it is there",
			}
		}
		return m.apply(func(indent string, _ int) (string, bool) { return indent, true })
	}
	merged, err := m.apply(func(string, int) (string, bool) { return "", false })
	if err == nil || err.reason != otherIndent {
		return merged, err
	}
	shifts, lone := m.shifts(), m.loneSlip()
	if len(shifts) > 0 && !m.isInFrame() {
		return nil, err
	}
	var results [][]string
	add := func(to reading) bool {
		merged, err := m.apply(to)
		if err == nil && !slices.ContainsFunc(results, func(r []string) bool { return slices.Equal(r, merged) }) {
			results = append(results, merged)
		}
		return err == nil
	}
	for _, to := range shifts {
		add(to)
	}
	if lone != nil && !add(lone) || len(results) != 1 {
		return nil, err
	}
	return results[0], nil
}

// isIndentedLike reports whether new_string is indented with characters that the file has too,
// in these lines or elsewhere, or the file has no indentation.
func (m *merger) isIndentedLike(q *query) bool {
	tabs, spaces := strings.Contains(q.text, "\n\t"), strings.Contains(q.text, "\n  ")
	for _, l := range m.lines {
		if l.indent != "" && tabs != spaces && tabs != (l.indent[0] == '\t') {
			return false
		}
	}
	return true
}

// isInFrame reports whether new_string is indented in the same way as old_string, as lines show
// that correspond to each other, and not like the file.
func (m *merger) isInFrame() bool {
	isShown := false
	check := func(i, j int) bool {
		given, file, indent := m.given[i].indent, m.file[m.align[i]].indent, m.lines[j].indent
		isShown = isShown || given != file && indent == given
		return given == file || indent != file
	}
	first := slices.IndexFunc(m.given, func(l line) bool { return l.body != "" })
	if len(m.lines) > 0 && m.lines[0].body != "" && !check(first, 0) {
		return false
	}
	for j, i := range m.kept {
		if i >= 0 && m.given[i].body != "" && !check(i, j) {
			return false
		}
	}
	return isShown
}

// loneSlip returns the reading in which old_string has another indentation than the file in one
// line only, by mistake: other lines are indented like the file. It returns nil if that is not so.
func (m *merger) loneSlip() reading {
	wrong := m.differing()
	if len(wrong) != 1 || wrong[0].old != "" && wrong[0].file != "" && wrong[0].old[0] != wrong[0].file[0] {
		return nil
	}
	d := wrong[0]
	isFirst := d == m.pairs()[0] && !m.isCut
	return func(indent string, number int) (string, bool) {
		isLone := isFirst && number == 0 || !isFirst && m.kept[number] == d.line
		switch {
		case isLone && (indent == d.old || indent == d.file):
			return d.file, true
		case isLone, indent == d.old && (!isFirst || indent != ""):
			return "", false // the slip may be repeated here
		}
		return indent, true
	}
}

// shifts returns the readings in which all lines move in the same way from the indentation of
// old_string to that of the file, and which explain all pairs.
func (m *merger) shifts() []reading {
	pairs := m.pairs()
	var all []reading
	add := func(to reading) {
		for _, p := range pairs {
			if indent, ok := to(p.old, 0); !ok || indent != p.file {
				return
			}
		}
		all = append(all, to)
	}
	step, likely := m.levelsOfCall()
	first := pairs[0]
	if more, ok := strings.CutSuffix(first.file, first.old); ok {
		isMixed := strings.Contains(more, "\t") && step > 1 &&
			!slices.ContainsFunc(pairs, func(p pair) bool { return strings.Contains(p.file, "\t ") })
		add(func(indent string, _ int) (string, bool) { return more + indent, !isMixed || len(indent) < 2 })
	} else if less, ok := strings.CutSuffix(first.old, first.file); ok {
		add(func(indent string, _ int) (string, bool) { return strings.CutPrefix(indent, less) })
	}
	for _, from := range [...]string{"\t", "  ", "   ", "    ", "        "} {
		for _, to := range m.levelsOfFile() {
			to, deeper := first.convert(from, to)
			if slices.Contains(likely, from) || deeper == 0 && from != "\t" && step > 0 && step%len(from) == 0 {
				add(to)
			}
		}
	}
	return all
}

// convert returns the reading in which a level is another one in the file, and all lines are as
// much deeper there as in the pair.
func (p pair) convert(from, to string) (r reading, deeper int) {
	levelsInFile, _ := cutLevels(p.file, to)
	levels, _ := cutLevels(p.old, from)
	deeper = levelsInFile - levels
	return func(indent string, _ int) (string, bool) {
		n, rest := cutLevels(indent, from)
		return strings.Repeat(to, max(n+deeper, 0)) + rest, n+deeper >= 0
	}, deeper
}

// cutLevels returns the number of levels of an indentation, and the rest of it.
func cutLevels(indent, level string) (n int, rest string) {
	for strings.HasPrefix(indent, level) {
		indent = indent[len(level):]
		n++
	}
	return n, indent
}

// levelsOfCall returns the largest number of spaces that divides all indentations of the call, 0
// if there are tabs, and the likely levels of indentation.
func (m *merger) levelsOfCall() (step int, likely []string) {
	all := slices.Concat(m.given, m.lines)
	if m.isCut {
		all = slices.Concat(m.given[1:], m.lines[1:])
	}
	for _, l := range all {
		if strings.Contains(l.indent, "\t") {
			return 0, []string{"\t"}
		}
		for n := len(l.indent); n > 0; {
			step, n = n, step%n
		}
	}
	for _, n := range [...]int{2, 3, 4, 8} {
		if step == 1 || step == n || step > 4 && step%n == 0 && (n > 2 || step%4 != 0) {
			likely = append(likely, strings.Repeat(" ", n))
		}
	}
	return step, likely
}

// levelsOfFile returns the possible levels of indentation in the file.
func (m *merger) levelsOfFile() []string {
	if slices.ContainsFunc(m.file, func(l line) bool { return strings.Contains(l.indent, "\t") }) {
		return []string{"\t"}
	}
	return []string{"  ", "   ", "    ", "        "}
}
