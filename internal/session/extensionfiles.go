package session

import (
	"slices"
)

// openExtensionFiles lets the file tools read the directories of extensions, whose context may name files there.
func (s *Session) openExtensionFiles() {
	for _, e := range s.Project.Extensions() {
		path, added, err := s.Workspace.AddReadable(e.Dir)
		switch {
		case err != nil:
			s.Project.Log.Debug("extension", "dir", e.Dir, "error", err)
		case added:
			s.extensionDirs = append(s.extensionDirs, path)
		}
	}
}

// serverRoots returns the directories of which MCP servers know. Those of extensions are not among them: a
// server may write where it knows of a directory, and extensions have hooks.
func (s *Session) serverRoots() []string {
	return slices.DeleteFunc(slices.Clone(s.Workspace.ReadableDirs()), func(dir string) bool { return slices.Contains(s.extensionDirs, dir) })
}
