package file

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/workspace"
)

// Edit is a change of a file by write_file or replace, as it was recorded. The record may be forged.
type Edit struct {
	Path  string // absolute
	Diff  string // in the form of [tool.DiffDisplay]
	IsNew bool   // the edit created the file
}

// Undo undoes the edits of one file.
type Undo struct {
	Path  string
	Edits int
	// Removes reports that the edits created the file, so that it is removed.
	Removes bool
	// Problem is why the edits cannot be undone, "" if they can.
	Problem string

	now, then *document
}

// PlanUndo returns what undoes edits, given from the newest to the oldest, by file. It changes nothing.
// If one of the edits of a file cannot be undone, none is. Lines that come back end as those that are
// there.
func PlanUndo(ctx context.Context, w *workspace.Workspace, edits []Edit) []*Undo {
	var list []*Undo
	byPath := map[string]*Undo{}
	for _, e := range edits {
		u := byPath[e.Path]
		if u == nil {
			u = &Undo{Path: e.Path}
			byPath[e.Path] = u
			list = append(list, u)
			u.read(ctx, w)
		}
		u.Edits++
		if u.Problem == "" {
			u.undo(e)
		}
	}
	return list
}

func (u *Undo) read(ctx context.Context, w *workspace.Workspace) {
	if !filepath.IsAbs(u.Path) || workspace.RealPath(u.Path) != u.Path {
		u.Problem = "its path contains a link"
		return
	}
	d, err := open(ctx, w, u.Path)
	switch {
	case err == nil:
		err = w.CheckWrite(u.Path)
	case isRefusal(err):
	default:
		u.Problem = durable.Cause(err).Error()
		return
	}
	if err != nil {
		u.Problem = "tools may not write it"
		return
	}
	u.now, u.then = d, d
	if d.crlf() && strings.Count(d.raw, "\r\n") != strings.Count(d.raw, "\n") {
		u.Problem = "its lines end in different ways"
	}
}

// What prevents an undo.
const (
	changedSince = "it has changed since"
	notRecorded  = "the record of the change is incomplete"
	unknownEnds  = "how its lines ended is not known"
)

// undo undoes one edit in memory.
func (u *Undo) undo(e Edit) {
	hunks, err := parseDiff(e.Diff)
	switch {
	case err != nil, strings.Contains(e.Diff, "\uFFFD"): // stands for what is no text
		u.Problem = notRecorded
		return
	case u.Removes, !u.then.exists:
		u.Problem = changedSince
		return
	}
	changes, ok := reverse(u.then.text, hunks)
	if !ok {
		u.Problem = changedSince
		return
	}
	before := u.then.change(changes)
	switch {
	case e.IsNew && before.text != "":
		u.Problem = changedSince
	case e.IsNew:
		u.then, u.Removes = &document{}, true
	case !strings.Contains(u.then.text, "\n") && strings.Contains(before.text, "\n"):
		u.Problem = unknownEnds
	default:
		u.then = before
	}
}

// Apply undoes the edits, unless the file has changed since [PlanUndo].
func (u *Undo) Apply(ctx context.Context, w *workspace.Workspace) error {
	if u.Problem != "" {
		return errors.New(u.Problem)
	}
	d, err := open(ctx, w, u.Path)
	switch {
	case err != nil:
	case !d.same(u.now):
		return errors.New(changedSince)
	case u.Removes:
		err = w.Disk().Remove(u.Path)
	default:
		err = w.Disk().Write(u.Path, u.then.data)
	}
	if err != nil {
		return durable.Cause(err)
	}
	return nil
}

// recordedHunk is a part of a recorded diff: lines with their ends.
type recordedHunk struct {
	at       int // index of the first line in the new text
	old, new []string
}

// parseDiff reads a diff that [unified] has written.
func parseDiff(diff string) ([]recordedHunk, error) {
	var hunks []recordedHunk
	last := [2]*[]string{} // that the last line went to
	var from, to int       // lines of the hunk that are to come
	for line := range strings.Lines(diff) {
		begins := strings.HasPrefix(line, "@@ ")
		switch {
		case begins && from == 0 && to == 0:
			h := recordedHunk{}
			var err error
			if h.at, from, to, err = parseHunkHeader(line); err != nil {
				return nil, err
			}
			hunks = append(hunks, h)
			last = [2]*[]string{}
			continue
		case len(hunks) == 0: // the header
			continue
		}
		h := &hunks[len(hunks)-1]
		text := line[1:]
		switch line[0] {
		case ' ':
			h.old, h.new, last = append(h.old, text), append(h.new, text), [2]*[]string{&h.old, &h.new}
			from, to = from-1, to-1
		case '-':
			h.old, last = append(h.old, text), [2]*[]string{&h.old}
			from--
		case '+':
			h.new, last = append(h.new, text), [2]*[]string{&h.new}
			to--
		case '\\':
			for _, lines := range last {
				if lines != nil {
					(*lines)[len(*lines)-1] = strings.TrimSuffix((*lines)[len(*lines)-1], "\n")
				}
			}
			last = [2]*[]string{}
		default:
			return nil, errors.New("a line without a sign")
		}
		if from < 0 || to < 0 {
			return nil, errors.New("more lines than announced")
		}
	}
	if from != 0 || to != 0 {
		return nil, errors.New("fewer lines than announced")
	}
	return hunks, nil
}

// parseHunkHeader reads "@@ -1,2 +1,3 @@". It returns the index of the first new line, and the numbers of
// lines.
func parseHunkHeader(line string) (at, from, to int, err error) {
	fields := strings.Fields(line)
	if len(fields) != 4 || fields[3] != "@@" {
		return 0, 0, 0, errors.New("not the header of a hunk")
	}
	parse := func(field, sign string) (first, n int, err error) {
		n = 1
		format, to := sign+"%d", []any{&first}
		if strings.Contains(field, ",") {
			format, to = format+",%d", append(to, &n)
		}
		if _, err = fmt.Sscanf(field, format, to...); err == nil && (first < 0 || n < 0 || first > maxFile || n > maxFile) {
			err = errors.New("not a range of lines")
		}
		if n > 0 {
			first--
		}
		return max(first, 0), n, err
	}
	if _, from, err = parse(fields[1], "-"); err == nil {
		at, to, err = parse(fields[2], "+")
	}
	return at, from, to, err
}

// reverse returns the changes that turn the new text of hunks into the old one. ok is false if text is
// not the new one, as far as the hunks tell.
func reverse(text string, hunks []recordedHunk) (changes []change, ok bool) {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	next, offset, moved := 0, 0, 0 // index of the first line after the last change, its offset, and how far lines have moved
	for _, h := range hunks {
		at, ok := findLines(lines, h.new, next, h.at+moved, len(hunks))
		if !ok {
			return nil, false
		}
		moved = at - h.at
		offset += sizeOf(lines[next:at])
		end := offset + sizeOf(h.new)
		changes = append(changes, change{start: offset, end: end, text: strings.Join(h.old, "")})
		next, offset = at+len(h.new), end
	}
	return changes, true
}

// findLines returns where lines contain others: at the usual index, or else at the only one from first on.
// Nothing is found in nothing only.
func findLines(lines, others []string, first, usual, hunks int) (int, bool) {
	isAt := func(i int) bool {
		if i < first || i+len(others) > len(lines) {
			return false
		}
		for k, line := range others {
			if lines[i+k] != line {
				return false
			}
		}
		return true
	}
	const most = 1 << 24 // lines to look at
	switch {
	case len(others) == 0:
		return 0, len(lines) == 0
	case isAt(usual):
		return usual, true
	case len(lines)*hunks > most:
		return 0, false
	}
	found, n := 0, 0
	for i := first; i+len(others) <= len(lines); i++ {
		if isAt(i) {
			found = i
			n++
		}
	}
	return found, n == 1
}

func sizeOf(lines []string) int {
	n := 0
	for _, line := range lines {
		n += len(line)
	}
	return n
}
