package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// WalkOptions say what a walk enters and reports.
type WalkOptions struct {
	// Filter are the ignore rules. What they hide is neither reported nor
	// entered, unless Ignored is set.
	Filter Filter
	// Ignored reports what the ignore rules hide too, with Entry.Ignored set.
	Ignored bool
	// Prune, where set, is asked about each directory, by its path relative to
	// the walked one and its name; one it says yes to is left out with all
	// that is in it. It is called from several goroutines at once.
	Prune func(rel, name string) bool
	// SkipHidden leaves out names that begin with a dot.
	SkipHidden bool
	// Dirs reports directories too, before what is in them.
	Dirs bool
}

// Entry is something that a walk found.
type Entry struct {
	Name    string
	Type    fs.FileMode // its type bits
	Ignored bool
	dir     *walkDir
}

// Path returns the absolute path.
func (e Entry) Path() string { return joinPath(e.dir.path, e.Name) }

// Rel returns the path relative to the walked directory, with slashes.
func (e Entry) Rel() string { return e.dir.rel + e.Name }

// Dir returns the directory that the entry is in, relative to the walked one,
// with slashes; it is empty or ends in one.
func (e Entry) Dir() string { return e.dir.rel }

// Walk calls fn for what is below dir, in no order and from several goroutines
// at once. Links are reported, not followed. Directories that cannot be read
// are left out; only for dir itself is that an error. Walk ends early when fn
// returns an error, which Walk then returns (nil for fs.SkipAll), or when ctx
// ends. When it returns, no call of fn is still going on.
func (w *Workspace) Walk(ctx context.Context, dir string, o WalkOptions, fn func(Entry) error) error {
	dir = filepath.Clean(dir)
	f, err := w.openDir(dir)
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
	k := &walker{w: w, o: o, fn: fn, real: f.Name(), todo: []*walkDir{start}}
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
	case k.err == nil && ctx.Err() != nil: // the walk may have been faster than its end
		return context.Cause(ctx)
	}
	return k.err
}

// walker is one walk: a stack of directories that its workers take from and
// add to.
type walker struct {
	w  *Workspace
	o  WalkOptions
	fn func(Entry) error
	// real is where the walk starts, without a link on the way.
	real string

	mu      sync.Mutex
	more    sync.Cond
	todo    []*walkDir
	busy    int // workers that may add to todo
	err     error
	stopped atomic.Bool // err is set
}

// walkDir is a directory that a walk enters.
type walkDir struct {
	path    string
	file    *os.File // it, if it is open
	rel     string   // with slashes; empty or with one at the end
	ignored bool
	rules   *dirRules // nil if there are none, or they are not known yet
	parent  *dirRules // what to make rules of
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

// batch is how many entries of a directory are in memory at once.
const batch = 512

func (k *walker) readDir(d *walkDir) error {
	f := d.file
	if f == nil {
		var err error
		if f, err = openDir(joinPath(k.real, filepath.FromSlash(strings.TrimSuffix(d.rel, "/")))); err != nil {
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
	if k.o.SkipHidden && strings.HasPrefix(name, ".") {
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
	if k.o.Dirs {
		if err := k.fn(e); err != nil {
			return nil, err
		}
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
