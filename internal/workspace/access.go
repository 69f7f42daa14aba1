package workspace

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// CheckRead returns nil if file tools may read this absolute path. Otherwise the error is a
// [Refusal], whose text is meant for the model.
func (w *Workspace) CheckRead(abs string) error { return w.check(abs, w.mayRead) }

// AllowRead makes also the files readable that files returns, as absolute paths. Call it before the
// workspace is used.
func (w *Workspace) AllowRead(files func() []string) { w.readable = files }

// Outside returns the path that an absolute path leads to, without links, if it exists outside of the directories that file
// tools may read, and a person may [Workspace.Permit] it. That is not so for files that no tool ever accesses.
func (w *Workspace) Outside(abs string) (real string, ok bool) {
	if w.malformed(abs) != "" {
		return "", false
	}
	real = RealPath(filepath.Clean(abs))
	if w.contains(real) || isGuarded(real) || w.temp != "" && IsWithin(real, w.temp) {
		return "", false
	}
	_, err := w.statPath(real)
	return real, err == nil
}

// Permit makes a path of [Workspace.Outside] readable, with all below it if it is a directory, because a person has said so.
// Nothing there can be written. It may be called while the workspace is used.
func (w *Workspace) Permit(real string) { include(&w.permitted, real) }

// CheckWrite returns nil if file tools may write, create or remove this absolute path.
// Otherwise the error is a [Refusal], whose text is meant for the model.
func (w *Workspace) CheckWrite(abs string) error { return w.check(abs, w.allows) }

func (w *Workspace) check(abs string, allowed func(string) bool) error {
	if why := w.malformed(abs); why != "" {
		return Refusal("Invalid path: " + why)
	}
	if !allowed(RealPath(filepath.Clean(abs))) {
		return w.refuse(abs)
	}
	return nil
}

// allows reports whether file tools may access a path, which must not contain links.
func (w *Workspace) allows(real string) bool {
	for _, dir := range w.all() {
		if below, ok := within(real, dir); ok && !isGuarded(below) {
			return true
		}
	}
	if w.temp != "" {
		if below, ok := within(real, w.temp); ok && !isRecord(below) {
			return true
		}
	}
	return w.memory != "" && real == w.memory
}

// mayRead reports whether file tools may read a path, which must not contain links: one that they
// may access, or one of [Workspace.AddReadable], [Workspace.Permit] or [Workspace.AllowRead].
func (w *Workspace) mayRead(real string) bool {
	if w.allows(real) {
		return true
	}
	for _, dirs := range [...]*[]string{w.readableDirs.Load(), w.permitted.Load()} {
		for _, dir := range *dirs {
			if below, ok := within(real, dir); ok && !isGuarded(below) {
				return true
			}
		}
	}
	return w.readable != nil && slices.ContainsFunc(w.readable(), func(file string) bool {
		return filepath.Base(real) == filepath.Base(file) && real == filepath.Join(RealPath(filepath.Dir(file)), filepath.Base(file))
	})
}

// Contains reports whether an absolute path is in one of the workspace's directories after its
// links are followed. File tools may still be refused access to it.
func (w *Workspace) Contains(abs string) bool {
	path := filepath.Clean(abs)
	return len(path) <= maxPath && w.isInside(RealPath(path)) // the links of a longer one are not known
}

// isInside reports whether a path, which must not contain links, is in one of the directories.
func (w *Workspace) isInside(real string) bool {
	return slices.ContainsFunc(w.all(), func(dir string) bool { return IsWithin(real, dir) })
}

// contains reports whether a path, which must not contain links, is in the workspace or is one
// that file tools may access outside of it. File tools may learn that such a path exists.
func (w *Workspace) contains(real string) bool {
	return w.isInside(real) || w.mayRead(real)
}

// refuse returns the error for a path that file tools must not access.
func (w *Workspace) refuse(abs string) error {
	if what := w.protected(RealPath(filepath.Clean(abs))); what != "" {
		return Refusal(fmt.Sprintf("Path not allowed: file tools neither read nor write %s: \"%s\"", what, abs))
	}
	return Refusal(fmt.Sprintf("Path not in workspace: Attempted path \"%s\" resolves outside the allowed workspace directories: %s or the project temp directory: %s."+
		" A user can add its directory: with /directory add in a session, or with --include-directories at its start.", abs, strings.Join(w.all(), ", "), w.temp))
}

// protected describes the files that a path in an accessible directory leads to if file tools never access them, else it
// returns "". The path must not contain links.
func (w *Workspace) protected(real string) string {
	for _, dir := range append(w.ReadableDirs(), *w.permitted.Load()...) {
		if below, ok := within(real, dir); ok && isGuarded(below) {
			return guarded(below)
		}
	}
	if below, ok := within(real, w.temp); ok && w.temp != "" && isRecord(below) {
		return "Pollux's own records"
	}
	return ""
}

// Refusal is the error for a path that file tools must not access. Its text is sent to the
// model unchanged.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// malformed returns the error in the shape of a path, "" for none: models sometimes put parts
// of logs and prose where a path belongs. A path that exists is accepted even if it looks
// strange ("app/[...slug]/page.tsx"), unless it is too long or contains a line break, tab or
// NUL.
func (w *Workspace) malformed(path string) string {
	switch {
	case path == "":
		return "the path is empty"
	case len(path) > maxPath:
		return fmt.Sprintf("the path is longer than %d characters", maxPath)
	case strings.ContainsAny(path, "\n\r\t\x00"):
		return "the path contains a line break, a tab or a NUL"
	case runtime.GOOS == "windows" && windowsAlias(path) != "":
		return fmt.Sprintf("Windows opens another file than %q by this name", windowsAlias(path))
	}
	for name := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if len(name) > maxName {
			return fmt.Sprintf("a name in the path is longer than %d characters", maxName)
		}
	}
	isLong := len(path) > 20
	if proseIn(path, isLong) == "" {
		return ""
	}
	return proseIn(w.missingPart(path), isLong)
}

// proseIn returns why a path, or the missing part of it, looks like prose; "" if it does not.
// isLong reports whether the whole path is long.
func proseIn(part string, isLong bool) string {
	if isLong && (strings.Contains(part, `"`) || strings.Contains(part, "...")) {
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

// missingPart returns the part of a path that does not exist.
func (w *Workspace) missingPart(path string) string {
	path = filepath.Clean(path)
	for there := path; ; there = filepath.Dir(there) {
		if _, err := w.lstatPath(there); err == nil || there == filepath.Dir(there) {
			return path[len(there):]
		}
	}
}

// guarded describes the files that a path below a workspace directory leads to if file tools never access them: the
// repository's own data, secrets and dependencies. It returns "" for other files.
func guarded(below string) string {
	for name := range strings.SplitSeq(filepath.ToSlash(below), "/") {
		// Windows opens the same file for "x", "x." and "x::$DATA".
		name, _, _ = strings.Cut(name, ":")
		switch name = strings.ToLower(strings.TrimRight(name, ". ")); {
		case name == ".git":
			return "in .git"
		case name == "node_modules":
			return "in node_modules"
		case isUndo(name):
			return "files kept for undo"
		case IsSecret(name):
			return "files with credentials"
		}
	}
	return ""
}

// isGuarded reports whether file tools never access a path below a workspace directory.
func isGuarded(below string) bool { return guarded(below) != "" }

// IsSecret reports whether files with this name hold credentials, which no tool may show to a
// model.
func IsSecret(name string) bool {
	name = strings.ToLower(name)
	return name == ".env" || name == ".gemini-extension-install.json" || // an address there may have a token
		strings.HasPrefix(name, "gha-creds-") && strings.HasSuffix(name, ".json")
}

// isRecord reports whether a path below the project's temporary directory leads to files that file
// tools never access: recorded and saved conversations, which a later session trusts, the identity
// of the project, and the inbox of the memory, whose content waits for the user's review.
func isRecord(below string) bool {
	below = strings.ToLower(filepath.ToSlash(below)) // some file systems ignore case
	first, _, _ := strings.Cut(below, "/")
	first = strings.TrimRight(first, ". ") // Windows opens the same directory
	switch {
	case first == "chats", first == "checkpoints", first == "logs", first == "logs.json", first == ".project_root":
		return true
	case strings.HasPrefix(first, "checkpoint-"):
		return true
	}
	_, isInbox := within(below, "memory/.inbox")
	return isInbox
}
