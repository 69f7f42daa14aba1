package undo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/undo/state"
)

// Roots returns the directories in which a call may change anything that works in these directories: their own, the
// work tree of the repository that they are in, because git changes all of it, and a repository's directory that is
// elsewhere. The home directory and those above it are too much for one undo, and are left out.
func Roots(dirs []string, home string) (roots []string) {
	add := func(dir string) {
		if !contains(dir, home) && !slices.ContainsFunc(roots, func(r string) bool { return contains(r, dir) }) {
			roots = slices.DeleteFunc(roots, func(r string) bool { return contains(dir, r) })
			roots = append(roots, dir)
		}
	}
	for _, dir := range dirs {
		top, gitDir := repositoryOf(dir)
		if top != "" && !contains(top, home) {
			add(top)
		}
		add(dir)
		if gitDir != "" {
			add(gitDir)
		}
	}
	return roots
}

// contains reports whether a path is a directory or below it.
func contains(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// repositoryOf returns the work tree that a directory is in, and the directory of its repository if that is not in it.
func repositoryOf(dir string) (top, gitDir string) {
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		s, err := state.Read(filepath.Join(dir, ".git"))
		if err != nil || s.Kind == state.Absent {
			continue
		}
		if s.Kind == state.Regular && s.Size < maxGitFile {
			gitDir = elsewhere(dir)
		}
		return dir, gitDir
	}
	return "", ""
}

// maxGitFile is the size of a file that names a directory of git's, in bytes.
const maxGitFile = 64 << 10

// elsewhere returns the directory that the file .git in a work tree names: that of all its worktrees, if it is one.
func elsewhere(dir string) string {
	data, err := durable.ReadFile(filepath.Join(dir, ".git"), maxGitFile)
	path, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	path, err = filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	if _, err := os.Lstat(filepath.Join(path, "commondir")); err == nil { // of a worktree: the file could name any repository
		if filepath.Base(filepath.Dir(path)) != "worktrees" {
			return ""
		}
		path = filepath.Dir(filepath.Dir(path))
	}
	if filepath.Base(path) != ".git" && !strings.Contains(filepath.ToSlash(path), "/.git/") {
		return "" // anything can stand in the file
	}
	return path
}
