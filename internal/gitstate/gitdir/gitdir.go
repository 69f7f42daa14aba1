// Package gitdir finds the git directory of a work tree from its files, without running git.
package gitdir

import (
	"os"
	"path/filepath"
	"strings"

	"pollux/internal/durable"
)

// Of returns the git directory of the work tree whose top directory is top, and whether there is a work tree. The git
// directory is "" if the file that names it is damaged.
func Of(top string) (dir string, ok bool) {
	at := filepath.Join(top, ".git")
	info, err := os.Lstat(at)
	switch {
	case err != nil:
		return "", false
	case info.IsDir():
		return at, true
	case !info.Mode().IsRegular():
		return "", false
	}
	to, ok := strings.CutPrefix(FirstLine(at), "gitdir: ") // a worktree or a submodule
	if !ok || to == "" {
		return "", true
	}
	return absolute(top, to), true
}

// Common returns the directory that has the configuration and the objects of a git directory: that of the
// repository if the git directory is that of a linked worktree, else itself.
func Common(dir string) string {
	if to := FirstLine(filepath.Join(dir, "commondir")); to != "" {
		return absolute(dir, to)
	}
	return dir
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// FirstLine returns the first line of a small file, "" if it cannot be read.
func FirstLine(path string) string {
	text, err := durable.ReadFile(path, 64<<10)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSuffix(line, "\r")
}
