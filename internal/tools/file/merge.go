package file

import (
	"slices"
	"strings"
)

// merger applies the change from old_string to new_string to lines of the file that old_string
// does not match exactly. Lines that new_string repeats from old_string stay as the file has
// them; the others get the indentation of the file.
type merger struct {
	given []line // of old_string
	file  []line
	align []int    // see place
	lines []line   // of new_string
	kept  []int    // for each line of new_string the line of old_string that it repeats, or -1
	above int      // lines of the text before those of the file
	slips [][]slip // of each line of old_string
	// isCut is set if old_string and new_string begin in the middle of their first line, which is here with its beginning
	// as the file has it: its indentation shows nothing of theirs.
	isCut bool
}

// line is a line of a text. A blank line is all trail.
type line struct{ indent, body, trail string }

func parseLine(text string) line {
	body := strings.TrimSpace(text)
	if body == "" {
		return line{trail: text}
	}
	indent := text[:strings.Index(text, body)]
	return line{indent, body, text[len(indent)+len(body):]}
}

func parseLines(texts []string) []line {
	lines := make([]line, len(texts))
	for i, text := range texts {
		lines[i] = parseLine(text)
	}
	return lines
}

func (l line) String() string { return l.indent + l.body + l.trail }

// merge returns the change at a place, and how the place differs from old.
func (q *query) merge(p place) (change, differences, *unclear) {
	m := &merger{
		given: parseLines(q.oldLines()), file: parseLines(strings.Split(q.text[p.start:p.end], "\n")),
		align: p.align, above: p.first, isCut: q.isCut,
	}
	replacement, end, ok := q.ends(p)
	if !ok {
		return change{}, differences{}, &unclear{reason: "it ends with a line break and new_string does not"}
	}
	m.lines = parseLines(replacement)
	if err := m.findSlips(); err != nil {
		return change{}, differences{}, err
	}
	merged, err := m.decide(q)
	return change{p.start, end, strings.Join(merged, "\n")}, m.differences(), err
}

// ends returns the lines of new and the end of the change. ok is false if new does not end its
// last line as old does.
func (q *query) ends(p place) (lines []string, end int, ok bool) {
	replacement, isEnded := q.new, strings.HasSuffix(q.old, "\n")
	switch {
	case isEnded && replacement == "":
		return nil, min(p.end+1, len(q.text)), true
	case isEnded && strings.HasSuffix(replacement, "\n"):
		replacement = strings.TrimSuffix(replacement, "\n")
	case isEnded && p.end < len(q.text)-1:
		return nil, 0, false
	}
	return strings.Split(replacement, "\n"), p.end, true
}

// findSlips finds the slips of old_string. It returns an error for one that changes the meaning.
func (m *merger) findSlips() *unclear {
	m.slips = make([][]slip, len(m.given))
	for i, at := range m.align {
		if at < 0 {
			continue
		}
		m.slips[i] = findSlips(m.given[i].body, m.file[at].body)
		for _, s := range m.slips[i] {
			if s.changesMeaning() || s.isRest(i == 0, i == len(m.given)-1, m.given[i].body) {
				return m.wrong(i, s)
			}
		}
	}
	return nil
}

// decide returns the lines that replace those of the file. If several understandings of
// new_string are possible, they must have the same result.
func (m *merger) decide(q *query) ([]string, *unclear) {
	var result []string
	for _, isBackward := range []bool{false, true} {
		m.keepLines(isBackward)
		merged, err := m.reindented(q)
		if err != nil {
			return nil, err
		}
		if isBackward && !slices.Equal(merged, result) {
			return nil, &unclear{reason: "it has equal lines, of which new_string changes one"}
		}
		result = merged
	}
	return result, nil
}

// keepLines finds the lines that new_string repeats: those of old_string, or of the file in
// their place. Of several equal lines, isBackward prefers the last ones.
func (m *merger) keepLines(isBackward bool) {
	m.kept = make([]int, len(m.lines))
	for j := range m.kept {
		m.kept[j] = -1
	}
	a, b := make([]string, len(m.given)), make([]string, len(m.lines))
	corrected := map[string]string{}
	for i, l := range m.given {
		a[i] = l.body
		if at := m.align[i]; at >= 0 && len(m.slips[i]) > 0 {
			corrected[m.file[at].body] = l.body
		}
	}
	for j, l := range m.lines {
		b[j] = l.body
		if given, ok := corrected[l.body]; ok && !slices.Contains(a, l.body) {
			b[j] = given
		}
	}
	if isBackward {
		slices.Reverse(a)
		slices.Reverse(b)
	}
	for _, p := range commonPairs(a, b) {
		i, j := p[0], p[1]
		if isBackward {
			i, j = len(a)-1-i, len(b)-1-j
		}
		if m.align[i] >= 0 { // else it is a blank line that the file does not have
			m.kept[j] = i
		}
	}
}

// hunk is a changed part of old_string, possibly empty, with the same part of the file, and the
// line of new_string after it that is repeated, or -1 at the end.
type hunk struct {
	given, file, lines span
	keeps              int
}

func (m *merger) hunks() []hunk {
	var all []hunk
	given, file, start := 0, 0, 0
	for j, i := range m.kept {
		if i >= 0 {
			all = append(all, hunk{span{given, i}, span{file, m.align[i]}, span{start, j}, j})
			given, file, start = i+1, m.align[i]+1, j+1
		}
	}
	return append(all, hunk{span{given, len(m.given)}, span{file, len(m.file)}, span{start, len(m.lines)}, -1})
}

// apply returns the lines that replace those of the file, with this reading of the indentation.
func (m *merger) apply(to reading) ([]string, *unclear) {
	if others := to; m.isCut {
		to = func(indent string, number int) (string, bool) {
			if number == 0 {
				return indent, true
			}
			return others(indent, number)
		}
	}
	var out []string
	for _, h := range m.hunks() {
		lines, err := m.changed(h, to)
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
		if h.keeps < 0 {
			break
		}
		kept, err := m.keep(h.keeps, to)
		if err != nil {
			return nil, err
		}
		out = append(out, kept)
	}
	return out, nil
}

// keep returns the line for a line of new_string that repeats one of old_string: that of the
// file. new_string may change its indentation and the white space at its end.
func (m *merger) keep(j int, to reading) (string, *unclear) {
	i := m.kept[j]
	given, file, l := m.given[i], m.file[m.align[i]], m.lines[j]
	switch {
	case l.trail == given.trail, l.trail == file.trail:
	case given.trail == file.trail:
		file.trail = l.trail
	default:
		return "", &unclear{reason: "the white space at the end of a line differs"}
	}
	if l.indent != given.indent {
		var ok bool
		if file.trail != l.trail || slices.Contains(m.given, l) {
			return "", &unclear{reason: otherIndent}
		}
		if file.indent, ok = to(l.indent, j); !ok {
			return "", &unclear{reason: otherIndent}
		}
	}
	return file.String(), nil
}

// changed returns the lines in a changed part: those of new_string, without the slips of
// old_string.
func (m *merger) changed(h hunk, to reading) ([]string, *unclear) {
	given, file, lines := m.given[h.given.start:h.given.end], m.file[h.file.start:h.file.end], m.lines[h.lines.start:h.lines.end]
	var out []string
	if isRun := h.given.start > 0 && m.given[h.given.start-1].body == ""; slices.Equal(given, lines) && (len(given) == 0 || !isRun) {
		for _, l := range file {
			out = append(out, l.String())
		}
		return out, nil
	}
	if len(given) != len(file) || slices.Contains(m.align[h.given.start:h.given.end], -1) {
		return nil, &unclear{reason: "the blank lines next to the change differ"}
	}
	if err := m.checkSlips(h); err != nil {
		return nil, err
	}
	for k, l := range lines {
		if i := h.given.start + k; m.isPaired(h, k) && len(m.slips[i]) > 0 {
			body, ok := mergeWords(given[k].body, file[k].body, l.body)
			switch {
			case ok:
				l.body = body
			case !isSpaced(given[k].body, m.slips[i]):
				return nil, m.wrong(i, m.slips[i][0])
			}
		}
		if l.body == "" {
			out = append(out, m.blankLine(l.trail))
			continue
		}
		var ok bool
		if l.indent, ok = to(l.indent, h.lines.start+k); !ok {
			return nil, &unclear{reason: otherIndent}
		}
		out = append(out, l.String())
	}
	return out, nil
}

// isPaired reports whether a line of new_string in a changed part is a line of old_string with
// other words.
func (m *merger) isPaired(h hunk, k int) bool {
	if h.given.end-h.given.start != h.lines.end-h.lines.start {
		return false
	}
	words := elements(m.given[h.given.start+k].body)
	return slices.ContainsFunc(elements(m.lines[h.lines.start+k].body), func(e string) bool { return isWord(e) && slices.Contains(words, e) })
}

// blankLine returns a blank line of new_string: empty, if old_string is indented in another way
// than the file, which has no such line there.
func (m *merger) blankLine(text string) string {
	if len(m.differing()) > 0 && !slices.Contains(m.file, parseLine(text)) {
		return ""
	}
	return text
}

// checkSlips makes sure that new_string does not repeat a slip in the changed part, and has no
// text in quotes that differs from the file.
func (m *merger) checkSlips(h hunk) *unclear {
	for j := h.lines.start; j < h.lines.end; j++ {
		same := -1 // the line of old_string in whose place it is
		if k := j - h.lines.start; m.isPaired(h, k) {
			same = h.given.start + k
		}
		for i, slips := range m.slips {
			if m.isCorrected(i) {
				continue
			}
			for _, s := range slips {
				before, after := 0, s.count(m.lines[j].body)
				if same >= 0 {
					before = s.count(m.given[same].body)
				}
				if after > before || i == same && s.inQuotes && after == before {
					return m.wrong(i, s)
				}
			}
		}
	}
	return nil
}

// isCorrected reports whether new_string has a line of old_string as the file has it.
func (m *merger) isCorrected(i int) bool {
	j := slices.Index(m.kept, i)
	return j >= 0 && m.lines[j].body == m.file[m.align[i]].body
}
