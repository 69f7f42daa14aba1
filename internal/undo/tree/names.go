package tree

import (
	"pollux/internal/undo/state"
)

// file is a file whatever its name.
type file struct{ device, inode uint64 }

// otherNames looks at the other names of files that have changed in place: a watch names only the one by which a program
// has opened the file.
func (w *walk) otherNames() {
	if w.isFirst || w.isDeep || w.ctx.Err() != nil {
		return
	}
	changed, seen := map[file]bool{}, map[string]bool{}
	for _, c := range w.changes {
		seen[c.Path] = true
		a, b := c.Before.State, c.After.State
		if a.Kind == state.Regular && b.Kind == state.Regular && a.Inode == b.Inode && a.Device == b.Device && state.HasOtherNames(w.absolute(c.Path)) {
			changed[file{a.Device, a.Inode}] = true
		}
	}
	if len(changed) == 0 {
		return
	}
	for rel, d := range w.dirs {
		for _, n := range append([]node(nil), d.nodes...) {
			if n.State.Kind == state.Regular && changed[file{n.State.Device, n.State.Inode}] && !seen[join(rel, n.name)] {
				w.name(rel, d, n.name)
			}
		}
	}
}
