package workspace

import "path/filepath"

// Contains reports whether an absolute path is in one of the workspace's directories after its
// links are followed. File tools may still be refused access to it.
func (w *Workspace) Contains(abs string) bool {
	real := RealPath(filepath.Clean(abs))
	for _, dir := range w.all() {
		if _, ok := within(real, dir); ok {
			return true
		}
	}
	return false
}
