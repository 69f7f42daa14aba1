package file

import "strings"

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
	for _, c := range m.changes {
		reason := q.omitsIndent(c.start)
		if reason == "" {
			reason = q.cutsWord(c.start, c.end)
		}
		if reason != "" {
			n := strings.Count(q.text[:c.start], "\n")
			return m, &unclear{exact: true, places: [][2]int{{n + 1, n + 1 + last}}, reason: reason, lines: q.excerpt(n, n+last)}
		}
	}
	if m.count <= 1 {
		m.lines = nil
	}
	return m, nil
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

// omitsIndent returns why an exact match at this offset is ambiguous, or "". An old that begins
// within the indentation of a line may leave out the indentation of its only line, of its first
// line, or of none because it means a part of the line. That matters if new has other lines, or
// another indentation.
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
	case showsIndent(old) && indentOf(old[0]) == "" && len(q.linesLike(strings.TrimSpace)) > 1:
		return "it does not have the indentation of its first line, and is found in another place with another indentation"
	case showsIndent(old), areIndented(lines, indent):
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

// areIndented reports whether the lines after the first one clearly are as deep as the
// indentation of the first line in the file: they cannot be lines that belong to the first one,
// or are too deep for that.
func areIndented(lines []string, indent string) bool {
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
// comment. A closing bracket allows no conclusion about the lines after it.
func mayOpen(line string) bool {
	line = strings.TrimSpace(line)
	rest := strings.ReplaceAll(strings.ReplaceAll(line, ":=", ""), "::", "")
	return strings.ContainsAny(line[max(0, len(line)-1):], ":{([,\\=|>&") || strings.Contains(rest, ":") || strings.Trim(line, "})];,") == "" ||
		strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//")
}

// cutsWord returns why an exact match is ambiguous, or "". An old of several words that begins
// or ends within a word of the file may lack a character by mistake.
func (q *query) cutsWord(start, end int) string {
	old, replacement := elements(q.old), elements(q.new)
	if q.multiple || len(old) < 2 && !strings.Contains(q.new, "\n") {
		return "" // a part of names may be meant
	}
	first, last := old[0], old[len(old)-1]
	switch n := len(replacement); {
	case isWithinWord(q.text, start) && (n == 0 || replacement[0] != first || strings.Count(q.new, first) > 1):
		return "it begins within a word"
	case isWithinWord(q.text, end) && (n == 0 || replacement[n-1] != last || strings.Count(q.new, last) > 1):
		return "it ends within a word"
	}
	return ""
}
