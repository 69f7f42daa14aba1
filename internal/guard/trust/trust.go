// Package trust determines which folders the user trusts. The content of a repository, such as
// settings, hooks, servers and instructions, takes effect only in a trusted folder.
package trust

import (
	"path/filepath"
	"runtime"
	"strings"

	"pollux/internal/exit"
)

// State is the trust state of a folder.
type State uint8

// The states. Unknown has the same effect as Untrusted, but the user may be asked.
const (
	Unknown State = iota
	Trusted
	Untrusted
)

// Options are the inputs of a decision.
type Options struct {
	Dir  string // the absolute path of the folder
	File string // the file of levels, usually ~/.gemini/trustedFolders.json
	// Enabled is security.folderTrust.enabled from the system's and user's settings, never
	// from the folder's own.
	Enabled bool
	// Restricted is the environment variable GEMINI_RESTRICTED_MODE.
	// Workspace is the environment variable GEMINI_CLI_TRUST_WORKSPACE, which --skip-trust
	// sets to "true".
	Restricted string
	Workspace  string
	// Editor is the trust state according to the editor that hosts this session; Unknown if
	// there is none.
	Editor State
}

// Decide reports whether a folder is trusted. An error is an [*exit.Error] with code 52: the
// file of levels is invalid.
func Decide(o Options) (State, error) {
	switch {
	case o.Restricted == "true", o.Workspace == "false":
		return Untrusted, nil
	case o.Workspace == "true", !o.Enabled:
		return Trusted, nil
	case o.Editor != Unknown:
		return o.Editor, nil
	}
	levels, err := Read(o.File)
	if err != nil {
		return Unknown, err
	}
	return levels.state(o.Dir, foldsCase()), nil
}

// Source returns the folder in the file of levels whose level decides about trust in a folder, and that level. It returns "" if no
// folder does.
func Source(o Options) (folder string, level Level, err error) {
	levels, err := Read(o.File)
	if err != nil {
		return "", "", err
	}
	_, folder = levels.find(o.Dir, foldsCase())
	return folder, levels[folder], nil
}

func foldsCase() bool { return runtime.GOOS == "darwin" || runtime.GOOS == "windows" }

// state returns the state of dir.
func (l Levels) state(dir string, foldCase bool) State {
	state, _ := l.find(dir, foldCase)
	return state
}

// find returns the state of dir and the folder whose level decides, "" for none. The level with the longest path applies; of several, the one
// with less trust. The lengths are those of real paths, so that no other spelling of a path, with
// links or "..", is longer than the path itself.
func (l Levels) find(dir string, foldCase bool) (state State, folder string) {
	dir = realPath(dir, foldCase)
	longest := -1
	for path, level := range l {
		if !filepath.IsAbs(path) {
			continue
		}
		covered := realPath(path, foldCase)
		length := len(covered)
		if level == TrustParent {
			covered = realPath(filepath.Dir(path), foldCase)
			length = len(filepath.Join(covered, filepath.Base(path)))
		}
		if length < longest || !within(dir, covered) {
			continue
		}
		s := Trusted
		if level == DoNotTrust {
			s = Untrusted
		}
		if length > longest || s == Untrusted && state != Untrusted || s == state && path < folder {
			state, folder, longest = s, path, length
		}
	}
	return state, folder
}

// realPath follows the links of the existing part of a path.
func realPath(path string, foldCase bool) string {
	path = filepath.Clean(path)
	rest := ""
	for p := path; ; {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			path = filepath.Join(real, rest)
			break
		}
		parent := filepath.Dir(p)
		if parent == p {
			break
		}
		rest = filepath.Join(filepath.Base(p), rest)
		p = parent
	}
	if foldCase {
		path = strings.ToLower(path)
	}
	return path
}

// within reports whether path is root or below it.
func within(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// CheckTrusted returns the error that ends a non-interactive run in an untrusted folder, nil if the
// folder is trusted.
func CheckTrusted(s State, o Options) *exit.Error {
	if s == Trusted {
		return nil
	}
	const untrusted = "Pollux is not running in a trusted directory. "
	if o.Restricted == "true" {
		return &exit.Error{Code: exit.Untrusted, Message: untrusted + "The `GEMINI_RESTRICTED_MODE=true` environment variable forbids to trust one. " +
			"To proceed, unset it."}
	}
	return &exit.Error{Code: exit.Untrusted, Message: untrusted + "To proceed, either use `--skip-trust`, " +
		"set the `GEMINI_CLI_TRUST_WORKSPACE=true` environment variable, or trust this directory in interactive mode."}
}

// Advice returns how a person in a session trusts the folder, as a sentence.
func Advice(o Options) string {
	switch {
	case o.Restricted == "true":
		return "To trust it, unset GEMINI_RESTRICTED_MODE, and start Pollux again."
	case o.Workspace == "false":
		return "To trust it, unset GEMINI_CLI_TRUST_WORKSPACE, and start Pollux again."
	}
	return "To trust it, type /permissions trust."
}
