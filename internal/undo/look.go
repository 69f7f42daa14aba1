package undo

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"pollux/internal/undo/state"
	"pollux/internal/undo/tree"
	"pollux/internal/undo/watch"
)

// forget lets go of trees that could not be read, so that the next call tries again. The caller holds mu.
func (r *Recorder) forget() {
	if r.watcher != nil {
		r.watcher.Close()
	}
	if r.saved != nil {
		_ = r.saved.file.Close()
	}
	for _, t := range r.trees {
		t.Drop()
	}
	r.reading, r.trees, r.watcher, r.unread, r.saved = nil, nil, nil, nil, nil
}

// look returns the changes of the trees since the last look, without those of runs with known paths.
func (r *Recorder) look(ctx context.Context) (changes []change, err error) {
	r.keep.looks.Add(1)
	var names watch.Changes
	isLost := true
	if r.watcher != nil {
		names, isLost = r.watcher.Drain()
	}
	isLost = isLost || r.isLost
	r.isLost = true // unless all of them have been looked at
	for _, t := range r.trees {
		var list []tree.Change
		if t.IsWatched() && !isLost {
			list, err = t.Refresh(ctx, names)
		} else {
			list, err = t.RefreshAll(ctx)
		}
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if err := r.saved.add(r.known(t.Root(), c.Path, c.After)); err != nil {
				return nil, fmt.Errorf("keep files for undo: %w", err)
			}
			path := absolute(t.Root(), c.Path)
			if objects, ok := objectsOf(path); ok && c.Before.State.Kind == state.Regular {
				r.thinned[objects] = true
			}
			r.checkObject(path, c.After)
			if !r.claimed[path] {
				changes = append(changes, change{path: path, Change: c})
			}
		}
	}
	r.isLost = false
	return changes, nil
}

// checkObject refuses to take contents from a repository if an object of it is not kept.
func (r *Recorder) checkObject(path string, v tree.Version) {
	if v.State.Kind != state.Regular || v.Ref.Source == inBase {
		return
	}
	if objects, ok := objectsOf(path); ok {
		r.thinned[objects] = true
		r.keep.refuse(objects)
	}
}

// objectsOf returns the directory with objects of a git repository, given the path of an object or a pack in it.
func objectsOf(path string) (objects string, ok bool) {
	const name = string(filepath.Separator) + "objects" + string(filepath.Separator)
	at := strings.LastIndex(path, name)
	if at < 0 || !isObject(path[at+len(name):]) {
		return "", false
	}
	return path[:at+len(name)-1], true
}

// keepAgain keeps the contents of files whose repository does not have them any more.
func (r *Recorder) keepAgain(ctx context.Context) error {
	for objects := range r.thinned {
		gone := r.keep.missing(ctx, objects)
		if len(gone) == 0 {
			continue
		}
		for _, t := range r.trees {
			list, err := t.KeepAgain(ctx, func(ref tree.Ref) bool { return ref.Source == inGit && gone[ref.Number] })
			if err != nil {
				return err
			}
			for _, c := range list {
				if err := r.saved.add(r.known(t.Root(), c.Path, c.After)); err != nil {
					return fmt.Errorf("keep files for undo: %w", err)
				}
			}
		}
	}
	clear(r.thinned)
	return nil
}

type change struct {
	path string
	tree.Change
	isShared bool   // a call of another session may have made it
	from     *claim // the change before, which another session has recorded; nil for none
}

func absolute(root, rel string) string {
	if rel == "" {
		return root
	}
	return filepath.Join(root, filepath.FromSlash(rel))
}

// settle forgets the versions before the last look.
func (r *Recorder) settle() {
	_ = r.saved.flush() // an error shows at the next look
	for _, t := range r.trees {
		t.Settle()
	}
	clear(r.claimed)
}
