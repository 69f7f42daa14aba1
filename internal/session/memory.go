package session

import (
	"path/filepath"
)

// ProjectMemoryFile returns the memory file of the project's directory, which need
// not exist.
func (s *Session) ProjectMemoryFile() string {
	return filepath.Join(s.Workspace.Root(), s.Project.MemoryNames()[0])
}
