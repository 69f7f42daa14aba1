package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// WalkOptions select the entries that a walk enters and reports.
type WalkOptions struct {
	// Filter selects ignore rules. Ignored entries are neither reported nor entered, unless
	// Ignored is set.
	Filter Filter
	// Ignored reports ignored entries too, with Entry.Ignored set.
	Ignored bool
	// Prune, if set, is called for each directory with its path relative to the walked one and
	// its name. If it returns true, the directory and everything in it is left out. It is
	// called from several goroutines at once.
	Prune func(rel, name string) bool
}

// Entry is a file or directory found by a walk.
type Entry struct {
	Name    string
	Type    fs.FileMode // type bits only
	Ignored bool
	dir     *walkDir
}

// Path returns the absolute path.
func (e Entry) Path() string { return joinPath(e.dir.path, e.Name) }

// Rel returns the path relative to the walked directory, with slashes.
func (e Entry) Rel() string { return e.dir.rel + e.Name }

// Dir returns the directory of the entry relative to the walked directory, with slashes; it is
// empty or ends in a slash.
func (e Entry) Dir() string { return e.dir.rel }

// Walk calls fn for each file below dir, in no particular order and from several goroutines at
// once. It reports links, but does not follow them. It leaves out directories that cannot be
// read; only for dir itself is that an error. Walk stops early when fn returns an error, which
// Walk then returns (nil for fs.SkipAll), or when ctx ends. When Walk returns, no call of fn
// is running.
func (w *Workspace) Walk(ctx context.Context, dir string, o WalkOptions, fn func(Entry) error) error {
	dir = filepath.Clean(dir)
	f, root, err := w.openEntries(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	start := &walkDir{path: dir, file: f}
	if o.Filter != (Filter{}) {
		start.rules = w.rulesFor(dir, o.Filter)
		start.ignored = start.rules.hidden
	}
	if start.ignored && !o.Ignored {
		return nil
	}
	k := &walker{w: w, o: o, fn: fn, root: root, todo: []*walkDir{start}}
	k.more.L = &k.mu
	defer context.AfterFunc(ctx, func() { k.fail(context.Cause(ctx)) })()
	var workers sync.WaitGroup
	for range min(max(runtime.GOMAXPROCS(0), 2), 8) {
		workers.Go(k.work)
	}
	workers.Wait()
	k.mu.Lock() // ctx may be ending now
	defer k.mu.Unlock()
	switch {
	case errors.Is(k.err, fs.SkipAll):
		return nil
	case k.err == nil && ctx.Err() != nil: // the walk may have ended before it saw the end of ctx
		return context.Cause(ctx)
	}
	return k.err
}

// walker is one walk: a stack of directories that its workers take from and add to.
type walker struct {
	w  *Workspace
	o  WalkOptions
	fn func(Entry) error
	// root is the directory where the walk starts, without links.
	root string

	mu      sync.Mutex
	more    sync.Cond
	todo    []*walkDir
	busy    int // workers that may still add to todo
	err     error
	stopped atomic.Bool // err is set
}

// walkDir is a directory that a walk enters.
type walkDir struct {
	path    string
	file    entries // nil if it is not open
	rel     string  // with slashes; empty or ends in a slash
	ignored bool
	rules   *dirRules // nil if there are none, or they are not loaded yet
	parent  *dirRules // the rules to derive rules from
}

func (k *walker) work() {
	for d := k.next(); d != nil; d = k.next() {
		err := k.readDir(d)
		k.mu.Lock()
		k.busy--
		if k.busy == 0 && len(k.todo) == 0 {
			k.more.Broadcast()
		}
		k.mu.Unlock()
		if err != nil {
			k.fail(err)
		}
	}
}

// next returns the next directory, nil at the end of the walk.
func (k *walker) next() *walkDir {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.todo) == 0 && k.busy > 0 && k.err == nil {
		k.more.Wait()
	}
	if k.err != nil || len(k.todo) == 0 {
		return nil
	}
	d := k.todo[len(k.todo)-1]
	k.todo[len(k.todo)-1] = nil
	k.todo = k.todo[:len(k.todo)-1]
	k.busy++
	return d
}

func (k *walker) push(dirs []*walkDir) {
	if len(dirs) == 0 {
		return
	}
	k.mu.Lock()
	k.todo = append(k.todo, dirs...)
	k.mu.Unlock()
	k.more.Broadcast()
}

func (k *walker) fail(err error) {
	k.mu.Lock()
	if k.err == nil {
		k.err = err
		k.stopped.Store(true)
	}
	k.mu.Unlock()
	k.more.Broadcast()
}

// batch is the number of directory entries that are read at once.
const batch = 512

func (k *walker) readDir(d *walkDir) error {
	f := d.file
	if f == nil {
		var err error
		if f, err = k.w.openBelow(joinPath(k.root, filepath.FromSlash(strings.TrimSuffix(d.rel, "/")))); err != nil {
			return nil
		}
		defer f.Close()
	}
	if d.parent != nil {
		d.rules = k.w.rules.enter(d.parent, filepath.Base(d.path), d.ignored)
	}
	for !k.stopped.Load() {
		entries, err := f.ReadDir(batch)
		var subs []*walkDir
		for _, de := range entries {
			sub, err := k.visit(d, de.Name(), de.Type())
			if err != nil {
				return err
			}
			if sub != nil {
				subs = append(subs, sub)
			}
		}
		k.push(subs)
		if err != nil || len(entries) == 0 {
			if d.rel == "" && err != nil && len(entries) == 0 && !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		}
	}
	return nil
}

// visit reports an entry, and returns it if it is a directory to enter.
func (k *walker) visit(d *walkDir, name string, typ fs.FileMode) (*walkDir, error) {
	if isUndo(name) {
		return nil, nil
	}
	e := Entry{Name: name, Type: typ, Ignored: d.ignored, dir: d}
	isDir := typ.IsDir()
	if d.rules != nil && !e.Ignored {
		e.Ignored = k.hides(e, isDir)
	}
	if e.Ignored && !k.o.Ignored {
		return nil, nil
	}
	if !isDir {
		return nil, k.fn(e)
	}
	if k.o.Prune != nil && k.o.Prune(e.Rel(), name) {
		return nil, nil
	}
	return &walkDir{path: e.Path(), rel: e.Rel() + "/", ignored: e.Ignored, parent: d.rules}, nil
}

func (k *walker) hides(e Entry, dir bool) bool {
	abs := ""
	if !e.dir.rules.noPaths {
		abs = e.Path()
	}
	if e.dir.rules.hides(abs, e.Name, dir) {
		return true
	}
	if e.Type&fs.ModeSymlink == 0 {
		return false
	}
	target, isDir, ok := linkTarget(e.Path())
	return ok && k.w.hidden(target, isDir, k.o.Filter)
}
