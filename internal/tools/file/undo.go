package file

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/secret"
	"pollux/internal/workspace"
)

// Edit is a change of a file by write_file or replace, as it was recorded. The record may be forged.
type Edit struct {
	Path  string // absolute
	Diff  string // in the form of [tool.DiffDisplay]
	IsNew bool   // the edit created the file
	// NewDirs is the number of directories that it created for the file, which are its nearest.
	NewDirs int
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
	newDirs   map[string]bool // that the edits of all files created
}

// PlanUndo returns the changes that undo edits, given from the newest to the oldest, by file. It
// changes nothing. If one of the edits of a file cannot be undone, none is. Lines that come back end as
// those that are there.
func PlanUndo(ctx context.Context, w *workspace.Workspace, edits []Edit) []*Undo {
	var list []*Undo
	byPath, newDirs := map[string]*Undo{}, map[string]bool{}
	for _, e := range edits {
		u := byPath[e.Path]
		if u == nil {
			u = &Undo{Path: e.Path, newDirs: newDirs}
			byPath[e.Path] = u
			list = append(list, u)
			u.read(ctx, w)
		}
		u.Edits++
		for dir := filepath.Dir(e.Path); e.NewDirs > 0 && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			newDirs[dir] = true
			e.NewDirs--
		}
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

// Reasons that prevent an undo.
const (
	changedSince  = "it has changed since"
	notRecorded   = "the record of the change is incomplete"
	unknownEnds   = "how its lines ended is not known"
	otherEncoding = "its encoding has changed"
	notText       = "its encoding does not have the text"
)

func (u *Undo) undo(e Edit) {
	recorded, err := parseDiff(e.Diff)
	switch {
	case err != nil, strings.Contains(e.Diff, "\uFFFD"), removesMasked(e.Diff): // which replaces invalid text and secrets
		u.Problem = notRecorded
		return
	case u.Removes, !u.then.exists:
		u.Problem = changedSince
		return
	case !e.IsNew && !u.then.enc.HasMark() && recordedEncoding(e.Diff) != u.then.encodingName():
		u.Problem = otherEncoding
		return
	}
	changes, ok := reverse(u.then.text, recorded)
	if !ok {
		u.Problem = changedSince
		return
	}
	before, err := u.then.change(changes)
	switch {
	case err != nil || !u.then.isExact:
		u.Problem = notText
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

// recordedEncoding returns the encoding of the file before the edit, which the header of a diff names unless it is UTF-8.
func recordedEncoding(diff string) string {
	header, _, _ := strings.Cut(diff, "\n@@ ")
	_, old, _ := strings.Cut(header, "\n--- ")
	old, _, _ = strings.Cut(old, "\n")
	_, label, _ := strings.Cut(old, "\t")
	_, name, _ := strings.Cut(label, " (")
	return strings.TrimSuffix(name, ")")
}

// removesMasked reports whether a line that the edit removed had a secret, which the record does not have.
func removesMasked(diff string) bool {
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "-") && strings.Contains(line, secret.Redacted) {
			return true
		}
	}
	return false
}

// removeDirs removes the directories that the edits created, and that are empty now.
func (u *Undo) removeDirs(w *workspace.Workspace) {
	for dir := filepath.Dir(u.Path); u.newDirs[dir] && w.Disk().RemoveDir(dir) == nil; {
		dir = filepath.Dir(dir)
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
		if err = w.Disk().Remove(u.Path); err == nil {
			u.removeDirs(w)
		}
	default:
		err = w.Disk().Write(u.Path, u.then.data)
	}
	if err != nil {
		return durable.Cause(err)
	}
	return nil
}
