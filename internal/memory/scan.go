package memory

import "strings"

// span is the range text[start:end] of a text.
type span struct{ start, end int }

// maxPath is the maximum length of an imported path, in bytes.
const maxPath = 4096

// imports returns the imports in a text in order. An import is an @ at the start or after
// white space, outside of code, followed by a path that ends at the next white space. A word
// after an @ is a path only if it has a slash or an extension; otherwise it is a person's
// name.
func imports(text string) []span {
	var found []span
	var regions []span
	for i := 0; ; {
		at := strings.IndexByte(text[i:], '@')
		if at < 0 {
			return found
		}
		start := i + at
		i = start + 1
		if start > 0 && !isSpace(text[start-1]) || i == len(text) || !startsPath(text[i]) {
			continue
		}
		for i < len(text) && !isSpace(text[i]) {
			i++
		}
		if !looksLikePath(text[start+1 : i]) {
			continue
		}
		if regions == nil { // most texts have no imports, and their code need not be found
			regions = append(codeRegions(text), span{len(text), len(text)})
		}
		for regions[0].end <= start {
			regions = regions[1:]
		}
		if regions[0].start > start {
			found = append(found, span{start, i})
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func startsPath(c byte) bool {
	return c == '.' || c == '/' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func looksLikePath(word string) bool {
	word = withoutPunctuation(word)
	return len(word) <= maxPath && (strings.Contains(word, "/") || extension(word) != "")
}

func withoutPunctuation(word string) string { return strings.TrimRight(word, ".,;:!?)") }

// extension returns the text after the last dot of a file's name, "" if there is none, or
// nothing but dots before it.
func extension(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && strings.Trim(name[:dot], ".") != "" {
		return name[dot+1:]
	}
	return ""
}

// codeRegions returns the code in a Markdown text in order: fenced blocks, and text between
// backticks in a paragraph.
func codeRegions(text string) []span {
	var regions []span
	paragraph := 0
	endParagraph := func(at int) {
		regions = appendInline(regions, text, paragraph, at)
	}
	for at := 0; at < len(text); {
		next := lineEnd(text, at)
		line := strings.TrimSpace(text[at:next])
		fence := openingFence(line)
		switch {
		case fence != "":
			endParagraph(at)
			end := closeFence(text, next, fence)
			regions = append(regions, span{at, end})
			paragraph, next = end, end
		case line == "":
			endParagraph(at)
			paragraph = next
		}
		at = next
	}
	endParagraph(len(text))
	return regions
}

// lineEnd returns the start of the line after the one at an offset.
func lineEnd(text string, at int) int {
	if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
		return at + end + 1
	}
	return len(text)
}

// openingFence returns the backticks or tildes that open a code block, "" if the line does not
// open one. It may be indented by any amount, as in lists.
func openingFence(line string) string {
	n := run(line)
	if n < 3 || line[0] == '`' && strings.IndexByte(line[n:], '`') >= 0 {
		return ""
	}
	return line[:n]
}

// run returns the number of backticks or tildes at the start of a text.
func run(text string) int {
	if text == "" || text[0] != '`' && text[0] != '~' {
		return 0
	}
	return len(text) - len(strings.TrimLeft(text, text[:1]))
}

// closeFence returns the end of the code block that fence has opened: after a line of at least
// as many of the same characters, otherwise the end of the text.
func closeFence(text string, at int, fence string) int {
	for at < len(text) {
		next := lineEnd(text, at)
		line := strings.TrimSpace(text[at:next])
		if strings.HasPrefix(line, fence) && run(line) == len(line) {
			return next
		}
		at = next
	}
	return len(text)
}

// appendInline appends the text between two runs of the same number of backticks in
// text[from:to].
func appendInline(regions []span, text string, from, to int) []span {
	var runs []span
	last := map[int]int{} // index of the last run of each length
	for at := from; at < to; {
		tick := strings.IndexByte(text[at:to], '`')
		if tick < 0 {
			break
		}
		at += tick
		n := run(text[at:to])
		last[n] = len(runs)
		runs = append(runs, span{at, at + n})
		at += n
	}
	for i := 0; i < len(runs); i++ {
		n := runs[i].end - runs[i].start
		if last[n] == i {
			continue // not closed
		}
		open := i
		for i++; runs[i].end-runs[i].start != n; i++ {
		}
		regions = append(regions, span{runs[open].start, runs[i].end})
	}
	return regions
}
