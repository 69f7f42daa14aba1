package files

import (
	"slices"
	"sync"
)

// Touched are the files that a session has read or edited lately. It is safe for concurrent use.
type Touched struct {
	mu    sync.Mutex
	paths []string // the latest at the end
}

// Note notes that a file was read or edited.
func (t *Touched) Note(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.paths, path); i >= 0 {
		t.paths = slices.Delete(t.paths, i, i+1)
	}
	t.paths = append(t.paths, path)
	if len(t.paths) > maxFiles {
		t.paths = slices.Delete(t.paths, 0, 1)
	}
}

// Paths returns the files, the latest first.
func (t *Touched) Paths() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	paths := slices.Clone(t.paths)
	slices.Reverse(paths)
	return paths
}
