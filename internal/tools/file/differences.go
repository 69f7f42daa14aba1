package file

import "slices"

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
