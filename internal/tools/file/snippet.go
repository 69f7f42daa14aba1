package file

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Limits of the code that a model sees after an edit.
const (
	snippetContext = 3   // lines around a change
	snippetRegions = 2   // regions with their surrounding lines
	snippetLines   = 20  // lines of all regions
	snippetLine    = 300 // bytes of a line
)

// snippet returns the first changed regions of the new text with surrounding lines. A region
// that does not begin with the first line has "... line 12:" before it, and "..." stands for
// lines after the last one. It returns the beginning and the end of the text if the file is new
// or unchanged. The text after the last line end counts as a line even if it is empty, so that
// the model sees whether the file ends with a line end. all reports whether there are no more
// changed regions.
func (r *revision) snippet() (text string, all bool) {
	after := validText([]byte(r.after.text))
	hunks := diffHunks(validText([]byte(r.before.text))+"\n", after+"\n", snippetContext)
	if r.before.text == "" || len(hunks) == 0 {
		return strings.Join(elide(strings.Split(after, "\n"), snippetLines), "\n"), true
	}
	regions := hunks[:min(len(hunks), snippetRegions)]
	var out []string
	shown := 0 // lines of after
	for _, h := range regions {
		if h.ToLine > shown+1 {
			out = append(out, fmt.Sprintf("... line %d:", h.ToLine))
		}
		lines := newLines(h)
		shown = max(h.ToLine-1, 0) + len(lines)
		out = append(out, elide(lines, snippetLines/len(regions))...)
	}
	if shown < strings.Count(after, "\n")+1 {
		out = append(out, "...")
	}
	return strings.Join(out, "\n"), len(regions) == len(hunks)
}

// echoes reports whether a snippet would only repeat new_string, because that has the lines around the change: it returns the
// lines of the new text where new_string is. A lenient match has other lines than the call.
func (e *edit) echoes() (first, last int, ok bool) {
	if e.how != "exact" || len(e.changes) != 1 {
		return 0, 0, false
	}
	c := e.changes[0]
	if c.start > 0 && e.before.text[c.start-1] != '\n' || !strings.Contains(strings.TrimSuffix(c.text, "\n"), "\n") {
		return 0, 0, false // it begins within a line, or has only one
	}
	first = 1 + strings.Count(e.before.text[:c.start], "\n")
	last = first + strings.Count(strings.TrimSuffix(c.text, "\n"), "\n")
	for _, h := range diffHunks(validText([]byte(e.before.text))+"\n", validText([]byte(e.after.text))+"\n", snippetContext) {
		if h.ToLine < first || h.ToLine+len(newLines(h))-1 > last {
			return 0, 0, false
		}
	}
	return first, last, true
}

// newLines returns the lines of a hunk in the new text. Of a long line, it returns the part
// that was changed.
func newLines(h *udiff.Hunk) []string {
	var lines, removed []string
	for _, l := range h.Lines {
		content := strings.Split(strings.TrimSuffix(l.Content, "\n"), "\n")
		switch l.Kind {
		case udiff.Delete:
			removed = append(removed, content...)
			continue
		case udiff.Equal:
			removed = nil
		}
		for _, line := range content {
			at := 0
			if len(removed) > 0 {
				at, removed = commonPrefix(removed[0], line), removed[1:]
			}
			lines = append(lines, partAround(line, at))
		}
	}
	return lines
}

// partAround returns a line, or of a long one the part around an offset.
func partAround(line string, at int) string {
	if len(line) <= snippetLine {
		return line
	}
	start := max(0, min(at-snippetLine/3, len(line)-snippetLine))
	part := strings.ToValidUTF8(line[start:start+snippetLine], "")
	if start > 0 {
		part = "..." + part
	}
	if start+snippetLine < len(line) {
		part += "..."
	}
	return part
}

// elide returns at most n lines: it leaves out those in the middle.
func elide(lines []string, n int) []string {
	if len(lines) <= n {
		return lines
	}
	first, last := n/2, n-n/2-1
	out := append(slices.Clone(lines[:first]), fmt.Sprintf("... (%d lines not shown)", len(lines)-first-last))
	return append(out, lines[len(lines)-last:]...)
}

// places returns "in lines 95, 101, 107 and 140 more places up to line 2901" for the lines of
// the new text where changes begin.
func (e *edit) places() string {
	lines := e.firstLines()
	var named []string
	for _, n := range lines[:min(len(lines), maxNamed)] {
		named = append(named, fmt.Sprint(n))
	}
	text := "in lines " + strings.Join(slices.Compact(named), ", ")
	if n := len(lines) - maxNamed; n > 0 {
		text += fmt.Sprintf(" and %s up to line %d", plural(n, "more place"), lines[len(lines)-1])
	}
	return text
}

// firstLines returns the line of the new text where each change begins.
func (e *edit) firstLines() (lines []int) {
	at := &lineCounter{text: e.before.text}
	more := 0 // lines that the changes before have added
	for _, c := range e.changes {
		replaced := e.before.text[c.start:c.end]
		lines = append(lines, at.line(c.start+commonPrefix(replaced, c.text))+more)
		more += strings.Count(c.text, "\n") - strings.Count(replaced, "\n")
	}
	return lines
}
