package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// kernels are the directories of the kernel, which are no part of a workspace that they are in.
var kernels = []string{"/dev", "/proc", "/sys"}

// listing is the directories whose entries rules are for, with the times of their last changes.
type listing map[string]time.Time

// isOutdated reports whether a directory has got other entries since.
func (l listing) isOutdated() bool {
	for dir, then := range l {
		if now, _ := changed(dir); !now.Equal(then) {
			return true
		}
	}
	return false
}

// changed returns the time of the last change of a directory's entries.
func changed(dir string) (time.Time, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// holes are paths in trees, and patterns with * in the last part of a path, which are left out.
type holes struct {
	paths    map[string]bool
	patterns map[string][]string // by the directory, with a slash at its end
	above    map[string]bool     // the directories that have a hole in them, at any depth
}

func newHoles(lists ...[]string) *holes {
	h := &holes{map[string]bool{}, map[string][]string{}, map[string]bool{}}
	for _, list := range lists {
		for _, path := range list {
			h.paths[path] = true
			if dir, name := filepath.Split(path); strings.Contains(name, "*") {
				h.patterns[dir] = append(h.patterns[dir], path)
			}
			for dir := filepath.Dir(path); !h.above[dir]; dir = filepath.Dir(dir) {
				h.above[dir] = true
			}
		}
	}
	return h
}

// has reports whether a path is a hole.
func (h *holes) has(path string) bool {
	if h.paths[path] {
		return true
	}
	dir, _ := filepath.Split(path)
	return slices.ContainsFunc(h.patterns[dir], func(pattern string) bool { return Matches(pattern, path) })
}

// around calls allow with paths that together cover a tree except its holes: the tree itself if it has none, else the
// entries of each directory on the way to a hole, as they are now. Links on the way are not followed: their targets have paths of their own.
func (l listing) around(tree string, h *holes, allow func(path string) error) error {
	switch {
	case h.has(tree):
		return nil
	case !h.above[tree]:
		return allow(tree)
	}
	l[tree], _ = changed(tree)
	entries, _ := os.ReadDir(tree) // nothing is allowed in a directory that cannot be listed
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 {
			continue
		}
		if err := l.around(filepath.Join(tree, e.Name()), h, allow); err != nil {
			return err
		}
	}
	return nil
}

// isBelow reports whether a path is within a directory, and not the directory itself.
func isBelow(path, dir string) bool {
	rest, found := strings.CutPrefix(path, strings.TrimSuffix(dir, "/"))
	return found && len(rest) > 1 && rest[0] == '/'
}
