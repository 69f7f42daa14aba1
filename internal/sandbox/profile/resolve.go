package profile

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"pollux/internal/workspace"
)

// resolver follows the links of paths. The many paths of a profile lie in few directories: each is looked at once.
type resolver map[string]resolved

type resolved struct {
	path     string // without links
	exists   bool
	isLinked bool // it leads through links
}

// resolve follows the links of a clean absolute path. From the first name that does not exist the rest is unchanged.
func (r resolver) resolve(path string) resolved {
	if known, ok := r[path]; ok {
		return known
	}
	dir := filepath.Dir(path)
	if dir == path {
		return resolved{path: path, exists: true}
	}
	above := r.resolve(dir)
	here := resolved{filepath.Join(above.path, filepath.Base(path)), above.exists, above.isLinked}
	if above.exists {
		_, err := os.Readlink(here.path)
		if err == nil {
			here.isLinked = true
			here.path = workspace.RealPath(here.path)
			_, err = os.Lstat(here.path)
			here.exists = err == nil
		} else if !errors.Is(err, syscall.EINVAL) { // the error for other files
			here.exists = false
		}
	}
	r[path] = here
	return here
}

// existing returns the real paths of those that exist, each once.
func (r resolver) existing(paths []string) (list []string) {
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			continue
		}
		if found := r.resolve(filepath.Clean(path)); found.exists && !slices.Contains(list, found.path) {
			list = append(list, found.path)
		}
	}
	return list
}

// real returns the real paths, each once. Those that do not exist yet are kept as well.
func (r resolver) real(paths []string) (list []string) {
	for _, path := range paths {
		if found := r.resolve(filepath.Clean(path)); filepath.IsAbs(path) && !slices.Contains(list, found.path) {
			list = append(list, found.path)
		}
	}
	return list
}
