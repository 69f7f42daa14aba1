// Package workspace represents the directories that an agent works in: which paths are inside
// and accessible, which files the ignore rules exclude, and how to walk them fast. Tools
// access the disk through its [Disk].
//
// [New] checks the directories themselves and reads nothing in them; everything else is read
// when it is needed. The content is not trusted: a path may be a link to the outside, an
// ignore file may be a device or endless.
package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"pollux/internal/durable"
)

// Options configure a [Workspace].
type Options struct {
	// Root is the target directory, which relative paths start at.
	Root string
	// Home is the user's home directory, which "~/" at the beginning of a path stands for; "" for none.
	Home string
	// Include are additional directories of the workspace.
	Include []string
	// ProjectTemp is the project's own temporary directory. File tools may read and write it, except
	// for recorded conversations, although it is outside the workspace.
	ProjectTemp string
	// GlobalMemory is the only memory file outside the workspace that file tools may read and
	// write.
	GlobalMemory string
	// GitIgnore and GeminiIgnore are the default [Filter].
	GitIgnore, GeminiIgnore bool
	// IgnoreFiles are ignore files in addition to .geminiignore. Earlier ones take precedence,
	// and all take precedence over .geminiignore. Relative paths start at Root.
	IgnoreFiles []string
	// GitExcludes is the user's own ignore file (git's core.excludesFile), if any.
	GitExcludes string
	// Disk replaces functions of the real disk. Those that are nil are not replaced, and those that return
	// [ErrNotServed] leave a path to the real one.
	Disk Disk
	// Buffers are the texts of an editor, nil for none.
	Buffers *Buffers
}

// Workspace is a set of directories and the rules for their content. It is safe for concurrent
// use.
type Workspace struct {
	permitted     atomic.Pointer[[]string] // see Permit; paths without links
	readable      func() []string          // see AllowRead; may be nil
	dirs          atomic.Pointer[[]string] // paths without links; the first is the root
	readableDirs  atomic.Pointer[[]string] // see AddReadable; paths without links
	home          string                   // see Options
	temp          string                   // without links; "" if there is none
	memory        string                   // without links; "" if there is none
	disk          Disk
	hasBuffers    bool
	isReal        bool                                     // nothing that walks and searches read was replaced in disk
	readDir       func(path string) ([]fs.DirEntry, error) // that of Options.Disk
	statPath      func(path string) (fs.FileInfo, error)   // that of Options.Disk, or os.Stat: for any path
	lstatPath     func(path string) (fs.FileInfo, error)   // that of Options.Disk, or os.Lstat: for any path
	defaultFilter Filter
	rules         *ruleSet
}

// New returns a workspace. The errors are warnings, for example about a missing include
// directory: the workspace is usable in any case.
func New(o Options) (*Workspace, []error) {
	var warnings []error
	root, err := filepath.Abs(o.Root)
	if err != nil {
		root = filepath.Clean(o.Root)
	}
	root = RealPath(root)
	w := &Workspace{
		home:          o.Home,
		defaultFilter: Filter{Git: o.GitIgnore, Gemini: o.GeminiIgnore},
		isReal:        o.Disk.Open == nil && o.Disk.Stream == nil && o.Disk.ReadDir == nil,
		readDir:       o.Disk.ReadDir, statPath: orReal(o.Disk.Stat, os.Stat), lstatPath: orReal(o.Disk.Lstat, os.Lstat),
	}
	if err := w.checkDir(root); err != nil {
		warnings = append(warnings, fmt.Errorf("workspace directory: %w", err))
	}
	w.dirs.Store(&[]string{root})
	w.readableDirs.Store(&[]string{})
	w.permitted.Store(&[]string{})
	for _, dir := range o.Include {
		if _, _, err := w.Add(dir); err != nil {
			warnings = append(warnings, fmt.Errorf("ignoring the include directory %s: %w; check --include-directories and context.includeDirectories", dir, durable.Cause(err)))
		}
	}
	if o.ProjectTemp != "" {
		w.temp = RealPath(filepath.Clean(o.ProjectTemp))
	}
	if o.GlobalMemory != "" {
		w.memory = RealPath(filepath.Clean(o.GlobalMemory))
	}
	w.disk = o.Disk.withDefaults(w.confined())
	if w.hasBuffers = o.Buffers != nil; w.hasBuffers {
		w.disk = o.Buffers.over(w, w.disk)
	}
	w.rules = w.newRuleSet(root, o)
	return w, warnings
}

// Add adds a directory to the workspace; a relative path starts at the root. It returns the
// absolute path without links, and whether the directory was added; it may already be in the
// workspace. The error is not nil if it is not a directory or does not exist.
func (w *Workspace) Add(dir string) (path string, added bool, err error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(w.Root(), dir)
	}
	path = RealPath(filepath.Clean(dir))
	if err := w.checkDir(path); err != nil {
		return path, false, err
	}
	return path, include(&w.dirs, path), nil
}

// AddReadable makes a directory, which is an absolute path, readable for file tools. They cannot write in
// it. It returns the path without links, and whether it was not readable before.
func (w *Workspace) AddReadable(dir string) (path string, added bool, err error) {
	path = RealPath(filepath.Clean(dir))
	if err := w.checkDir(path); err != nil {
		return path, false, err
	}
	if w.mayRead(path) {
		return path, false, nil
	}
	return path, include(&w.readableDirs, path), nil
}

// include adds a path to a list, and reports whether it was not there.
func include(list *atomic.Pointer[[]string], path string) bool {
	for {
		dirs := list.Load()
		if slices.Contains(*dirs, path) {
			return false
		}
		more := append(slices.Clip(*dirs), path)
		if list.CompareAndSwap(dirs, &more) {
			return true
		}
	}
}

func (w *Workspace) checkDir(path string) error {
	fi, err := w.statPath(path)
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

// Dirs returns all directories of the workspace, the root first. They are absolute and without
// links.
func (w *Workspace) Dirs() []string { return slices.Clone(w.all()) }

// ReadableDirs returns the directories of the workspace and those of [Workspace.AddReadable].
func (w *Workspace) ReadableDirs() []string { return append(w.Dirs(), *w.readableDirs.Load()...) }

// all is Dirs without the copy.
func (w *Workspace) all() []string { return *w.dirs.Load() }

// ProjectTemp returns the project's temporary directory, "" if it has none.
func (w *Workspace) ProjectTemp() string { return w.temp }

// Disk returns the functions that tools must access the disk with. All of them are set.
func (w *Workspace) Disk() Disk { return w.disk }

// IsReal reports whether programs see the same files as the disk of the workspace.
func (w *Workspace) IsReal() bool { return w.isReal }

// DefaultFilter returns the ignore rules that the settings select.
func (w *Workspace) DefaultFilter() Filter { return w.defaultFilter }

// Rel returns abs relative to the root, for display. If that is impossible it returns abs.
func (w *Workspace) Rel(abs string) string {
	rel, err := filepath.Rel(w.Root(), abs)
	if err != nil {
		return abs
	}
	return rel
}

// IsWithin reports whether path is dir or below it. Both must be absolute and clean.
func IsWithin(path, dir string) bool {
	_, ok := within(path, dir)
	return ok
}

// within reports whether path is dir or below it, and the part below dir. Both paths must be
// clean.
func within(path, dir string) (below string, ok bool) {
	below, ok = strings.CutPrefix(path, dir)
	if !ok || below == "" || strings.HasSuffix(dir, string(filepath.Separator)) {
		return below, ok
	}
	return strings.CutPrefix(below, string(filepath.Separator))
}

// HasFile reports whether there is a file with this name in the workspace.
func (w *Workspace) HasFile(name string) bool {
	path := w.Resolve(name)
	_, err := os.Lstat(path)
	return err == nil && w.Contains(path)
}
