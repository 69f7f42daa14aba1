package memory

import (
	"fmt"
	"slices"
	"strings"

	"pollux/internal/workspace"
)

// The notes at the end of a text that was cut, and in place of one that was left out, because the
// files at the start are too large together.
const (
	noteCut  = "\n<!-- Cut here: the context files are too large together. Read the rest of the file if you need it. -->"
	noteGone = "<!-- Left out: the context files are too large together. Read the file if you need it. -->"
)

// fit cuts the files read so far to [Options.MaxStart]. The user's own files and the nearest one of
// the project stay whole. Of the others, those of further workspace directories are cut first, then
// those of the project from the top, then those of extensions.
func (l *loaded) fit() {
	over := -l.MaxStart
	for i := range l.files {
		over += len(l.files[i].Text)
	}
	if over <= 0 {
		return
	}
	for _, i := range l.expendable() {
		f := &l.files[i]
		before := len(f.Text)
		text := strings.TrimSuffix(f.Text, noteCut)
		switch keep := len(text) - over - len(noteCut); {
		case keep > 0:
			f.Text = trimToLine(text[:keep]) + noteCut
		case before > len(noteGone):
			f.Text = noteGone
		}
		f.Cut = true
		over -= before - len(f.Text)
		l.room += before - len(f.Text)
		if over <= 0 {
			return
		}
	}
}

// expendable returns the indexes of the files that may be cut, those to cut first at the beginning.
func (l *loaded) expendable() []int {
	var extensions, first, others []int
	for i := range l.files {
		switch f := &l.files[i]; {
		case f.Tier == Extension:
			extensions = append(extensions, i)
		case f.Tier == Project && (len(first) == 0 || f.home == l.files[first[0]].home):
			first = append(first, i)
		case f.Tier == Project:
			others = append(others, i)
		}
	}
	if len(first) > 0 {
		first = first[:len(first)-1] // the nearest
	}
	slices.Reverse(extensions)
	return slices.Concat(others, first, extensions)
}

// warnOfFit reports the files that fit has cut.
func (l *loaded) warnOfFit() {
	var list []string
	total := 0
	for i := range l.files {
		f := &l.files[i]
		total += f.Size
		switch name := workspace.PrintableName(f.Path); {
		case f.Text == noteGone:
			list = append(list, name+" is left out")
		case strings.HasSuffix(f.Text, noteCut):
			list = append(list, fmt.Sprintf("%s is cut to %s", name, size(len(f.Text)-len(noteCut))))
		}
	}
	if len(list) > 0 {
		l.Warn(fmt.Sprintf("Warning: The context files have %s, more than pollux.memory.maxKilobytes allows (%d): %s.",
			size(total), l.MaxStart>>10, strings.Join(list, ", ")))
	}
}
