// Package editor tells the model what the user has open in an editor: all of
// it once, then what has changed since (spec/agent.md §20).
//
// What it tells comes from outside and stands in a block of JSON, which no
// path and no selected text can end.
package editor

import (
	"cmp"
	"slices"

	"pollux/agent"
)

// State is what an editor reports, in the form in which its companion sends it.
type State struct {
	Files []File `json:"openFiles"`
}

// File is an open file.
type File struct {
	Path      string  `json:"path"`
	Time      float64 `json:"timestamp"` // when it was last looked at, in milliseconds
	Active    bool    `json:"isActive"`
	Cursor    *Cursor `json:"cursor"`
	Selection string  `json:"selectedText"`
}

// Cursor is a place in a file; both count from 1.
type Cursor struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Editor follows an editor for one conversation. It is used by one goroutine
// at a time.
type Editor struct {
	state func() (State, bool)
	told  *view // what the model believes; nil if it knows nothing
}

var _ agent.Editor = (*Editor)(nil)

// New returns an Editor that looks at what state returns; state says whether
// there is an editor at all, and may be called at any time.
func New(state func() (s State, connected bool)) *Editor { return &Editor{state: state} }

// Look returns what has changed since the last call, "" for nothing. It
// returns everything if full is set, or if the model knows nothing yet.
func (e *Editor) Look(full bool) string {
	state, connected := e.state()
	if !connected {
		e.told = nil
		return ""
	}
	now := viewOf(state)
	before := e.told
	e.told = now
	if full || before == nil {
		return now.whole()
	}
	now.remember(before)
	return now.since(before)
}

const (
	// maxFiles is how many files are told.
	maxFiles = 10
	// maxOpen is how many files are looked at: nobody has more open.
	maxOpen = 1000
	// maxPath is longer than any path that a system can open, in bytes.
	maxPath = 4096
)

// view is a state as the model may see it.
type view struct {
	files []File              // the newest, newest first; only the first may be active
	open  map[string]struct{} // all that are open
	told  map[string]struct{} // those of them that the model knows of
}

func viewOf(s State) *view {
	files := slices.DeleteFunc(slices.Clone(s.Files), func(f File) bool { return f.Path == "" || len(f.Path) > maxPath })
	slices.SortStableFunc(files, func(a, b File) int { return cmp.Compare(b.Time, a.Time) })
	v := &view{open: map[string]struct{}{}, told: map[string]struct{}{}}
	for i, f := range files[:min(len(files), maxOpen)] {
		if _, twice := v.open[f.Path]; twice {
			continue
		}
		v.open[f.Path] = struct{}{}
		if len(v.files) == maxFiles {
			continue
		}
		if i > 0 || !f.Active {
			f.Active, f.Cursor, f.Selection = false, nil, ""
		}
		f.Selection = cut(f.Selection)
		v.files = append(v.files, f)
		v.told[f.Path] = struct{}{}
	}
	return v
}

// remember adds what the model has been told before and what is still true: a
// file that is no longer among the newest has not been closed.
func (v *view) remember(before *view) {
	for path := range before.told {
		if _, open := v.open[path]; open {
			v.told[path] = struct{}{}
		}
	}
}

// active returns the file that the user is in, nil if there is none.
func (v *view) active() *File {
	if len(v.files) > 0 && v.files[0].Active {
		return &v.files[0]
	}
	return nil
}
