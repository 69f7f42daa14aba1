package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// CheckRead returns nil if file tools may read this absolute path. The text of
// its error is the model's (spec/tools.md §1.6).
func (w *Workspace) CheckRead(abs string) error { return w.check(abs) }

// CheckWrite returns nil if file tools may write, create or remove this
// absolute path. The text of its error is the model's (spec/tools.md §1.6).
func (w *Workspace) CheckWrite(abs string) error { return w.check(abs) }

func (w *Workspace) check(abs string) error {
	if why := malformed(abs); why != "" {
		return Refusal("Invalid path: " + why)
	}
	if !w.allows(realpath(filepath.Clean(abs))) {
		return w.refuse(abs)
	}
	return nil
}

// allows reports whether file tools may touch a path that has no link in it.
func (w *Workspace) allows(real string) bool {
	for _, dir := range w.all() {
		if below, ok := within(real, dir); ok && !guarded(below) {
			return true
		}
	}
	if w.temp != "" {
		if below, ok := within(real, w.temp); ok && !inbox(below) {
			return true
		}
	}
	return w.memory != "" && real == w.memory
}

// holds reports whether a path that has no link in it is in the workspace, or
// one that file tools may touch outside: that it is there is then no secret.
func (w *Workspace) holds(real string) bool {
	for _, dir := range w.all() {
		if _, ok := within(real, dir); ok {
			return true
		}
	}
	return w.allows(real)
}

func (w *Workspace) refuse(abs string) error {
	return Refusal(fmt.Sprintf("Path not in workspace: Attempted path \"%s\" resolves outside the allowed workspace directories: %s or the project temp directory: %s",
		abs, strings.Join(w.all(), ", "), w.temp))
}

// Refusal is why file tools must not touch a path, in a text that the model
// gets as it is (spec/tools.md §1.6).
type Refusal string

func (r Refusal) Error() string { return string(r) }

// malformed says what is wrong with the shape of a path: models paste pieces
// of logs and prose where a path belongs. What exists is a path, whatever it
// looks like ("app/[...slug]/page.tsx"), so that only the rest is looked at,
// except for what no path can be, or would not stay on its line.
func malformed(path string) string {
	switch {
	case path == "":
		return "the path is empty"
	case len(path) > maxPath:
		return fmt.Sprintf("the path is longer than %d characters", maxPath)
	case strings.ContainsAny(path, "\n\r\t\x00"):
		return "the path contains a line break, a tab or a NUL"
	}
	for name := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if len(name) > maxName {
			return fmt.Sprintf("a name in the path is longer than %d characters", maxName)
		}
	}
	long := len(path) > 20
	if prose(path, long) == "" {
		return ""
	}
	return prose(missing(path), long)
}

// prose says why a path, or a part of one that is long, looks like no path.
func prose(part string, long bool) string {
	if long && (strings.Contains(part, `"`) || strings.Contains(part, "...")) {
		return `the path contains quotes or "...", as prose and shortened text do`
	}
	for name := range strings.SplitSeq(filepath.ToSlash(part), "/") {
		for _, p := range []string{"AssertionError:", "FAIL ", "✓ ", "× ", "TestingLibraryElementError:"} {
			if strings.HasPrefix(name, p) {
				return "the path looks like a line of test output"
			}
		}
	}
	return ""
}

// missing returns the part of a path that is not there.
func missing(path string) string {
	path = filepath.Clean(path)
	for there := path; ; there = filepath.Dir(there) {
		if _, err := os.Lstat(there); err == nil || there == filepath.Dir(there) {
			return path[len(there):]
		}
	}
}

// guarded reports whether a path below a workspace directory leads into what
// file tools never touch: the repository's own data, secrets, dependencies.
func guarded(below string) bool {
	for name := range strings.SplitSeq(filepath.ToSlash(below), "/") {
		// Windows opens the same file for "x", "x." and "x::$DATA".
		name, _, _ = strings.Cut(name, ":")
		name = strings.ToLower(strings.TrimRight(name, ". "))
		switch name {
		case ".git", ".env", "node_modules":
			return true
		}
		if strings.HasPrefix(name, "gha-creds-") && strings.HasSuffix(name, ".json") {
			return true
		}
	}
	return false
}

// inbox reports whether a path below the project's temporary directory is in
// the part of it that waits for a person's review.
func inbox(below string) bool {
	_, ok := within(filepath.ToSlash(below), "memory/.inbox")
	return ok
}
