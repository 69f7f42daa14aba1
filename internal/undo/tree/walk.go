package tree

import (
	"path"
	"slices"
	"strings"
	"time"

	"pollux/internal/crash"
	"pollux/internal/undo/state"
)

// lookAtRoot looks at the root of the tree.
func (w *walk) lookAtRoot(old node) {
	now, err := state.Read(w.root)
	if err != nil {
		w.cancel(err)
		return
	}
	next, ok := w.version(nil, "", old, now)
	if !ok {
		return
	}
	w.top = next
	w.count.Add(presence(next) - presence(old))
	w.compare("", nil, old, next)
}

// presence is the number of entries that a node stands for.
func presence(n node) int64 {
	if n.State.Kind == state.Absent {
		return 0
	}
	return 1
}

// version returns the node with a new state, given the directory that it is in. It is the old one if nothing has changed. ok is
// false if the walk has to end.
func (w *walk) version(scope Scope, dir string, old node, now state.State) (_ node, ok bool) {
	next := node{name: old.name, Version: Version{State: now}, racy: w.isFresh(now)}
	isSame := old.State.IsSame(now)
	switch {
	case now.Kind != state.Regular && now.Kind != state.Link:
		return next, true
	case isSame && !old.racy:
		return old, true
	case old.State.HasContent(now) && w.opts.Keeper.IsLink(old.Ref):
		old.State, old.racy = now, false // another link would have the same content, and change the state again
		return old, true
	}
	v, err := w.opts.Keeper.Keep(w.ctx, scope, w.absolute(join(dir, old.name)), now)
	if err != nil {
		w.cancel(err)
		return next, false
	}
	next.Version = v
	next.racy = w.isFresh(v.State)
	if v.State.HasContent(old.State) && w.opts.Keeper.IsEqual(old.Ref, v.Ref) {
		if v.Ref != old.Ref {
			w.opts.Keeper.Drop(v.Ref)
		}
		old.State, old.racy = v.State, next.racy
		return old, true
	}
	return next, true
}

// isFresh reports whether a file or directory may have changed in the tick in which it was looked at, or in a later one that its
// times do not tell from it.
func (w *walk) isFresh(s state.State) bool {
	isCoarse := s.Kind == state.Directory && s.Changed%int64(time.Second) == 0 // or not there at all
	return isCoarse || w.began.UnixNano()-max(s.Modified, s.Changed) < int64(tick)
}

// compare notes the change from one node of a path to another, and walks the directory that there was or is. above is the scope of the
// directory that the path is in.
func (w *walk) compare(rel string, above Scope, old, next node) {
	wasDir, isDir := old.State.Kind == state.Directory, next.State.Kind == state.Directory
	isOther := wasDir && isDir && (old.State.Device != next.State.Device || old.State.Inode != next.State.Inode || w.isNew(rel))
	if wasDir && (!isDir || isOther) && w.opts.Watcher != nil {
		w.opts.Watcher.Remove(w.absolute(rel))
	}
	if wasDir && !isDir {
		w.remove(rel)
	}
	if !old.State.IsSame(next.State) && !old.State.HasContent(next.State) || old.Ref != next.Ref {
		w.note(Change{Path: rel, Before: old.Version, After: next.Version})
	}
	if isDir && (!wasDir || isOther || w.isDeep) {
		w.later(pending{rel, above, next.State.Device, w.isDeep && old.State == next.State && !old.racy})
	}
}

// isNew reports whether the directory at a path is another one than before, although it may have the inode number of that:
// the watch has ended with the one before.
func (w *walk) isNew(rel string) bool {
	return w.opts.Watcher != nil && !w.isDeep && !w.opts.Watcher.Has(w.absolute(rel))
}

func (w *walk) note(c Change) {
	if w.isFirst {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changes = append(w.changes, c)
}

// later reads a directory when all named entries have been looked at, so that no other goroutine is in it.
func (w *walk) later(p pending) {
	if w.isBegun {
		w.spawn(p)
		return
	}
	w.pending = append(w.pending, p)
}

// readPending reads the pending directories. One below another is left to the reading of that, which gets there, as the watches
// below a directory end with its own: so no two goroutines are in the same directory.
func (w *walk) readPending() {
	w.isBegun = true
	slices.SortFunc(w.pending, func(a, b pending) int { return strings.Compare(a.rel, b.rel) }) // a directory before those below it
	read := map[string]bool{}
	for _, p := range w.pending {
		if read[p.rel] || hasAbove(read, p.rel) {
			continue
		}
		read[p.rel] = true
		w.spawn(p)
	}
	w.running.Wait()
}

// hasAbove reports whether a directory above a path is among those given.
func hasAbove(dirs map[string]bool, rel string) bool {
	for rel != "" {
		rel = parent(rel)
		if dirs[rel] {
			return true
		}
	}
	return false
}

// spawn reads a directory beside the others, or now if there are enough of them.
func (w *walk) spawn(p pending) {
	w.running.Add(1)
	select {
	case w.slots <- struct{}{}:
		go func() {
			defer w.running.Done()
			defer func() { <-w.slots }()
			defer crash.Recover()
			w.directory(p)
		}()
	default:
		w.directory(p)
		w.running.Done()
	}
}

// directory reads a directory, and compares it with the tree.
func (w *walk) directory(p pending) {
	if w.ctx.Err() != nil || w.isForeign(p) {
		return
	}
	rel, path := p.rel, w.absolute(p.rel)
	if w.opts.Watcher != nil { // before the reading, so that no change is missed
		if err := w.opts.Watcher.Add(path); err != nil && !state.IsAbsent(err) {
			w.mu.Lock()
			w.unwatch = err
			w.mu.Unlock()
		}
	}
	w.mu.Lock()
	d := w.dirs[rel]
	if d == nil {
		d, p.isListed = &dir{}, false
		w.dirs[rel] = d
	}
	w.mu.Unlock()
	if p.isListed && d.above == p.above && w.isSame(path, d) {
		for _, n := range d.nodes {
			if n.State.Kind == state.Directory {
				w.later(pending{join(rel, n.name), d.scope, n.State.Device, !n.racy})
			}
		}
		return
	}
	entries, err := state.List(path)
	if err != nil {
		entries = nil // unreadable, or gone: the next look at the directory above it tells
	}
	if w.opts.Skip != nil {
		entries = slices.DeleteFunc(entries, func(e state.Named) bool { return w.opts.Skip(path + "/" + e.Name) })
	}
	d.above, d.scope = p.above, w.opts.Keeper.Enter(p.above, path, entries)
	w.merge(rel, d, entries)
}

// isSame reports whether no entry of a directory has changed, which has the same ones as before: to list it costs more than
// a look at them.
func (w *walk) isSame(path string, d *dir) bool {
	at, err := state.OpenDir(path)
	if err != nil {
		return len(d.nodes) == 0 // it cannot be read
	}
	defer at.Close()
	for i := range d.nodes {
		n := &d.nodes[i]
		if now := at.Read(n.name); now != n.State || n.racy && now.Kind != state.Directory {
			return false
		}
	}
	return true
}

// merge replaces the nodes of a directory.
func (w *walk) merge(rel string, d *dir, entries []state.Named) {
	old := d.nodes
	nodes := make([]node, 0, len(entries))
	for _, e := range entries {
		for len(old) > 0 && old[0].name < e.Name {
			w.compare(join(rel, old[0].name), d.scope, old[0], node{})
			old = old[1:]
		}
		before := node{name: e.Name}
		if len(old) > 0 && old[0].name == e.Name {
			before, old = old[0], old[1:]
		}
		next, ok := w.version(d.scope, rel, before, e.State)
		if !ok {
			if w.isFirst {
				d.nodes = nodes // their contents are to be dropped
			}
			return
		}
		if next.State.Kind != state.Absent {
			nodes = append(nodes, next)
		}
		if next.State == before.State && next.Ref == before.Ref && next.State.Kind != state.Directory {
			continue
		}
		w.compare(join(rel, e.Name), d.scope, before, next)
	}
	for _, n := range old {
		w.compare(join(rel, n.name), d.scope, n, node{})
	}
	if w.count.Add(int64(len(nodes)-len(d.nodes))) > int64(w.opts.Max) && w.opts.Max > 0 {
		w.cancel(ErrTooLarge)
	}
	d.nodes = nodes
}

// names looks at some entries of a directory, and at the directory, whose times they have changed.
func (w *walk) names(rel string, names map[string]bool) {
	if above := w.dirs[parent(rel)]; rel != "" && above != nil {
		w.name(parent(rel), above, path.Base(rel))
	}
	d := w.dirs[rel]
	if d == nil {
		return // not read yet, or gone: the directory above it has changed, too
	}
	for name := range names {
		if name == "" || w.ctx.Err() != nil || w.opts.Skip != nil && w.opts.Skip(w.absolute(join(rel, name))) {
			continue
		}
		w.name(rel, d, name)
	}
}

func (w *walk) name(rel string, d *dir, name string) {
	path := join(rel, name)
	now, err := state.Read(w.absolute(path))
	if err != nil {
		now = state.State{Kind: state.Special}
	}
	i, found := d.find(name)
	old := node{name: name}
	if found {
		old = d.nodes[i]
	}
	next, ok := w.version(d.scope, rel, old, now)
	if !ok {
		return
	}
	switch exists := next.State.Kind != state.Absent; {
	case found && exists:
		d.nodes[i] = next
	case found:
		d.nodes = slices.Delete(d.nodes, i, i+1)
	case exists:
		d.nodes = slices.Insert(d.nodes, i, next)
	}
	w.count.Add(presence(next) - presence(old))
	w.compare(path, d.scope, old, next)
}

// remove notes that all entries below a directory are gone.
func (w *walk) remove(rel string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, path := range w.below(rel) {
		d := w.dirs[path]
		for _, n := range d.nodes {
			w.changes = append(w.changes, Change{Path: join(path, n.name), Before: n.Version})
		}
		w.count.Add(-int64(len(d.nodes)))
		delete(w.dirs, path)
	}
}

// below returns a directory and those below it, as far as the tree has them.
func (w *walk) below(rel string) (paths []string) {
	pending := []string{rel}
	for len(pending) > 0 {
		path := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		d := w.dirs[path]
		if d == nil {
			continue
		}
		paths = append(paths, path)
		for _, n := range d.nodes {
			if n.State.Kind == state.Directory {
				pending = append(pending, join(path, n.name))
			}
		}
	}
	return paths
}

// isForeign notes a directory that is on another file system than the root.
func (w *walk) isForeign(p pending) bool {
	if p.rel == "" || w.top.State.Device == p.device {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.foreign, p.rel) {
		w.foreign = append(w.foreign, p.rel)
	}
	return true
}
