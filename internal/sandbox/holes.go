package sandbox

import (
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

// around calls allow with paths that together cover a tree except its holes: the tree itself if it has none, else the
// entries of each directory on the way to a hole, as they are now. Links on the way are not followed: their targets have paths of their own.
func (l listing) around(tree string, holes []string, allow func(path string) error) error {
	if slices.ContainsFunc(holes, func(h string) bool { return h == tree || Matches(h, tree) }) {
		return nil
	}
	if !slices.ContainsFunc(holes, func(h string) bool { return isBelow(h, tree) }) {
		return allow(tree)
	}
	l[tree], _ = changed(tree)
	entries, _ := os.ReadDir(tree) // nothing is allowed in a directory that cannot be listed
	for _, e := range entries {
		if err := l.around(filepath.Join(tree, e.Name()), holes, allow); err != nil {
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
