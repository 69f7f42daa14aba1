package file

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/tool"
)

// failed returns the result for err. All errors of writing have the same type here, except a
// full disk, which ends the run. People see a short reason in place of the advice for the model.
func (c *replaceCall) failed(err error) *tool.Result {
	r := failed(err)
	reason := ""
	switch r.Error.Type {
	case tool.ErrPermissionDenied:
		r.Error.Type = tool.ErrFileWrite
	case tool.ErrEditNoOccurrence:
		reason = "the text to replace is not in the file"
	case tool.ErrEditOccurrenceMismatch:
		reason = "the text to replace is in the file more than once"
	case tool.ErrEditNoChange:
		reason = "the edit changes nothing"
	case tool.ErrCreateExisting:
		reason = "the file already exists"
	case tool.ErrFileNotFound:
		reason = "there is no such file"
	}
	if errors.Is(err, errMade) {
		reason = errMade.Error()
	}
	if reason != "" {
		r.Display = tool.TextDisplay(c.w.Display(c.abs) + ": " + reason)
	}
	return r
}

func (c *replaceCall) report(e *edit) *tool.Result {
	if !e.before.exists {
		text := fmt.Sprintf("Created new file: %s with provided content (%s).", c.abs, e.lineCount())
		if review := c.userChanges(e); review != "" {
			text += " " + review
		}
		r := e.result(text, proposedLabels)
		r.Display = tool.TextDisplay("Created " + shorten(c.w.Rel(c.abs), 35))
		return r
	}
	count, review := plural(e.count, "replacement"), c.userChanges(e)
	what := review
	if review == "" {
		code, all := e.snippet()
		if !all {
			count += ", " + e.places()
		}
		what = "Here is the updated code:\n" + code
		if list := e.renamed(c.old, c.new); list != "" {
			what = "The changed lines begin:\n" + list
		} else if first, last, ok := e.echoes(); ok {
			what = fmt.Sprintf("new_string is now lines %d-%d.", first, last)
		}
	}
	text := fmt.Sprintf("Successfully modified file: %s (%s%s). %s", c.abs, count, e.after.encodingNote(), what)
	if e.differences.any() {
		text = fuzzyNote(e.match) + " " + text
	}
	if c.multiple {
		if inside := e.insideWords(); inside != "" {
			text += "\n" + inside
		}
	}
	if c.newer != nil {
		text += "\n" + c.newer.notice()
	}
	return e.result(text, proposedLabels)
}

// userChanges describes for the model how the user changed its proposal, "" if that is not the
// case or the proposal is not known.
func (c *replaceCall) userChanges(e *edit) string {
	if !c.modified || c.proposed == nil {
		return ""
	}
	diff := e.review(*c.proposed)
	if diff == "" {
		return ""
	}
	return "User modified the `new_string` content. The difference from the file with your edit:\n" + diff
}

// maxDifferences is the number of differences in words that a result names.
const maxDifferences = 5

// fuzzyNote returns the places of an edit for the model, and the differences of old_string.
func fuzzyNote(m match) string {
	where, words := "Edited "+atLines(m.lines, m.count), m.differences.words
	if len(m.differences.layout) > 0 {
		where += ", where the file differs from old_string in " + enumeration(m.differences.layout)
	}
	if len(words) == 0 {
		return where + "."
	}
	if len(m.lines) == 1 && m.lines[0][0] == m.lines[0][1] && len(words) == 1 && len(m.differences.layout) == 0 {
		return where + ", which had " + words[0].text + "."
	}
	var notes []string
	for i, n := range words {
		if len(notes) == maxDifferences-1 && i < len(words)-1 {
			notes = append(notes, fmt.Sprintf("and %d more differences", len(words)-i))
			break
		}
		notes = append(notes, fmt.Sprintf("line %d had %s", n.line, n.text))
	}
	if len(m.differences.layout) > 0 {
		where += ", and in words"
	}
	return where + ": " + strings.Join(notes, "; ") + "."
}

// atLines returns "line 3" or "lines 1-2 and 9-10" for the first and last lines of places, and
// how many places are not among them.
func atLines(lines [][2]int, count int) string {
	s := "s"
	if first := lines[0]; first[0] == first[1] && !slices.ContainsFunc(lines, func(l [2]int) bool { return l != first }) {
		s = ""
	}
	return "line" + s + " " + ranges(lines, count)
}

// ranges returns "1-2 and 9" for the first and last lines of places, and how many places are not
// among them.
func ranges(lines [][2]int, count int) string {
	lines = lines[:min(len(lines), maxNamed)]
	more := count - len(lines)
	var places []string
	for _, l := range slices.Compact(slices.Clone(lines)) {
		place := fmt.Sprint(l[0])
		if l[1] != l[0] {
			place += fmt.Sprintf("-%d", l[1])
		}
		places = append(places, place)
	}
	if more > 0 {
		places = append(places, fmt.Sprintf("%d more", more))
	}
	return enumeration(places)
}

// enumeration returns "a, b and c".
func enumeration(parts []string) string {
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// notExact returns the error for an edit whose place or result is not certain enough. there is as in [query.there].
func (c *replaceCall) notExact(err error, there string) error {
	var u *unclear
	if !errors.As(err, &u) {
		return err
	}
	like := "is like"
	if u.exact {
		like = "is in"
	}
	text := fmt.Sprintf("old_string %s %s of %s, but %s. Nothing was changed.%s ", like, atLines(u.places, len(u.places)), c.path, u.reason, there)
	switch one := u.places[0][0] == u.places[0][1]; {
	case u.lines == "":
		text += "Add lines that only the place you mean has."
	case u.advice != "":
		text += u.advice + ":\n"
	case len(u.places) > 1:
		text += "Send it again with the lines that you mean:\n"
	case one:
		text += "Send it again with this line:\n"
	default:
		text += "Send it again with these lines:\n"
	}
	return fail(tool.ErrEditNoOccurrence, "%s", strings.TrimSuffix(text+u.lines, "\n"))
}
