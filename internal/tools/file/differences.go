package file

import (
	"fmt"
	"slices"
	"strings"

	"pollux/llm/ellipsis"
)

func (m *merger) wrong(i int, s slip) *unclear {
	theirs, ours := describeSlip(m.given[i].body, s)
	where := "the file"
	if len(m.file) > 1 {
		where = fmt.Sprintf("line %d", m.above+m.align[i]+1)
	}
	return &unclear{reason: fmt.Sprintf("it has %s where %s has %s", ours, where, theirs)}
}

// describeSlip returns the text in a line of the file, and the text of old_string in its place.
func describeSlip(given string, s slip) (theirs, ours string) {
	if !blank(s.file) && !blank(s.given) {
		return shortQuote(s.file), shortQuote(s.given)
	}
	// Add the elements around it.
	a := elements(given)
	before := strings.Join(a[max(0, s.from-1):s.from], "")
	after := strings.Join(a[s.to:min(len(a), s.to+1)], "")
	return shortQuote(before + s.file + after), shortQuote(before + s.given + after)
}

// shortQuote quotes a text of at most about 40 characters, in backticks if it has quotes.
func shortQuote(s string) string {
	s = ellipsis.Fit(s, 40)
	if strings.Contains(s, `"`) && !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	return `"` + s + `"`
}

// differences are those between lines of the file and old_string.
type differences struct {
	layout []string // such as "the indentation"
	words  []note
}

// note describes a part of a line of the file, by the line's number, and the text of old_string
// in its place.
type note struct {
	line int
	text string
}

func (d *differences) any() bool { return len(d.layout)+len(d.words) > 0 }

func (d *differences) add(other differences) {
	for _, layout := range other.layout {
		if !slices.Contains(d.layout, layout) {
			d.layout = append(d.layout, layout)
		}
	}
	d.words = append(d.words, other.words...)
}

// differences returns how the lines of the file differ from old_string.
func (m *merger) differences() (all differences) {
	isTrailing, isBlank := false, len(m.file) != len(m.given)
	for i, at := range m.align {
		if at < 0 {
			isBlank = true
			continue
		}
		isTrailing = isTrailing || m.given[i].trail != m.file[at].trail
		for _, s := range m.slips[i] {
			theirs, ours := describeSlip(m.given[i].body, s)
			all.words = append(all.words, note{m.above + at + 1, fmt.Sprintf("%s where old_string has %s", theirs, ours)})
		}
	}
	for _, d := range []struct {
		is   bool
		text string
	}{{len(m.differing()) > 0, "the indentation"}, {isTrailing, "white space at line ends"}, {isBlank, "blank lines"}} {
		if d.is {
			all.layout = append(all.layout, d.text)
		}
	}
	return all
}
