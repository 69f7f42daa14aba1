package workspace

import "path/filepath"

// Contains reports whether an absolute path, its links followed, is in one of
// the workspace's directories. It says nothing about access.
func (w *Workspace) Contains(abs string) bool {
	real := realpath(filepath.Clean(abs))
	for _, dir := range w.all() {
		if _, ok := within(real, dir); ok {
			return true
		}
	}
	return false
}
