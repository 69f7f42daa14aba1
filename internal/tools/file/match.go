package file

import (
	"slices"
	"strings"
)

// change replaces the text from start to end with text.
type change struct {
	start, end int // bytes
	text       string
}

// match is the result of a search for the place of an edit.
type match struct {
	changes []change // sorted, not overlapping
	count   int      // number of occurrences of the searched text
	how     string   // name of the strategy that found it
	// lines are the first and last lines of the places, starting at 1, at most maxNamed of
	// them. An exact match has them only if there are several places.
	lines [][2]int
	// differences are those between the text at these places and the searched text. An exact
	// match has none.
	differences differences
	// inserted is the size of the texts of all changes. Beyond maxChanges or maxInserted,
	// changes are counted but not kept: see tooMuch.
	inserted int
}

// Limits of one edit: number of changes, and inserted bytes.
const (
	maxChanges  = 100_000
	maxInserted = 64 << 20
)

// maxNamed is the number of places that a result names.
const maxNamed = 10

func (m *match) add(c change) {
	m.count++
	m.inserted += len(c.text)
	if !m.tooMuch() {
		m.changes = append(m.changes, c)
	}
}

// tooMuch reports whether there are more changes than are kept.
func (m *match) tooMuch() bool { return m.count > maxChanges || m.inserted > maxInserted }

// query is an edit of a text. All texts have "\n" line ends.
type query struct {
	text, old, new string
	multiple       bool // whether all occurrences of old are replaced
	// stop is called regularly to check whether to give up.
	stop  func() bool
	lines []span // of text, see spans
}

// spans returns the lines of the text.
func (q *query) spans() []span {
	if q.lines == nil {
		q.lines = splitLines(q.text)
	}
	return q.lines
}

// place is a block of lines of the text that old may mean.
type place struct {
	start, end int // bytes, from a line start; without the line end
	first      int // number of the first line, starting at 0
	// align has the index of the line in the block for each line of old, or -1 for a blank
	// line that is not there. Lines of the block that no line of old has are blank. If align
	// is nil, the lines of old and the block are broken in different places.
	align []int
}

// find searches the text for old with increasingly lenient strategies, and returns the changes
// that replace it. The first strategy that finds anything is used; if count is 0, none did. If
// there are several places and multiple is false, it returns no changes. If a place is found
// but the result would depend on a guess, the error is an [*unclear].
func (q *query) find() (match, error) {
	if q.old == "" {
		return match{}, nil
	}
	if m, err := q.exact(); m.count > 0 {
		return m, err
	}
	for _, strategy := range [...]struct {
		name string // Gemini CLI's name
		find func() ([]place, error)
	}{{"flexible", q.flexible}, {"regex", q.tokens}, {"fuzzy", q.otherCase}, {"fuzzy", q.fuzzy}} {
		places, err := strategy.find()
		if err != nil || len(places) > 0 || q.stop() {
			m, mergeErr := q.replaceAll(places)
			m.how = strategy.name
			if err == nil {
				err = mergeErr
			}
			return m, err
		}
	}
	return match{}, nil
}

// exact finds exact occurrences of old.
func (q *query) exact() (match, error) {
	m := match{how: "exact"}
	at := &lineCounter{text: q.text}
	last := strings.Count(strings.TrimSuffix(q.old, "\n"), "\n")
	for from := 0; ; {
		i := strings.Index(q.text[from:], q.old)
		if i < 0 {
			break
		}
		start := from + i
		from = start + len(q.old)
		m.add(change{start, from, q.new})
		if m.count <= maxNamed {
			first := at.line(start)
			m.lines = append(m.lines, [2]int{first, first + last})
		}
	}
	if m.count > 1 && !q.multiple {
		m.changes = nil
		return m, nil
	}
	var err error
	for _, c := range m.changes {
		reason := q.omitsIndent(c.start)
		if reason == "" {
			reason = q.cutsWord(c.start, c.end)
		}
		if reason != "" {
			n := strings.Count(q.text[:c.start], "\n")
			err = &unclear{exact: true, places: [][2]int{{n + 1, n + 1 + last}}, reason: reason, lines: q.excerpt(n, n+last)}
			break
		}
	}
	if m.count <= 1 {
		m.lines = nil
	}
	return m, err
}

// lineCounter returns line numbers of increasing offsets.
type lineCounter struct {
	text     string
	from, at int
}

func (l *lineCounter) line(offset int) int {
	l.at += strings.Count(l.text[l.from:offset], "\n")
	l.from = offset
	return l.at + 1
}

// omitsIndent returns why it is not clear what an exact match at this offset means, or "". An
// old that begins within the indentation of a line may leave out the indentation of its only
// line, of its first line, or of none because it means a part of the line. That matters if new
// has other lines, or another indentation.
func (q *query) omitsIndent(start int) string {
	from := start
	for from > 0 && strings.IndexByte(" \t", q.text[from-1]) >= 0 {
		from--
	}
	if from == start || from > 0 && q.text[from-1] != '\n' || blank(q.old) {
		return ""
	}
	old, lines := strings.Split(strings.TrimSuffix(q.old, "\n"), "\n"), strings.Split(q.new, "\n")
	if blank(old[0]) {
		if old[0] == lines[0] {
			return ""
		}
		return "it begins within the white space of a blank line"
	}
	indent := q.text[from:start] + indentOf(old[0])
	switch {
	case q.new == "" && strings.HasSuffix(q.old, "\n"):
		return "it has the line end but not the whole indentation of its first line"
	case len(lines) > 1 && blank(lines[0]), q.new != "" && indentOf(lines[0]) != indentOf(old[0]):
		return "it does not have the whole indentation of its first line, and new_string begins with another one"
	case showsIndent(old) && indentOf(old[0]) == "" && len(q.sameLines()) > 1:
		return "it does not have the indentation of its first line, and is found in another place with another indentation"
	case showsIndent(old), linesLike(lines, indent):
		return "" // the other lines have the indentation of the file
	}
	return "it does not have the whole indentation of its line, and new_string has more lines, which may leave it out too"
}

// showsIndent reports whether the lines after the first one, which are found exactly as they
// are, show that lines have the indentation of the file.
func showsIndent(old []string) bool {
	for _, line := range old[1:] {
		if !blank(line) && (indentOf(line) != "" || indentOf(old[0]) == "") {
			return true
		}
	}
	return false
}

// linesLike reports whether the lines after the first one clearly are as deep as the
// indentation of the first line in the file: they cannot be lines that belong to the first one,
// or are too deep for that.
func linesLike(lines []string, indent string) bool {
	opens := mayOpen(lines[0])
	for _, line := range lines[1:] {
		i := indentOf(line)
		if blank(line) {
			continue
		}
		tabs := strings.Count(i, "\t") - strings.Count(indentOf(lines[0]), "\t")
		spaces := strings.Count(i, " ") - strings.Count(indentOf(lines[0]), " ")
		if !strings.HasPrefix(i, indent) || opens && tabs < 2 && spaces <= 8 {
			return false
		}
	}
	return true
}

// mayOpen reports whether deeper lines that belong to this one may follow: after a bracket or
// another sign that something is missing, in a list, under a name with a colon, or after a
// comment. A closing bracket says nothing about the lines after it.
func mayOpen(line string) bool {
	line = strings.TrimSpace(line)
	rest := strings.ReplaceAll(strings.ReplaceAll(line, ":=", ""), "::", "")
	return strings.ContainsAny(lastCharacter(line), ":{([,\\=|>&") || strings.Contains(rest, ":") || strings.Trim(line, "})];,") == "" ||
		strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//")
}

// lastCharacter returns the last character of a line that is not white space.
func lastCharacter(line string) string {
	line = strings.TrimSpace(line)
	return line[max(0, len(line)-1):]
}

// cutsWord returns why it is not clear what an exact match means, or "". An old that has a line
// except for the beginning of its first word, or the end of its last one, may lack a character
// by mistake.
func (q *query) cutsWord(start, end int) string {
	old, replacement := elements(q.old), elements(q.new)
	if q.multiple || len(old) < 2 && !strings.Contains(q.new, "\n") {
		return "" // a part of names may be meant
	}
	before, after := start, end
	for before > 0 && wordByte(q.text[before-1]) && wordByte(q.text[start]) {
		before--
	}
	for after < len(q.text) && wordByte(q.text[after]) && wordByte(q.text[end-1]) {
		after++
	}
	startsLine := func(i int) bool { return i == 0 || q.text[i-1] == '\n' }
	endsLine := func(i int) bool { return i == len(q.text) || q.text[i] == '\n' || i > 0 && q.text[i-1] == '\n' }
	lineStart := before
	for lineStart > 0 && strings.IndexByte(" \t", q.text[lineStart-1]) >= 0 {
		lineStart--
	}
	switch {
	case !startsLine(lineStart) || !endsLine(after):
	case before < start && isWord(old[0]) && (len(replacement) == 0 || replacement[0] != old[0] || strings.Count(q.new, old[0]) > 1):
		return "it begins within the first word of its line"
	case after > end && isWord(old[len(old)-1]) && (len(replacement) == 0 || replacement[len(replacement)-1] != old[len(old)-1] || strings.Count(q.new, old[len(old)-1]) > 1):
		return "it ends within the last word of its line"
	}
	return ""
}

// replaceAll returns the changes at the places of old.
func (q *query) replaceAll(places []place) (match, error) {
	var m match
	if len(places) > 1 && !q.multiple {
		m.count = len(places)
		for _, p := range places[:min(len(places), maxNamed)] {
			m.lines = append(m.lines, q.numbers(p))
		}
		return m, nil
	}
	for i, p := range places {
		if i > 0 && p.start < places[i-1].end {
			m.count = len(places)
			return m, &unclear{places: [][2]int{q.numbers(places[i-1]), q.numbers(p)}, reason: "they overlap"}
		}
		c, found, err := q.merge(p)
		if err != nil {
			m.count = len(places)
			return m, err
		}
		m.add(c)
		if len(m.lines) < maxNamed {
			m.lines = append(m.lines, q.numbers(p))
		}
		m.differences.add(found)
	}
	return m, nil
}

// numbers returns the numbers of the first and last line of a place, starting at 1.
func (q *query) numbers(p place) [2]int {
	return [2]int{p.first + 1, p.first + 1 + strings.Count(q.text[p.start:p.end], "\n")}
}

// budget is the number of bytes that flexible and tokens compare at most. (Normal texts need a
// few per line.)
const budget = 5e7

// maxLines is the maximum number of lines of a text for comparing line by line.
const maxLines = 1 << 20

// oldLines returns the lines of old. A final "\n" does not begin another line.
func (q *query) oldLines() []string {
	return strings.Split(strings.TrimSuffix(q.old, "\n"), "\n")
}

// flexible finds lines that differ from those of old only in white space at their beginning
// and end, and in the number of blank lines between them.
func (q *query) flexible() ([]place, error) {
	places := q.sameLines()
	if len(places) > 0 && q.multiple {
		return places, nil
	}
	for _, p := range q.withoutBlanks() {
		if !slices.ContainsFunc(places, func(other place) bool { return other.start == p.start && other.end == p.end }) {
			places = append(places, p)
		}
	}
	slices.SortFunc(places, func(a, b place) int { return a.start - b.start })
	return places, nil
}

// otherCase finds the only lines that differ from those of old in the case of letters, and in
// white space at their beginning and end.
func (q *query) otherCase() ([]place, error) {
	places := q.linesLike(func(line string) string { return strings.ToLower(strings.TrimSpace(line)) })
	if len(places) != 1 {
		return nil, nil
	}
	return places, nil
}

// sameLines finds lines that differ from those of old only in white space at their beginning
// and end.
func (q *query) sameLines() []place { return q.linesLike(strings.TrimSpace) }

// linesLike finds lines that are the same as those of old in this form.
func (q *query) linesLike(form func(string) string) []place {
	want := q.oldLines()
	for i := range want {
		want[i] = form(want[i])
	}
	if blank(q.old) || strings.Count(q.text, "\n") > maxLines {
		return nil // (every blank line would match)
	}
	lines := q.spans()
	same := sequence(len(want))
	var places []place
	for _, i := range q.sequences(len(lines), func(i int) string { return form(q.line(i)) }, want) {
		places = append(places, place{lines[i].start, lines[i+len(want)-1].end, i, same})
	}
	return places
}

// withoutBlanks finds lines that differ from those of old only in white space at their
// beginning and end, and in the number of blank lines between them.
func (q *query) withoutBlanks() []place {
	given := q.oldLines()
	var want []string
	for _, line := range given {
		if !blank(line) {
			want = append(want, strings.TrimSpace(line))
		}
	}
	if len(want) < 2 || blank(given[0]) || blank(given[len(given)-1]) || strings.Count(q.text, "\n") > maxLines {
		return nil
	}
	lines := q.spans()
	var solid []int // numbers of the lines that are not blank
	for i, l := range lines {
		if !blank(q.text[l.start:l.end]) {
			solid = append(solid, i)
		}
	}
	var places []place
	for _, i := range q.sequences(len(solid), func(i int) string {
		l := lines[solid[i]]
		return strings.TrimSpace(q.text[l.start:l.end])
	}, want) {
		first, last := solid[i], solid[i+len(want)-1]
		p := place{start: lines[first].start, end: lines[last].end, first: first}
		p.align = q.alignBlanks(given, solid[i:i+len(want)])
		places = append(places, p)
	}
	return places
}

// alignBlanks returns the align of a place whose lines that are not blank are those with the
// given numbers. The first blank lines between two others correspond to each other.
func (q *query) alignBlanks(given []string, numbers []int) []int {
	align := make([]int, len(given))
	next, solid := numbers[0], 0
	for i, line := range given {
		switch {
		case !blank(line):
			align[i] = numbers[solid] - numbers[0]
			next = numbers[solid] + 1
			solid++
		case next < numbers[min(solid, len(numbers)-1)]:
			align[i] = next - numbers[0]
			next++
		default:
			align[i] = -1
		}
	}
	return align
}

// sequences returns where the wanted lines are among n lines. They may overlap.
func (q *query) sequences(n int, line func(int) string, want []string) []int {
	trimmed := make([]string, n)
	for i := range n {
		trimmed[i] = line(i)
	}
	var starts []int
	work := 0
	for i := 0; i+len(want) <= n; i++ {
		same := 0
		for same < len(want) && trimmed[i+same] == want[same] {
			work += len(want[same]) + 1
			same++
		}
		if work++; work > budget || i%1024 == 0 && q.stop() {
			return nil
		}
		if same == len(want) {
			starts = append(starts, i)
		}
	}
	return starts
}

// tokens finds lines that have the words and punctuation of old in the same order, with any
// white space between them; Gemini CLI calls this the regex strategy. Around
// brackets, colons and similar characters of code there may be white space even if old has
// none.
func (q *query) tokens() ([]place, error) {
	var spaced strings.Builder
	for _, r := range q.old {
		if strings.ContainsRune("():[]{}><=", r) {
			spaced.WriteString(" " + string(r) + " ")
		} else {
			spaced.WriteRune(r)
		}
	}
	want := strings.Fields(spaced.String())
	if len(want) == 0 || strings.ContainsRune(q.old, '\uFFFD') {
		return nil, nil // old contained invalid UTF-8, which the loop replaced
	}
	var places []place
	work := 0
	for i, number := 0, 0; i < len(q.text); {
		start, end := i, skip(q.text, i, " \t")
		for n, word := range want {
			if n > 0 {
				end = skip(q.text, end, " \t\n\r\f\v")
			}
			if !strings.HasPrefix(q.text[end:], word) {
				work += len(q.text[start:end])
				end = -1
				break
			}
			end += len(word)
		}
		if work++; work > budget || number%1024 == 0 && q.stop() {
			return nil, nil
		}
		if end >= 0 {
			work += end - start
			end = skip(q.text, end, " \t\r\f\v")
		}
		if end >= 0 && (end == len(q.text) || q.text[end] == '\n') {
			p := place{start: start, end: end, first: number}
			p.align = q.alignTokens(q.text[start:end])
			places = append(places, p)
			number += strings.Count(q.text[i:end], "\n")
			i = end
		}
		next := strings.IndexByte(q.text[i:], '\n')
		if next < 0 {
			break
		}
		i += next + 1
		number++
	}
	return places, nil
}

// alignTokens returns the align of a block that has the tokens of old, nil if its lines are
// broken in other places.
func (q *query) alignTokens(block string) []int {
	given, lines := q.oldLines(), strings.Split(block, "\n")
	if len(given) != len(lines) {
		return nil
	}
	align := make([]int, len(given))
	for i := range given {
		if bare(given[i]) != bare(lines[i]) {
			return nil
		}
		align[i] = i
	}
	return align
}

// bare returns s without white space.
func bare(s string) string { return strings.Join(strings.Fields(s), "") }

func skip(s string, i int, set string) int {
	for i < len(s) && strings.IndexByte(set, s[i]) >= 0 {
		i++
	}
	return i
}

// span is the range of a line without its "\n".
type span struct{ start, end int }

// splitLines returns the lines of text. A final "\n" does not begin another line.
func splitLines(text string) []span {
	lines := make([]span, 0, strings.Count(text, "\n")+1)
	for i := 0; i < len(text); {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return append(lines, span{i, len(text)})
		}
		lines = append(lines, span{i, i + n})
		i += n + 1
	}
	return lines
}
