//go:build unix

package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// foreignOwner returns the reason why a user other than root may have written a file, "" if only root can
// have: the file, all its parent directories and all links in the path must belong to root and not be
// writable by others. hint is a sentence about the next step.
func foreignOwner(path string) (reason, hint string) {
	where, reason := firstForeign(path)
	if reason == "" {
		return "", ""
	}
	return reason, " To use it, " + remedy(where)
}

// remedy returns instructions that make path writable only by root.
func remedy(path string) string {
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeSticky != 0 {
		// All users need to write to /tmp.
		return "move it to a directory that belongs to root and that only root can write to."
	}
	return fmt.Sprintf("run: sudo chown root '%s' && sudo chmod go-w '%s'", path, path)
}

// firstForeign follows a path name by name, as the kernel does, and returns the first element
// that a user other than root controls.
func firstForeign(path string) (where, reason string) {
	const maxLinks = 40
	at, links := "/", 0
	rest := strings.Split(path, "/") // not cleaned: after a link, ".." has another meaning
	for {
		info, err := os.Lstat(at)
		if err != nil {
			return at, err.Error()
		}
		if reason := ownerProblem(info); reason != "" {
			return at, "'" + at + "' " + reason
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(at)
			if err != nil {
				return at, err.Error()
			}
			if links++; links > maxLinks {
				return at, "too many links"
			}
			rest = append(strings.Split(target, "/"), rest...)
			if at = filepath.Dir(at); filepath.IsAbs(target) {
				at = "/"
			}
		}
		for len(rest) > 0 && (rest[0] == "" || rest[0] == ".") {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return "", ""
		}
		at, rest = filepath.Join(at, rest[0]), rest[1:]
	}
}

// ownerProblem returns the reason why a file may be changed by a user other than root, "" if
// it cannot.
func ownerProblem(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return "has no known owner"
	case stat.Uid != 0:
		return "does not belong to root"
	case info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o022 != 0:
		return "can be written by others than root"
	}
	return ""
}

// isOurs reports whether a file belongs to the user.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
