package file

import (
	"slices"
	"strings"
)

// decide returns the lines that replace those of the file. text is the whole file. decide tries
// all readings of the indentation; if their results differ, the edit is unclear.
func (m *merger) decide(text string, unit func() int) ([]string, *unclear) {
	pairs := m.pairs()
	wrong := differing(pairs)
	m.moved = len(wrong) > 0
	if !m.moved {
		if !slices.ContainsFunc(pairs, func(p pair) bool { return p.file != "" }) && !m.likeText(text) {
			return nil, &unclear{
				reason: "new_string is not indented with the characters of the file",
				advice: "Indent new_string like the file, and send it again with old_string as it is there",
			}
		}
		return m.apply(unchanged)
	}
	m.lone = m.findLone(wrong)
	if merged, err := m.apply(undecided); err == nil || err.reason != indentUnclear {
		return merged, err
	}
	if problem := m.otherFrame(); problem == foreign {
		m.moved, m.lone = false, -1
		return m.apply(unchanged)
	}
	var results [][]string
	for _, to := range m.readings(pairs, wrong, unit) {
		merged, err := m.apply(to)
		if err != nil && m.lone >= 0 {
			return nil, err // that only one line is wrong is possible, and the result is not certain
		}
		if err != nil {
			continue
		}
		if !slices.ContainsFunc(results, func(r []string) bool { return slices.Equal(r, merged) }) {
			results = append(results, merged)
		}
	}
	if len(results) != 1 {
		return nil, &unclear{reason: indentUnclear}
	}
	return results[0], nil
}

const indentUnclear = "the indentation differs"

// pairs returns the indentations of the lines that are not blank.
func (m *merger) pairs() []pair {
	var pairs []pair
	for i, at := range m.align {
		if at >= 0 && !blank(m.given[i]) {
			pairs = append(pairs, pair{indentOf(m.given[i]), indentOf(m.file[at]), i})
		}
	}
	return pairs
}

// findLone returns the only line of old_string whose indentation differs from the file's, if
// that may be a mistake in this line alone, else -1.
func (m *merger) findLone(wrong []pair) int {
	if len(wrong) > 1 {
		return -1
	}
	old, file := wrong[0].old, wrong[0].file
	if old == "" && !m.likeFile(file) || !sameKind(old, file) {
		return -1
	}
	return wrong[0].line
}

// sameKind reports whether two indentations begin with the same character, if there are any.
func sameKind(a, b string) bool { return a == "" || b == "" || a[0] == b[0] }

// likeText reports whether new_string is indented with characters that the text has too, or the
// text has no indentation.
func (m *merger) likeText(text string) bool {
	tabs, spaces := strings.Contains(text, "\n\t"), strings.Contains(text, "\n  ")
	return tabs == spaces || tabs && m.likeFile("\t") || spaces && m.likeFile(" ")
}

// likeFile reports whether no line of new_string is indented with spaces if the file is
// indented with tabs, or the other way round.
func (m *merger) likeFile(indent string) bool {
	for _, line := range m.lines {
		if i := indentOf(line); !blank(line) && i != "" && !sameKind(i, indent) {
			return false
		}
	}
	return true
}

// readings returns the readings of the indentation of new_string that are possible.
func (m *merger) readings(pairs, wrong []pair, unit func() int) []reading {
	var all []reading
	if m.lone >= 0 {
		if !m.unique(m.lone) && slices.Contains(m.kept, m.lone) {
			return nil
		}
		all = append(all, loneSlip(wrong[0], m.lone == m.first))
	}
	found := shifts(pairs, m.indents(), unit())
	if len(found) > 0 && m.otherFrame() != "" {
		return nil
	}
	return append(all, found...)
}

// indents returns the indentations of all lines of the call.
func (m *merger) indents() []string {
	var all []string
	for _, line := range append(slices.Clone(m.given), m.lines...) {
		if !blank(line) {
			all = append(all, indentOf(line))
		}
	}
	return all
}

const (
	foreign  = "new_string is indented with the characters of the file"
	conflict = "new_string may be indented like the file"
)

// otherFrame returns "" if new_string is indented in the same way as old_string, as lines show
// that correspond to each other; foreign if it is indented like the file, with other
// characters than old_string, and conflict if either is possible.
func (m *merger) otherFrame() string {
	like, unlike, characters := 0, 0, false
	if m.otherCharacters() {
		like++
	}
	for _, a := range m.anchors() {
		given, file, changed := indentOf(m.given[a.given]), indentOf(m.file[m.align[a.given]]), indentOf(m.lines[a.line])
		switch {
		case given == file:
		case changed == given && !a.weak:
			like++
		case changed == file:
			unlike++
			characters = characters || given != "" && !sameKind(given, file)
		}
	}
	switch {
	case like > 0 && unlike == 0:
		return ""
	case unlike > 0 && like == 0 && characters && m.allLikeFile():
		return foreign
	}
	return conflict
}

// otherCharacters reports whether new_string is indented with the characters of old_string, and
// the file with others.
func (m *merger) otherCharacters() bool {
	given := ""
	for _, p := range m.pairs() {
		if p.old == "" {
			continue
		}
		given = p.old
		if sameKind(p.old, p.file) {
			return false
		}
	}
	return given != "" && m.likeFile(given)
}

// allLikeFile reports whether new_string is indented with the characters of the file.
func (m *merger) allLikeFile() bool {
	for _, p := range m.pairs() {
		if p.file != "" && !m.likeFile(p.file) {
			return false
		}
	}
	return true
}

// anchor is a line of new_string that corresponds to a line of old_string.
type anchor struct {
	given, line int
	weak        bool // whether this is a guess
}

// anchors returns lines of new_string that correspond to lines of old_string: those that it
// repeats if there is only one such line, the first lines, and, as guesses, those at the same
// places in changed parts.
func (m *merger) anchors() []anchor {
	var anchors []anchor
	add := func(i, j int, weak bool) {
		if i < len(m.given) && j < len(m.lines) && !blank(m.given[i]) && !blank(m.lines[j]) {
			anchors = append(anchors, anchor{i, j, weak})
		}
	}
	add(m.first, 0, false)
	for _, h := range m.hunks() {
		for k := range min(len(h.given), len(h.lines)) {
			add(h.given[k], h.lines[k], true)
		}
		if h.keeps >= 0 && m.unique(m.kept[h.keeps]) {
			add(m.kept[h.keeps], h.keeps, false)
		}
	}
	return anchors
}
