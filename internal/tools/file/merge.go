package file

import (
	"slices"
	"strings"
	"unicode"
)

// unclear is the reason why an edit is not made although there is a place that old_string may
// mean: what it does to the file would be a guess.
type unclear struct {
	exact  bool     // whether old_string is there as it is
	places [][2]int // first and last lines of the places that it may mean, starting at 1
	reason string   // what speaks against it, as the rest of a sentence after "but"
	lines  string   // the lines of the file for the model, "" for none
	advice string   // what to do, "" for sending the edit again with these lines
}

func (u *unclear) Error() string { return u.reason }

// merger applies the change from old_string to new_string to lines of the file that old_string
// does not match exactly. Lines that new_string repeats from old_string stay as the file has
// them; the others get the indentation of the file.
type merger struct {
	file  []string
	given []string // lines of old_string
	align []int    // see place
	lines []string // lines of new_string
	kept  []int    // for each line of new_string the line of old_string that it repeats, or -1
	slips [][]slip // of each line of old_string
	notes []note   // descriptions of the slips, with those that new_string corrects
	lone  int      // line of old_string whose indentation alone differs, or -1
	first int      // first line of old_string that is not blank
	above int      // lines of the text before those of the file
	moved bool     // whether any line has another indentation in the file
}

// merge returns the change at a place, and how the place differs from old_string.
func (q *query) merge(p place) (change, differences, error) {
	lines := strings.Split(q.text[p.start:p.end], "\n")
	fail := func(err *unclear) (change, differences, error) {
		err.places = [][2]int{q.numbers(p)}
		err.lines = q.excerpt(p.first, p.first+len(lines)-1)
		return change{}, differences{}, err
	}
	if p.align == nil {
		return fail(&unclear{reason: "the line breaks differ"})
	}
	m := &merger{file: lines, given: q.oldLines(), align: p.align, lone: -1, above: p.first}
	end, ok := q.ends(p, m)
	if !ok {
		return fail(&unclear{reason: "it ends with a line break and new_string does not"})
	}
	if err := m.compare(); err != nil {
		return fail(err)
	}
	merged, err := m.decide(q.text, func() int { return indentUnit(q.text, q.spans()) })
	if err != nil {
		return fail(err)
	}
	return change{p.start, end, strings.Join(merged, "\n")}, m.differences(), nil
}

// ends determines the lines of new_string and the end of the change. ok is false if new_string
// does not end its last line as old_string does.
func (q *query) ends(p place, m *merger) (end int, ok bool) {
	replacement, ended := q.new, strings.HasSuffix(q.old, "\n")
	atEnd := p.end == len(q.text) || p.end == len(q.text)-1
	switch {
	case ended && replacement == "":
		return min(p.end+1, len(q.text)), true
	case ended && strings.HasSuffix(replacement, "\n"):
		replacement = strings.TrimSuffix(replacement, "\n")
	case ended && !atEnd:
		return 0, false
	}
	m.lines = strings.Split(replacement, "\n")
	return p.end, true
}

// apply returns the lines that replace those of the file, with this reading of the
// indentation.
func (m *merger) apply(to reading) ([]string, *unclear) {
	var out []string
	for _, h := range m.hunks() {
		changed := len(h.given)+len(h.lines) > 0
		if err := m.checkBlanks(h, changed); err != nil {
			return nil, err
		}
		lines, err := m.changed(h, to)
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
		if h.keeps < 0 {
			break
		}
		if i := m.kept[h.keeps]; !changed && i > 0 {
			blanks := m.blanksBefore(i)
			if len(blanks) > 0 && !(m.unique(i) && m.unique(i-1)) {
				return nil, &unclear{reason: "it leaves out blank lines"}
			}
			out = append(out, blanks...)
		}
		lines, err = m.keep(h.keeps, to)
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
	}
	return out, nil
}

// hunk is a changed part of old_string, possibly empty, with the line of new_string after it
// that is repeated, or -1 at the end.
type hunk struct {
	given, lines []int
	keeps        int
}

func (m *merger) hunks() []hunk {
	var all []hunk
	h := hunk{}
	next := 0
	end := func(until, keeps int) {
		for ; next < until; next++ {
			h.given = append(h.given, next)
		}
		h.keeps = keeps
		all = append(all, h)
		h = hunk{}
		next = until + 1
	}
	for j, i := range m.kept {
		if i < 0 {
			h.lines = append(h.lines, j)
			continue
		}
		end(i, j)
	}
	end(len(m.given), -1)
	return all
}

// checkBlanks makes sure that old_string leaves out no blank lines next to a change.
func (m *merger) checkBlanks(h hunk, changed bool) *unclear {
	if !changed {
		return nil
	}
	after := len(m.given)
	if h.keeps >= 0 {
		after = m.kept[h.keeps]
	}
	first := after
	if len(h.given) > 0 {
		first = h.given[0]
	}
	for _, i := range []int{first, after} {
		if i > 0 && len(m.blanksBefore(i)) > 0 {
			return &unclear{reason: "it leaves out blank lines next to the change"}
		}
	}
	return nil
}

// blanksBefore returns the blank lines of the file before a line, which old_string leaves out.
func (m *merger) blanksBefore(i int) []string {
	if i >= len(m.given) || m.align[i] < 0 {
		return nil
	}
	end := m.align[i]
	start := end
	for start > 0 && !slices.Contains(m.align, start-1) {
		start--
	}
	return m.file[start:end]
}

// keep returns the line for a line of new_string that repeats one of old_string: that of the
// file. Its indentation and the white space at its end may be changed.
func (m *merger) keep(j int, to reading) ([]string, *unclear) {
	i := m.kept[j]
	if m.align[i] < 0 {
		return nil, nil
	}
	given, file, line := m.given[i], m.file[m.align[i]], m.lines[j]
	if given == line && j == 0 && m.lone == m.first && i != m.lone && indentOf(line) == indentOf(m.given[m.lone]) {
		return nil, &unclear{reason: indentUnclear} // it may lack its indentation as the first line of old_string
	}
	if given == line {
		return []string{file}, nil
	}
	if blank(given) {
		switch {
		case line == file:
			return []string{file}, nil
		case given == file:
			return []string{line}, nil
		}
		return nil, &unclear{reason: "the white space of a blank line differs"}
	}
	if indentOf(line) != indentOf(given) {
		return m.reindent(j, to)
	}
	end, ok := threeWay(trail(given), trail(line), trail(file))
	if !ok {
		return nil, &unclear{reason: "the white space at the end of a line differs"}
	}
	return []string{indentOf(file) + body(file) + end}, nil
}

// reindent returns the line for a line of new_string that repeats one of old_string with
// another indentation.
func (m *merger) reindent(j int, to reading) ([]string, *unclear) {
	i := m.kept[j]
	file, line := m.file[m.align[i]], m.lines[j]
	// The first lines of old_string and new_string may lack their indentation, but not the same
	// lines further on.
	first := j == 0 && m.lone == m.first
	indent, ok := to(indentOf(line), first || i == m.lone && i != m.first)
	if !ok || first && i != m.lone && indent != indentOf(file) {
		return nil, &unclear{reason: indentUnclear}
	}
	return []string{indent + body(file) + trail(line)}, nil
}

// threeWay applies the change from given to changed to file.
func threeWay(given, changed, file string) (string, bool) {
	switch {
	case given == changed || changed == file:
		return file, true
	case given == file:
		return changed, true
	}
	return "", false
}

// changed returns the lines that new_string has in a changed part.
func (m *merger) changed(h hunk, to reading) ([]string, *unclear) {
	var out []string
	paired := len(h.given) == len(h.lines)
	for k, j := range h.lines {
		line := m.lines[j]
		text, added := body(line), line
		lone := j == 0 && m.lone == m.first
		if paired {
			i := h.given[k]
			var ok bool
			if m.align[i] >= 0 && len(m.slips[i]) > 0 {
				if text, added, ok = mergeLine(body(m.given[i]), text, m.slips[i]); !ok {
					return nil, m.changesSlip(i)
				}
			}
		}
		if err := m.checkAdded(added); err != nil {
			return nil, err
		}
		if blank(line) {
			out = append(out, m.blankLine(line))
			continue
		}
		indent, ok := to(indentOf(line), lone)
		if !ok {
			return nil, &unclear{reason: indentUnclear}
		}
		out = append(out, indent+text+trail(line))
	}
	if len(h.lines) > 0 && !paired {
		for _, i := range h.given {
			for _, s := range m.slips[i] {
				if blank(s.given) {
					return nil, m.changesSlip(i)
				}
			}
		}
	}
	return out, nil
}

// checkAdded makes sure that text that new_string adds does not repeat a slip of old_string.
func (m *merger) checkAdded(text string) *unclear {
	for i, slips := range m.slips {
		for _, s := range slips {
			if s.repeats(text) {
				return m.wrongSlip(i, s)
			}
		}
	}
	return nil
}

// blankLine returns a blank line of new_string: empty, if all lines of old_string are indented
// in another way than the file, which has no such line there.
func (m *merger) blankLine(line string) string {
	if m.moved && m.lone < 0 && !slices.Contains(m.file, line) {
		return ""
	}
	return line
}

// trail returns the white space at the end of a line; for a blank line, all of it.
func trail(line string) string { return line[len(strings.TrimRightFunc(line, unicode.IsSpace)):] }

// body returns a line without indentation and white space at its end.
func body(line string) string {
	if blank(line) {
		return ""
	}
	return line[len(indentOf(line)) : len(line)-len(trail(line))]
}
