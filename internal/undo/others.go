package undo

import (
	"slices"
	"strings"

	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
)

// newest returns the number of the newest operation in the log, 0 for none.
func (r *Recorder) newest() int {
	numbers, _ := r.base.Store().Numbers() // without them, no other process has recorded anything
	return slices.Max(append(numbers, 0))
}

// withoutOthers leaves out the changes that other processes have recorded as theirs after an operation: two sessions
// may be at work in one directory.
func (r *Recorder) withoutOthers(changes []change, after int) []change {
	s := r.base.Store()
	numbers, _ := s.Numbers()
	theirs := map[string]store.Version{}
	for _, n := range numbers {
		if n <= after || r.own[n] {
			continue
		}
		if o, err := s.Read(n); err == nil { // a damaged one takes nothing
			for _, c := range o.Changes {
				theirs[c.Path] = c.After
			}
		}
	}
	return slices.DeleteFunc(changes, func(c change) bool {
		v, found := theirs[c.path]
		return found && isSameFile(v.State, c.After.State)
	})
}

// isSameFile reports whether a recorded state is that of a file now. An undo does not know which file it makes.
func isSameFile(recorded, now state.State) bool {
	if recorded.Inode == 0 {
		recorded.Inode, recorded.Changed, recorded.Device = now.Inode, now.Changed, now.Device
	}
	if now.Kind == state.Link { // whose time an undo does not bring back
		recorded.Modified = now.Modified
	}
	return recorded.IsSame(now)
}

// besides returns descriptions of the runs of other processes that may change anything now.
func (r *Recorder) besides() (list []string) {
	for _, note := range r.base.PendingOfOthers() {
		if b, _, ok := readBeginning(note); ok && b.IsAnywhere {
			list = append(list, strings.TrimSpace(b.Header.Tool+" "+b.Header.Title)+" (in another session)")
		}
	}
	return list
}
