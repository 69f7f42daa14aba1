package tree

import (
	"maps"
	"slices"
	"strings"

	"pollux/internal/undo/state"
)

// Load returns the tree with these versions, by their paths. Versions whose directory is not among them are left out.
func Load(root string, o Options, versions map[string]Version) *Tree {
	t := New(root, o)
	t.top = node{Version: versions[""], racy: true}
	if t.top.State.Kind == state.Directory {
		t.dirs[""] = &dir{}
	}
	t.count.Store(presence(t.top))
	for _, path := range slices.SortedFunc(maps.Keys(versions), byName) {
		v := versions[path]
		if path == "" || v.State.Kind == state.Absent {
			continue
		}
		at := strings.LastIndexByte(path, '/')
		d := t.dirs[path[:max(at, 0)]]
		if d == nil {
			continue
		}
		d.nodes = append(d.nodes, node{name: path[at+1:], Version: v, racy: v.State.Kind == state.Directory})
		t.count.Add(1)
		if v.State.Kind == state.Directory {
			t.dirs[path] = &dir{}
		}
	}
	return t
}

// byName sorts paths such that a directory is before its entries, and those are in the order of their names.
func byName(a, b string) int {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}
