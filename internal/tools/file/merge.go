package file

import (
	"fmt"
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

// trail returns the white space at the end of a line; for a blank line, all of it.
func trail(line string) string { return line[len(strings.TrimRightFunc(line, unicode.IsSpace)):] }

// body returns a line without indentation and white space at its end.
func body(line string) string {
	if blank(line) {
		return ""
	}
	return line[len(indentOf(line)) : len(line)-len(trail(line))]
}

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

// likeText reports whether new_string is indented with characters that the text has too, or the
// text has no indentation.
func (m *merger) likeText(text string) bool {
	tabs, spaces := strings.Contains(text, "\n\t"), strings.Contains(text, "\n  ")
	return tabs == spaces || tabs && m.likeFile("\t") || spaces && m.likeFile(" ")
}

// sameKind reports whether two indentations begin with the same character, if there are any.
func sameKind(a, b string) bool { return a == "" || b == "" || a[0] == b[0] }

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

// allLikeFile reports whether new_string is indented with the characters of the file.
func (m *merger) allLikeFile() bool {
	for _, p := range m.pairs() {
		if p.file != "" && !m.likeFile(p.file) {
			return false
		}
	}
	return true
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

// blankLine returns a blank line of new_string: empty, if all lines of old_string are indented
// in another way than the file, which has no such line there.
func (m *merger) blankLine(line string) string {
	if m.moved && m.lone < 0 && !slices.Contains(m.file, line) {
		return ""
	}
	return line
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

// differences are those between lines of the file and old_string.
type differences struct {
	layout []string // such as "the indentation"
	words  []note
}

// note describes a part of a line of the file, which has this number, and what old_string has
// in its place.
type note struct {
	line int
	text string
}

// any reports whether there are differences.
func (d *differences) any() bool { return len(d.layout)+len(d.words) > 0 }

// add adds the differences of another place.
func (d *differences) add(other differences) {
	for _, layout := range other.layout {
		if !slices.Contains(d.layout, layout) {
			d.layout = append(d.layout, layout)
		}
	}
	d.words = append(d.words, other.words...)
}

// differences returns how the lines of the file differ from old_string.
func (m *merger) differences() differences {
	indents, ends, blanks := false, false, len(m.file) != len(m.given)
	for i, at := range m.align {
		if at < 0 {
			blanks = true
			continue
		}
		given, file := m.given[i], m.file[at]
		ends = ends || trail(given) != trail(file)
		indents = indents || !blank(given) && indentOf(given) != indentOf(file)
	}
	all := differences{words: m.notes}
	for _, d := range []struct {
		is   bool
		text string
	}{{indents, "the indentation"}, {ends, "white space at line ends"}, {blanks, "blank lines"}} {
		if d.is {
			all.layout = append(all.layout, d.text)
		}
	}
	return all
}
