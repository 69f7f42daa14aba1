// Package merge combines two changes of a text.
package merge

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Lines returns a text with both changes of base, that to ours and that to theirs. Where they change the same lines, or
// lines without another one in between, they are in conflict, unless they change them alike: then it returns where, and
// no text.
func Lines(base, ours, theirs string) (text string, conflicts []Range) {
	m := merger{base: base, ours: ours, a: diff(base, ours), b: diff(base, theirs)}
	for len(m.a) > 0 || len(m.b) > 0 {
		m.next()
	}
	if len(m.conflicts) > 0 {
		return "", m.conflicts
	}
	m.out.WriteString(base[m.at:])
	return m.out.String(), nil
}

// Range is a range of lines, from 1 on. If it is empty, Last is First-1: the conflict is before the line First.
type Range struct{ First, Last int }

type merger struct {
	base, ours string
	a, b       []udiff.Edit // to ours and to theirs; those that are left
	at         int          // how much of base has been merged
	shift      int          // how much longer ours is than base up to there
	lines      int          // in ours up to counted
	counted    int
	out        strings.Builder
	conflicts  []Range
}

// next merges the next edit, and all that touch it.
func (m *merger) next() {
	start := len(m.base)
	for _, edits := range [...][]udiff.Edit{m.a, m.b} {
		if len(edits) > 0 {
			start = min(start, edits[0].Start)
		}
	}
	end, a, b := start, 0, 0
	for {
		switch {
		case a < len(m.a) && m.a[a].Start <= end:
			end = max(end, m.a[a].End)
			a++
			continue
		case b < len(m.b) && m.b[b].Start <= end:
			end = max(end, m.b[b].End)
			b++
			continue
		}
		break
	}
	ours, theirs := m.apply(m.a[:a], start, end), m.apply(m.b[:b], start, end)
	m.out.WriteString(m.base[m.at:start])
	switch {
	case a == 0:
		m.out.WriteString(theirs)
	case b == 0 || ours == theirs:
		m.out.WriteString(ours)
	default:
		first := m.line(start+m.shift) + 1
		m.conflicts = append(m.conflicts, Range{first, first + countLines(ours) - 1})
	}
	m.shift += len(ours) - (end - start)
	m.at, m.a, m.b = end, m.a[a:], m.b[b:]
}

// apply returns a part of base with edits in it.
func (m *merger) apply(edits []udiff.Edit, start, end int) string {
	var b strings.Builder
	for _, e := range edits {
		b.WriteString(m.base[start:e.Start])
		b.WriteString(e.New)
		start = e.End
	}
	b.WriteString(m.base[start:end])
	return b.String()
}

// line returns the number of lines in ours before an offset, which never decreases.
func (m *merger) line(offset int) int {
	m.lines += strings.Count(m.ours[m.counted:offset], "\n")
	m.counted = offset
	return m.lines
}

// countLines counts the lines of a text, the last of which need not have an end.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
