package tool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Changes describes the changes that a call has made in files, found by a look at the files before and after it. A file whose
// content and attributes are the same as before has not changed. It is bounded, however many files have changed.
type Changes struct {
	// Operation is the number of the changes in the undo log.
	Operation int `json:"operation,omitempty"`
	// Created, Changed and Deleted are numbers of files, and of directories without files that have changed.
	Created int `json:"created,omitempty"`
	Changed int `json:"changed,omitempty"`
	Deleted int `json:"deleted,omitempty"`
	// TakenBack counts files whose change was taken back after the call, because other programs would run them later, and did
	// not come back. The other fields leave them out.
	TakenBack int `json:"takenBack,omitempty"`
	// Added and Removed count the lines of the changed files, apart from Uncounted files: those that are no text, are large, or
	// are more than can be read for a call.
	Added     int `json:"linesAdded,omitempty"`
	Removed   int `json:"linesRemoved,omitempty"`
	Uncounted int `json:"uncounted,omitempty"`
	// Lost counts files that cannot be brought back.
	Lost int `json:"lost,omitempty"`
	// Repository is the change of the git repository itself, such as a commit: the files in .git are not counted.
	Repository Change `json:"repository,omitempty"`
	// Files are the first [MaxChangedFiles] of them, sorted by path.
	Files []FileChange `json:"files,omitempty"`
	// Beside are other calls and commands that ran at the same time, and may have made some of the changes.
	Beside []string `json:"beside,omitempty"`
	// Report is the text about the changes for the model, "" for none.
	Report string `json:"-"`
}

// MaxChangedFiles is the number of files that [Changes] name.
const MaxChangedFiles = 50

// Change is the kind of a change. The values appear in JSON.
type Change string

// The changes.
const (
	FileCreated Change = "created"
	FileChanged Change = "changed"
	FileDeleted Change = "deleted"
)

// FileChange is the change of a file. Lines are 0 if they are not counted.
type FileChange struct {
	Path    string `json:"path"` // relative to the workspace if it is there, with slashes, valid UTF-8; that of a directory ends with one
	Change  Change `json:"change"`
	Added   int    `json:"linesAdded,omitempty"`
	Removed int    `json:"linesRemoved,omitempty"`
}

// Plus returns the changes of two calls one after the other, the later ones in o. Either may be nil.
func (c *Changes) Plus(o *Changes) *Changes {
	if c == nil || o == nil {
		return cmp.Or(c, o)
	}
	all := *c
	all.Operation, all.Report = o.Operation, ""
	all.Repository = cmp.Or(o.Repository, c.Repository)
	for _, n := range [][2]*int{
		{&all.Created, &o.Created},
		{&all.Changed, &o.Changed},
		{&all.Deleted, &o.Deleted},
		{&all.TakenBack, &o.TakenBack},
		{&all.Added, &o.Added},
		{&all.Removed, &o.Removed},
		{&all.Uncounted, &o.Uncounted},
		{&all.Lost, &o.Lost},
	} {
		*n[0] += *n[1]
	}
	all.Files = slices.Concat(c.Files, o.Files)
	all.Files = all.Files[:min(len(all.Files), MaxChangedFiles)]
	all.Beside = slices.Concat(c.Beside, o.Beside)
	return &all
}

// Total returns the number of files that have changed.
func (c *Changes) Total() int { return c.Created + c.Changed + c.Deleted }

// Restorable returns the number of deleted files that undo can bring back. c may be nil.
func (c *Changes) Restorable() int {
	if c == nil {
		return 0
	}
	return max(c.Deleted-c.Lost, 0)
}

// String describes the changes in one line, such as "2 files changed, 1 deleted (+12, -3)".
func (c *Changes) String() string {
	var parts []string
	for _, one := range []struct {
		n    int
		what Change
	}{{c.Created, FileCreated}, {c.Changed, FileChanged}, {c.Deleted, FileDeleted}, {c.TakenBack, "taken back"}} {
		if one.n == 0 {
			continue
		}
		noun := ""
		if len(parts) == 0 {
			if noun = "files "; one.n == 1 {
				noun = "file "
			}
		}
		parts = append(parts, fmt.Sprintf("%d %s%s", one.n, noun, one.what))
	}
	if c.Repository != "" {
		parts = append(parts, "repository "+string(c.Repository))
	}
	text := strings.Join(parts, ", ")
	if c.Added+c.Removed > 0 {
		text += fmt.Sprintf(" (+%d, -%d)", c.Added, c.Removed)
	}
	return text
}
