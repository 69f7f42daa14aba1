package file

import "strings"

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
	// lines are the places of a fuzzy match, which are reported to the model because they
	// differ from the text it gave. First and last line, starting at 1.
	lines [][2]int
	// inserted is the size of the texts of all changes. Beyond maxChanges or maxInserted,
	// changes are counted but not kept: see tooMuch.
	inserted int
}

// Limits of one edit: number of changes, and inserted bytes.
const (
	maxChanges  = 100_000
	maxInserted = 64 << 20
)

func (m *match) add(c change) {
	m.count++
	m.inserted += len(c.text)
	if !m.tooMuch() {
		m.changes = append(m.changes, c)
	}
}

// tooMuch reports whether there are more changes than are kept.
func (m *match) tooMuch() bool { return m.count > maxChanges || m.inserted > maxInserted }

// find searches text for old with increasingly lenient strategies, and returns the changes
// that replace it. The first strategy that finds anything is used; if count is 0, none did.
// All three texts must have "\n" line ends. find calls stop regularly to check whether to give
// up.
func find(text, old, replacement string, stop func() bool) match {
	if old == "" {
		return match{}
	}
	for _, strategy := range [...]struct {
		name string // Gemini CLI's name
		find func(text, old, replacement string, stop func() bool) match
	}{{"exact", exact}, {"flexible", flexible}, {"regex", tokens}, {"fuzzy", fuzzy}} {
		if m := strategy.find(text, old, replacement, stop); m.count > 0 || stop() {
			m.how = strategy.name
			return m
		}
	}
	return match{}
}

// exact finds exact occurrences of old.
func exact(text, old, replacement string, _ func() bool) match {
	var m match
	for from := 0; ; {
		i := strings.Index(text[from:], old)
		if i < 0 {
			return m
		}
		start := from + i
		from = start + len(old)
		m.add(change{start, from, replacement})
	}
}

// budget is the number of bytes that flexible and tokens compare at most. (Normal texts need a
// few per line.)
const budget = 5e7

// maxLines is the maximum number of lines of a text for comparing line by line.
const maxLines = 1 << 20

// flexible finds lines that differ from those of old only in white space at their beginning
// and end.
func flexible(text, old, replacement string, stop func() bool) match {
	want := strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	blankLines := true
	for i := range want {
		want[i] = strings.TrimSpace(want[i])
		blankLines = blankLines && want[i] == ""
	}
	if blankLines || strings.Count(text, "\n") > maxLines {
		return match{} // (every blank line would match)
	}
	lines := splitLines(text)
	trimmed := make([]string, len(lines))
	for i, l := range lines {
		trimmed[i] = strings.TrimSpace(text[l.start:l.end])
	}
	var m match
	work := 0
	for i := 0; i+len(want) <= len(lines); i++ {
		n := 0
		for n < len(want) && trimmed[i+n] == want[n] {
			work += len(want[n]) + 1
			n++
		}
		if work++; work > budget || i%1024 == 0 && stop() {
			return match{}
		}
		if n == len(want) {
			m.add(block(text, lines[i].start, lines[i+n-1].end, old, replacement, true))
			i += n - 1
		}
	}
	return m
}

// tokens finds the words and punctuation of old in the same order at the beginning of a line,
// with any white space between them; Gemini CLI calls this the regex strategy. Around
// brackets, colons and similar characters of code there may be white space even if old has
// none.
func tokens(text, old, replacement string, stop func() bool) match {
	var spaced strings.Builder
	for _, r := range old {
		if strings.ContainsRune("():[]{}><=", r) {
			spaced.WriteString(" " + string(r) + " ")
		} else {
			spaced.WriteRune(r)
		}
	}
	want := strings.Fields(spaced.String())
	if len(want) == 0 || strings.ContainsRune(old, '\uFFFD') {
		return match{} // old contained invalid UTF-8, which the loop replaced
	}
	var m match
	work := 0
	for i, lineNo := 0, 0; i < len(text); lineNo++ {
		start, end := i, skip(text, i, " \t")
		for n, word := range want {
			if n > 0 {
				end = skip(text, end, " \t\n\r\f\v")
			}
			if !strings.HasPrefix(text[end:], word) {
				work += len(text[start:end])
				end = -1
				break
			}
			end += len(word)
		}
		if work++; work > budget || lineNo%1024 == 0 && stop() {
			return match{}
		}
		if end >= 0 {
			work += end - start
			m.add(block(text, start, end, old, replacement, false))
			i = end
		}
		next := strings.IndexByte(text[i:], '\n')
		if next < 0 {
			break
		}
		i += next + 1
	}
	return m
}

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

// block returns the change that replaces text[start:end], which matched old, with replacement,
// moved to the indentation there. aligned reports whether the lines are those of old, one by
// one.
//
// The range begins at a line start and excludes its line end. So a line end at the end of
// replacement is not inserted, to avoid two of them; but when lines are deleted, their line
// ends are deleted too.
func block(text string, start, end int, old, replacement string, aligned bool) change {
	matched := text[start:end]
	atEnd := end == len(text) || text[end] == '\n'
	if strings.HasSuffix(old, "\n") || atEnd {
		replacement = strings.TrimSuffix(replacement, "\n")
	}
	if replacement == "" && strings.HasSuffix(old, "\n") && atEnd && end < len(text) {
		end++
	}
	return change{start, end, moved(matched, strings.TrimSuffix(old, "\n"), replacement, aligned)}
}
