package ide

import (
	"path/filepath"
	"slices"

	"pollux/internal/workspace"
)

// Folders returns the folders that are open in an editor together with a directory, by a list as in PATH. It returns none if the
// directory is in none of them: then the editor is about something else. Relative paths are left out.
func Folders(list, dir string) []string {
	if list == "" {
		return nil
	}
	dir = workspace.RealPath(filepath.Clean(dir))
	folders := slices.DeleteFunc(filepath.SplitList(list), func(folder string) bool { return !filepath.IsAbs(folder) })
	holdsDir := func(folder string) bool { return workspace.IsWithin(dir, workspace.RealPath(filepath.Clean(folder))) }
	if !slices.ContainsFunc(folders, holdsDir) {
		return nil
	}
	return slices.DeleteFunc(folders, holdsDir)
}
