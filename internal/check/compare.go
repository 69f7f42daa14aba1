package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"pollux/llm/ellipsis"
)

// finding has the new problems of a file.
type finding struct {
	path     string // for the model
	problems []Problem
	by       string
	isOwn    bool
	hadSome  bool // the text before had problems, too
}

// compare returns the problems in a text that the text before does not have. An old problem has the same message, at a
// line with the same text.
func compare(before, after string, was, is Report) []Problem {
	type place struct{ message, line string }
	oldLines, lines := strings.Split(before, "\n"), strings.Split(after, "\n")
	placeOf := func(p Problem, lines []string) place { return place{withoutNumbers(p.Text), lineOf(lines, p.Line)} }
	known := map[place]int{}
	for _, p := range was.Problems {
		known[placeOf(p, oldLines)]++
	}
	var unread []string // lines that the checker has not read before
	if was.IsPartial && len(was.Problems) > 0 {
		unread = oldLines[min(max(was.Problems[0].Line-1, 0), len(oldLines)):]
	}
	var found []Problem
	for _, p := range is.Problems {
		at := placeOf(p, lines)
		isUnread := slices.ContainsFunc(unread, func(line string) bool { return strings.TrimSpace(line) == at.line })
		if known[at] > 0 {
			known[at]--
		} else if !isUnread {
			found = append(found, p)
		}
	}
	return found
}

// lineOf returns the text of a line, without white space around it; "" if there is no such line.
func lineOf(lines []string, number int) string {
	if number < 1 || number > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[number-1])
}

// withoutNumbers removes the digits of a message, because it may name other lines.
func withoutNumbers(message string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, message)
}

// The limits of a note.
const (
	maxLines    = 10
	maxProblems = 5   // of a file: one mistake often has several
	maxText     = 200 // characters of a problem
)

// note describes findings for the model. late are those about edits of earlier responses.
func note(findings, late []finding) string {
	var lines []string
	for _, f := range late {
		lines = append(lines, f.describe("After your earlier edit, %s did not parse", "After your earlier edit, %s had new syntax errors", "After your earlier edit, the user's check found problems in %s")...)
	}
	for _, f := range findings {
		lines = append(lines, f.describe("Now %s does not parse", "New syntax errors in %s", "The user's check now finds problems in %s")...)
	}
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines-1], fmt.Sprintf("... and %d more lines", more+1))
	}
	return strings.Join(lines, "\n")
}

// describe returns the lines about a finding: with the first format if the file was valid before, with the second if
// it was not, with the third if the check is the user's own.
func (f *finding) describe(fresh, further, own string) []string {
	format := fresh
	switch {
	case f.isOwn:
		format = own
	case f.hadSome:
		format = further
	}
	head := fmt.Sprintf(format, f.path)
	if f.by != "" {
		head += " (" + f.by + ")"
	}
	if len(f.problems) == 1 {
		return []string{head + ": " + f.problems[0].String()}
	}
	lines := []string{head + ":"}
	for _, p := range f.problems[:min(len(f.problems), maxProblems)] {
		lines = append(lines, p.String())
	}
	if more := len(f.problems) - maxProblems; more > 0 {
		lines = append(lines, fmt.Sprintf("... and %d more", more))
	}
	return lines
}

// String returns a problem in one line, such as "12:4: expected ';', found x".
func (p Problem) String() string {
	text := strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(p.Text, "\uFFFD"))), " ")
	text = ellipsis.Runes(text, maxText)
	switch {
	case p.Line == 0:
		return text
	case p.Column == 0:
		return fmt.Sprintf("line %d: %s", p.Line, text)
	}
	return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, text)
}

// displayPath returns a path relative to the working directory, if it is below it.
func displayPath(dir, path string) string {
	if below, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(below) {
		return filepath.ToSlash(below)
	}
	return path
}
