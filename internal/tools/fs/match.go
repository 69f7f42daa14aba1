package fs

import "strings"

// change says that the text from start to end becomes text.
type change struct {
	start, end int // bytes
	text       string
}

// match is what a search for the place of an edit found.
type match struct {
	changes []change // in order, none overlapping
	count   int      // how often the searched text is there
	how     string   // it was found
	// lines are the places of a fuzzy match, which the model should know of: it
	// was not what it asked for. First and last line, from 1.
	lines [][2]int
	// inserted is the size of all changes' texts. Past maxChanges or
	// maxInserted changes are counted, not kept: see tooMuch.
	inserted int
}

// No edit makes more changes than this, nor inserts more bytes.
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

// tooMuch reports whether there are more changes than were kept.
func (m *match) tooMuch() bool { return m.count > maxChanges || m.inserted > maxInserted }

// find looks for old in text by ever more lenient strategies, and says what
// puts replacement in its place. The first strategy that finds anything
// decides; a count of 0 means that none did. All three texts have "\n" line
// ends. stop is asked now and then whether to give up (spec/tools.md §3.6).
func find(text, old, replacement string, stop func() bool) match {
	if old == "" {
		return match{}
	}
	for _, strategy := range [...]struct {
		name string // Gemini CLI's
		find func(text, old, replacement string, stop func() bool) match
	}{{"exact", exact}, {"flexible", flexible}, {"regex", tokens}, {"fuzzy", fuzzy}} {
		if m := strategy.find(text, old, replacement, stop); m.count > 0 || stop() {
			m.how = strategy.name
			return m
		}
	}
	return match{}
}

// exact finds old as it is.
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

// budget is how many bytes flexible and tokens each compare before they give
// up, whatever they were given. (Texts that are not made for the purpose need
// a few per line.)
const budget = 5e7

// maxLines is how many lines a text may have to be compared line by line.
const maxLines = 1 << 20

// flexible finds lines that are those of old but for white space at their ends.
func flexible(text, old, replacement string, stop func() bool) match {
	want := strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	blankLines := true
	for i := range want {
		want[i] = strings.TrimSpace(want[i])
		blankLines = blankLines && want[i] == ""
	}
	if blankLines || strings.Count(text, "\n") > maxLines {
		return match{} // (every blank line would do)
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
			m.add(block(text, lines[i].start, lines[i+n-1].end, old, replacement))
			i += n - 1
		}
	}
	return m
}

// tokens finds the words and signs of old in their order at the begin of a
// line, whatever white space is between them: what the spec calls the regex
// strategy. Where a sign of code stands (a bracket, a colon, ...) there may be
// white space even if old has none.
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
		return match{} // the loop above made U+FFFD of what was something else
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
			m.add(block(text, start, end, old, replacement))
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

// span is where a line is, without its "\n".
type span struct{ start, end int }

// splitLines returns the lines of text. A "\n" at the end begins none.
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

// block returns the change that puts replacement, indented as the line at
// start is, in the place of text[start:end], which was found for old.
//
// The place begins with a line, and its end of line is not in it. So an end of
// line at the end of replacement is not inserted, or there would be two; but
// lines that are to go, go with theirs.
func block(text string, start, end int, old, replacement string) change {
	atEnd := end == len(text) || text[end] == '\n'
	if strings.HasSuffix(old, "\n") || atEnd {
		replacement = strings.TrimSuffix(replacement, "\n")
	}
	if replacement == "" && strings.HasSuffix(old, "\n") && atEnd && end < len(text) {
		end++
	}
	indent := text[start:skip(text, start, " \t")]
	return change{start, end, reindent(replacement, indent)}
}

// reindent moves text so that its first line is indented by indent, and the
// others keep their place relative to it.
func reindent(text, indent string) string {
	lines := strings.Split(text, "\n")
	first := lines[0][:skip(lines[0], 0, " \t")]
	for i, line := range lines {
		rest, deeper := strings.CutPrefix(line, first)
		switch {
		case blank(line):
			lines[i] = ""
		case deeper:
			lines[i] = indent + rest
		default:
			lines[i] = indent + strings.TrimLeft(line, " \t")
		}
	}
	return strings.Join(lines, "\n")
}
