// Package workspace knows the directories that an agent works in: which paths
// are inside them and may be touched, which files the ignore rules hide, and
// how to walk them fast. Tools reach the disk through its [Disk].
//
// Nothing is read before it is needed: [New] looks at the directories
// themselves and at nothing in them. All that is in them is hostile: a path may
// be a link out, an ignore file may be a device or endless.
package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"pollux/internal/durable"
)

// Options say what a workspace is made of.
type Options struct {
	// Root is the target directory: relative paths start here.
	Root string
	// Include are further directories that belong to the workspace.
	Include []string
	// ProjectTemp is the project's own temporary directory. File tools may
	// read and write it although it is outside the workspace.
	ProjectTemp string
	// GlobalMemory is the one memory file outside the workspace that file
	// tools may read and write.
	GlobalMemory string
	// GitIgnore and GeminiIgnore are the default [Filter].
	GitIgnore, GeminiIgnore bool
	// IgnoreFiles are more ignore files beside .geminiignore; earlier ones are
	// stronger, and all are stronger than .geminiignore. Relative paths start at Root.
	IgnoreFiles []string
	// GitExcludes is the user's own ignore file (git's core.excludesFile), if any.
	GitExcludes string
	// Disk is how the disk is reached; functions not set are the real disk's.
	Disk Disk
}

// Workspace is a set of directories and the rules for what is in them. Its
// methods may be called from several goroutines at once.
type Workspace struct {
	dirs          atomic.Pointer[[]string] // real paths; the first is the root
	temp          string                   // real path, "" if there is none
	memory        string                   // likewise
	disk          Disk
	defaultFilter Filter
	rules         *ruleSet
}

// New returns the workspace of o. Its errors are warnings (an include
// directory that is missing, say): the workspace is usable in any case.
func New(o Options) (*Workspace, []error) {
	var warnings []error
	root, err := filepath.Abs(o.Root)
	if err != nil {
		root = filepath.Clean(o.Root)
	}
	root = realpath(root)
	if err := checkDir(root); err != nil {
		warnings = append(warnings, fmt.Errorf("workspace directory: %w", err))
	}
	w := &Workspace{defaultFilter: Filter{Git: o.GitIgnore, Gemini: o.GeminiIgnore}}
	w.dirs.Store(&[]string{root})
	for _, dir := range o.Include {
		if _, _, err := w.Add(dir); err != nil {
			warnings = append(warnings, fmt.Errorf("the include directory %s is left out: %w; look at --include-directories and context.includeDirectories", dir, durable.Cause(err)))
		}
	}
	if o.ProjectTemp != "" {
		w.temp = realpath(filepath.Clean(o.ProjectTemp))
	}
	if o.GlobalMemory != "" {
		w.memory = realpath(filepath.Clean(o.GlobalMemory))
	}
	w.disk = o.Disk.or(w.confined())
	w.rules = newRuleSet(root, o)
	return w, warnings
}

// Add makes a directory part of the workspace; a relative one starts at the root. It returns its path, absolute and
// without links, and whether it is new: one that is in the workspace under this
// name stays what it is.
func (w *Workspace) Add(dir string) (path string, added bool, err error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(w.Root(), dir)
	}
	path = realpath(filepath.Clean(dir))
	if err := checkDir(path); err != nil {
		return path, false, err
	}
	for {
		dirs := w.dirs.Load()
		if slices.Contains(*dirs, path) {
			return path, false, nil
		}
		more := append(slices.Clip(*dirs), path)
		if w.dirs.CompareAndSwap(dirs, &more) {
			return path, true, nil
		}
	}
}

func checkDir(path string) error {
	fi, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return fmt.Errorf("%s is not a directory", path)
	}
	return nil
}

// Root returns the target directory, absolute and without links.
func (w *Workspace) Root() string { return w.all()[0] }

// Dirs returns all directories of the workspace, the root first. They are
// absolute and without links.
func (w *Workspace) Dirs() []string { return slices.Clone(w.all()) }

// all is Dirs without the copy.
func (w *Workspace) all() []string { return *w.dirs.Load() }

// ProjectTemp returns the project's temporary directory, "" if it has none.
func (w *Workspace) ProjectTemp() string { return w.temp }

// Disk returns the way to the disk that tools must take. All its functions are set.
func (w *Workspace) Disk() Disk { return w.disk }

// DefaultFilter returns the ignore rules that the settings ask for.
func (w *Workspace) DefaultFilter() Filter { return w.defaultFilter }

// Rel returns abs relative to the root, as people like to read it; a path that
// cannot be made relative is returned as it is.
func (w *Workspace) Rel(abs string) string {
	rel, err := filepath.Rel(w.Root(), abs)
	if err != nil {
		return abs
	}
	return rel
}

// within reports whether path is dir or below it, and what is below. Both are clean.
func within(path, dir string) (below string, ok bool) {
	below, ok = strings.CutPrefix(path, dir)
	if !ok || below == "" || strings.HasSuffix(dir, string(filepath.Separator)) {
		return below, ok
	}
	return strings.CutPrefix(below, string(filepath.Separator))
}
