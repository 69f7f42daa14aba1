package undo

import (
	"context"
	"fmt"
	"path/filepath"

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
			if path := absolute(t.Root(), c.Path); !r.claimed[path] {
				changes = append(changes, change{path, c})
			}
		}
	}
	r.isLost = false
	return changes, nil
}

type change struct {
	path string
	tree.Change
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
