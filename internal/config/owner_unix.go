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

// ownedByRoot reports whether only root can have written a system file: it, all
// directories above it and all links on the way belong to root, and no one else
// may write there. If not, it returns the warning for it (spec/cli.md §2.1).
func ownedByRoot(scope Scope, path string) (Warning, bool) {
	where, reason := firstForeign(path)
	if reason == "" {
		return "", true
	}
	what := "system settings file"
	if scope == SystemDefaults {
		what = "system defaults file"
	}
	return Warning(fmt.Sprintf("Security Warning: Skipping %s '%s': %s. To use it, %s", what, path, reason, remedy(where))), false
}

// remedy says what makes something root's alone.
func remedy(path string) string {
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeSticky != 0 {
		// Everybody needs to write to /tmp.
		return "move it to a directory that belongs to root and that nobody else may write to."
	}
	return fmt.Sprintf("run: sudo chown root '%s' && sudo chmod go-w '%s'", path, path)
}

// Foreign says why somebody else than root may have put something at a path, or
// below it if it is a directory; "" if nobody else can have.
func Foreign(path string) string {
	_, reason := firstForeign(path)
	return reason
}

// firstForeign walks to a file as the kernel does, one name at a time, and
// returns the first thing that someone else than root controls.
func firstForeign(path string) (where, reason string) {
	const maxLinks = 40
	at, links := "/", 0
	rest := strings.Split(path, "/") // not cleaned: after a link, ".." leads elsewhere
	for {
		info, err := os.Lstat(at)
		if err != nil {
			return at, err.Error()
		}
		if reason := foreign(info); reason != "" {
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

// foreign says why something is not root's alone, "" if it is.
func foreign(info fs.FileInfo) string {
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
