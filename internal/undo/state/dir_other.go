//go:build !linux && !darwin

package state

import "path/filepath"

// Dir is an open directory, for looks at entries whose names are known.
type Dir struct{ path string }

// OpenDir opens a directory. It does not follow a link at path. The caller must close it.
func OpenDir(path string) (Dir, error) { return Dir{path}, nil }

// Read returns the state of an entry, as List does.
func (d Dir) Read(name string) State {
	s, err := Read(filepath.Join(d.path, name))
	if err != nil {
		s = State{Kind: Special}
	}
	return s
}

// Close closes it.
func (d Dir) Close() {}
