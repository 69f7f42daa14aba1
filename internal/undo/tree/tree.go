// Package tree has the states of all files in a directory and below it, and finds changes.
//
// A [Tree] is read once, by [Tree.Read]. Later, [Tree.Refresh] looks at the entries that a watch has named, and
// [Tree.RefreshAll] at all of them. Both return the changes, with the versions before, whose contents a [Keeper]
// has kept while they were there.
package tree

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pollux/internal/undo/state"
	"pollux/internal/undo/watch"
)

// Ref says where the content of a version is. Its meaning is that of the [Keeper]; the zero Ref is nowhere.
type Ref struct {
	Source uint8
	Number uint32
}

// Version is the state of a path, and the place of its content.
type Version struct {
	State state.State
	Ref   Ref
}

// Change is a path that has changed. The path is relative to the root of the tree, with slashes, "" for the root.
type Change struct {
	Path          string
	Before, After Version
}

// Scope is the knowledge of a [Keeper] about a directory. Two of them can be compared.
type Scope any

// Keeper keeps the contents of files. Its methods are called from several goroutines at once.
type Keeper interface {
	// Enter returns the scope of a directory, given that of the one above it, nil for the root.
	Enter(above Scope, path string, entries []state.Named) Scope
	// Keep keeps the content of the file or link at an absolute path, in a directory of a scope. The version has the
	// state in which the content was taken; it is Absent if the path has vanished. An error ends the reading of the
	// tree: a content that cannot be kept for a reason of its own has the zero Ref.
	Keep(ctx context.Context, scope Scope, path string, now state.State) (Version, error)
	// IsEqual reports whether two refs are those of equal contents. It may be false if that is not known.
	IsEqual(a, b Ref) bool
	// IsLink reports whether a ref is another name of the file, which has any content that the file has. To make such a name, and to
	// remove it, changes the state of the file.
	IsLink(Ref) bool
	// Drop forgets the content of a version that the tree no longer has: see [Tree.Settle].
	Drop(Ref)
}

// Options configures a [Tree].
type Options struct {
	Keeper  Keeper
	Watcher *watch.Watcher // nil for none
	// Skip reports whether the tree has nothing at an absolute path and below it; nil for never.
	Skip func(path string) bool
	// Max is the number of entries that a tree may have.
	Max int
}

// ErrTooLarge is returned if a tree has more entries than [Options.Max].
var ErrTooLarge = errors.New("too many files")

// Tree has the states of a path and of all paths below it. It may be used by one goroutine at a time.
type Tree struct {
	root  string
	opts  Options
	top   node
	dirs  map[string]*dir // by relative path
	count atomic.Int64

	foreign  []string
	unwatch  error // why entries below are not watched, nil if all are
	dropping []Ref // of changes that were returned
}

type dir struct {
	nodes        []node // sorted by name
	above, scope Scope
}

type node struct {
	name string
	Version
	// racy reports whether the file, or the list of the directory's entries, may have changed since without a trace in its
	// state: it had been changed shortly before it was read, and the clock of the file system ticks slowly.
	racy bool
}

// tick is more than the time between two times of a file that the kernel tells apart.
const tick = 20 * time.Millisecond

// New returns the tree at an absolute path without links, which is not read yet.
func New(root string, o Options) *Tree {
	return &Tree{root: root, opts: o, dirs: map[string]*dir{}}
}

// Root returns the path of the tree.
func (t *Tree) Root() string { return t.root }

// Len returns the number of entries.
func (t *Tree) Len() int { return int(t.count.Load()) }

// Foreign returns the paths of directories that are on other file systems, and are not read.
func (t *Tree) Foreign() []string { return t.foreign }

// IsWatched reports whether [Tree.Refresh] finds all changes, given all that the watcher has named.
func (t *Tree) IsWatched() bool { return t.opts.Watcher != nil && t.unwatch == nil }

// Unwatched returns why the tree is not watched, nil if it is.
func (t *Tree) Unwatched() error { return t.unwatch }

// Read reads the tree for the first time.
func (t *Tree) Read(ctx context.Context) error {
	_, err := t.run(ctx, func(w *walk) {
		w.isFirst = true
		w.lookAtRoot(node{})
	})
	return err
}

// Watch watches the tree from now on, and reads once more what may have changed before.
func (t *Tree) Watch(ctx context.Context, w *watch.Watcher) error {
	t.opts.Watcher = w
	_, err := t.RefreshAll(ctx)
	t.Settle()
	return err
}

// RefreshAll returns the changes, by a look at each entry.
func (t *Tree) RefreshAll(ctx context.Context) ([]Change, error) {
	return t.run(ctx, func(w *walk) {
		w.isDeep = true
		w.lookAtRoot(t.top)
	})
}

// Refresh returns the changes among these entries, by the absolute paths of their directories.
func (t *Tree) Refresh(ctx context.Context, changed watch.Changes) ([]Change, error) {
	dirs := make([]string, 0, len(changed))
	for path := range changed {
		if rel, ok := t.relative(path); ok {
			dirs = append(dirs, rel)
		}
	}
	slices.Sort(dirs) // a directory before those below it
	return t.run(ctx, func(w *walk) {
		w.lookAtRoot(t.top) // which no watch names if another directory has taken its place
		for _, rel := range dirs {
			w.names(rel, changed[t.absolute(rel)])
		}
	})
}

// KeepAgain keeps the contents again of the files whose refs are among those that are gone, and returns them as changes.
func (t *Tree) KeepAgain(ctx context.Context, isGone func(Ref) bool) (changes []Change, err error) {
	for rel, d := range t.dirs {
		for i, n := range d.nodes {
			if n.Ref == (Ref{}) || !isGone(n.Ref) {
				continue
			}
			path := join(rel, n.name)
			v, err := t.opts.Keeper.Keep(ctx, d.scope, t.absolute(path), n.State)
			if err != nil {
				return nil, err
			}
			if v.State.Kind == state.Absent {
				continue // it has gone since, and will be found
			}
			d.nodes[i].Version = v
			t.dropping = append(t.dropping, n.Ref)
			changes = append(changes, Change{Path: path, Before: n.Version, After: v})
		}
	}
	return changes, nil
}

// Settle lets the keeper drop the versions before all changes that were returned.
func (t *Tree) Settle() {
	for _, ref := range t.dropping {
		t.opts.Keeper.Drop(ref)
	}
	t.dropping = nil
}

// All calls yield with each entry, a directory before its entries.
func (t *Tree) All(yield func(path string, v Version) bool) {
	if t.top.State.Kind == state.Absent || !yield("", t.top.Version) {
		return
	}
	for _, rel := range slices.Sorted(maps.Keys(t.dirs)) {
		for _, n := range t.dirs[rel].nodes {
			if !yield(join(rel, n.name), n.Version) {
				return
			}
		}
	}
}

// Find returns the version at a path of the tree; the zero Version for none.
func (t *Tree) Find(path string) Version {
	if path == "" {
		return t.top.Version
	}
	d := t.dirs[parent(path)]
	if d == nil {
		return Version{}
	}
	if i, found := d.find(path[strings.LastIndexByte(path, '/')+1:]); found {
		return d.nodes[i].Version
	}
	return Version{}
}

func (d *dir) find(name string) (int, bool) {
	return slices.BinarySearchFunc(d.nodes, name, func(n node, name string) int { return strings.Compare(n.name, name) })
}

func (t *Tree) absolute(rel string) string {
	if rel == "" {
		return t.root
	}
	return filepath.Join(t.root, filepath.FromSlash(rel))
}

func (t *Tree) relative(path string) (string, bool) {
	if path == t.root {
		return "", true
	}
	prefix := strings.TrimSuffix(t.root, string(filepath.Separator)) + string(filepath.Separator)
	rel, ok := strings.CutPrefix(path, prefix)
	return filepath.ToSlash(rel), ok
}

// parent returns the path of the directory that a path is in; "" for the root.
func parent(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// run walks, and returns the changes sorted by path.
func (t *Tree) run(ctx context.Context, begin func(*walk)) ([]Change, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &walk{Tree: t, ctx: ctx, cancel: cancel, began: time.Now(), slots: make(chan struct{}, 2*runtime.GOMAXPROCS(0))}
	begin(w)
	w.readPending()
	w.otherNames()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	slices.SortFunc(w.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	for _, c := range w.changes {
		if c.Before.Ref != (Ref{}) && c.Before.Ref != c.After.Ref {
			t.dropping = append(t.dropping, c.Before.Ref)
		}
	}
	return w.changes, nil
}

// walk is one reading of a tree or of parts of it.
type walk struct {
	*Tree
	ctx     context.Context
	cancel  context.CancelCauseFunc
	began   time.Time
	isFirst bool      // nothing was known: there are no changes
	isDeep  bool      // look at each entry of a directory that stays
	isBegun bool      // the root, or the named entries, have been looked at
	pending []pending // directories to read then
	slots   chan struct{}
	running sync.WaitGroup

	mu      sync.Mutex // guards the following, and the fields of the tree
	changes []Change
}

// pending is a directory that is to be read.
type pending struct {
	rel      string
	above    Scope
	device   uint64
	isListed bool // it has the same entries as before, but they may have changed
}

// Drop lets the keeper drop all versions of the tree. The tree must not be used after it.
func (t *Tree) Drop() {
	t.Settle()
	for _, v := range t.All {
		if v.Ref != (Ref{}) {
			t.opts.Keeper.Drop(v.Ref)
		}
	}
}
