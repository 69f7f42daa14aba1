package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Finder finds programs by name.
type Finder struct {
	// Path is the value of PATH. Directories that are not absolute do not count:
	// they mean whatever lies in the working directory.
	Path string
	// Outside are directories whose programs do not count: a program of a repository
	// must not run because it has a known name.
	Outside []string
}

// Find returns the path of a program, links followed, "" if there is none.
func (f Finder) Find(name string) string {
	if name == "" || name != filepath.Base(name) {
		return f.usable(name)
	}
	for _, dir := range filepath.SplitList(f.Path) {
		if path := f.usable(filepath.Join(dir, name)); path != "" {
			return path
		}
	}
	return ""
}

// usable returns the path of the program that is at this one, "" if there is none.
func (f Finder) usable(path string) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	if runtime.GOOS == "windows" && filepath.Ext(path) == "" {
		path += ".exe"
	}
	if _, err := os.Lstat(path); err != nil { // as for most names in most directories: cheaper than to follow links on the way
		return ""
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		return ""
	}
	for _, dir := range f.Outside {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return ""
		}
	}
	return path
}

// ErrNotFound is the error of [LookPath] for a name that is in no directory.
var ErrNotFound = exec.ErrNotFound

// LookPath returns the path of a program: name itself if it is an absolute path, or the
// first that is in a directory of path, the value of PATH. Directories that are not
// absolute do not count, and neither does a relative path. Unlike [Finder.Find] it
// follows no links, since some programs go by the name under which they are called.
func LookPath(path, name string) (string, error) {
	if filepath.IsAbs(name) {
		return exec.LookPath(name)
	}
	if name == filepath.Base(name) {
		for _, dir := range filepath.SplitList(path) {
			if !filepath.IsAbs(dir) {
				continue
			}
			if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return found, nil
			}
		}
	}
	return "", fmt.Errorf("run %q: %w", name, ErrNotFound)
}

// Getenv returns the value of a variable in environ ("NAME=value"), or "" if it is not set.
// If it is set more than once, the last value counts.
func Getenv(environ []string, name string) string {
	for _, variable := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}
