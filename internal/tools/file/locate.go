package file

import (
	"path/filepath"
	"strings"

	"pollux/internal/workspace"
)

// locateDirs is the maximum number of directories to search for a missing file.
const locateDirs = 50

// locate resolves the path of an edit. A relative path that does not exist is treated as the
// end of a path, if exactly one such file is near the top of the workspace.
func locate(w *workspace.Workspace, path string) string {
	abs := w.Resolve(path)
	if filepath.IsAbs(path) || w.CheckWrite(abs) != nil {
		return abs
	}
	if _, err := w.Disk().Lstat(abs); err == nil {
		return abs
	}
	end := string(filepath.Separator) + filepath.Clean(path)
	if strings.HasPrefix(end, string(filepath.Separator)+"..") {
		return abs
	}
	found := ""
	queue := w.Dirs()
	for n := 0; n < len(queue) && n < locateDirs; n++ {
		entries, err := w.Disk().ReadDir(queue[n])
		if err != nil {
			continue // treat as missing
		}
		for _, e := range entries {
			p := filepath.Join(queue[n], e.Name())
			isDir := e.IsDir()
			if !isDir && !(e.Type().IsRegular() && strings.HasSuffix(p, end)) ||
				e.Name() == ".git" || e.Name() == "node_modules" || w.Ignored(p, isDir, w.DefaultFilter()) {
				continue
			}
			switch {
			case isDir && len(queue) < locateDirs:
				queue = append(queue, p)
			case !isDir && found != "" && found != p:
				return abs
			case !isDir:
				found = p
			}
		}
	}
	if found == "" {
		return abs
	}
	return found
}
