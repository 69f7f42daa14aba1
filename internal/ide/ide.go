// Package ide describes the open files of the user's IDE to the model: first all of
// them, then only the changes.
//
// A description is a fenced block of JSON. File names and selected text come from
// outside; they are escaped, so that they cannot end the block.
package ide

import (
	"cmp"
	"slices"

	"pollux/agent"
)

// State is the list of open files in an IDE, in the JSON form that Gemini CLI's IDE
// companion sends.
type State struct {
	Files []File `json:"openFiles"`
}

// File is an open file. Cursor is nil if its position is not known.
type File struct {
	Path      string  `json:"path"`
	Time      float64 `json:"timestamp"` // when the user last looked at the file, in Unix milliseconds
	Active    bool    `json:"isActive"`
	Cursor    *Cursor `json:"cursor"`
	Selection string  `json:"selectedText"`
}

// Cursor is a position in a file. Line and Character count from 1.
type Cursor struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Watcher describes the state of an IDE for one conversation. It is not safe for
// concurrent use.
type Watcher struct {
	state    func() (State, bool)
	lastView *view // the view that the model got last; nil if it got none
}

var _ agent.IDE = (*Watcher)(nil)

// New returns a Watcher that reads the state of the IDE from state. state also reports
// whether an IDE is connected.
func New(state func() (s State, connected bool)) *Watcher { return &Watcher{state: state} }

// Context returns a description of the changes since the last call, "" if nothing has
// changed. It describes the whole state if full is set, and on the first call after the
// IDE has connected.
func (w *Watcher) Context(full bool) string {
	state, connected := w.state()
	if !connected {
		w.lastView = nil
		return ""
	}
	current := newView(state)
	previous := w.lastView
	w.lastView = current
	if full || previous == nil {
		return current.describe()
	}
	current.keepSent(previous)
	return current.describeChanges(previous)
}

const (
	// maxFiles is the number of files in a description.
	maxFiles = 10
	// maxOpen is the number of open files that a view keeps.
	maxOpen = 1000
	// maxPath is the length of the longest path, in bytes. Systems open no longer ones.
	maxPath = 4096
)

// view is a state, reduced to the parts that a description may contain.
type view struct {
	files []File              // up to maxFiles, the most recent first; only the first may be active
	open  map[string]struct{} // paths of all open files
	sent  map[string]struct{} // open paths that the model has been sent
}

// newView returns the view of a state. It drops invalid and repeated paths.
func newView(s State) *view {
	files := slices.DeleteFunc(slices.Clone(s.Files), func(f File) bool { return f.Path == "" || len(f.Path) > maxPath })
	slices.SortStableFunc(files, func(a, b File) int { return cmp.Compare(b.Time, a.Time) })
	v := &view{open: map[string]struct{}{}, sent: map[string]struct{}{}}
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
		f.Selection = truncateSelection(f.Selection)
		v.files = append(v.files, f)
		v.sent[f.Path] = struct{}{}
	}
	return v
}

// keepSent adds the paths of previous.sent that are still open: a file that is no longer
// among the most recent ones has not been closed.
func (v *view) keepSent(previous *view) {
	for path := range previous.sent {
		if _, open := v.open[path]; open {
			v.sent[path] = struct{}{}
		}
	}
}

// active returns the active file, nil if there is none.
func (v *view) active() *File {
	if len(v.files) > 0 && v.files[0].Active {
		return &v.files[0]
	}
	return nil
}
