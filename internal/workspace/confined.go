package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// How tools are kept inside although the repository may be changing under
// them: what is opened is what was checked, because one and the same path, in
// which there is no link, is first judged by its names and then opened without
// following a link at any step of it ("straight"). A directory that turns into
// a link in between makes the open fail. Names that were judged stay what they
// are: nobody gets .git by asking for docs.
//
// This is not done with an os.Root. It would keep us in the workspace, but in
// there it follows links to .git and .env; it waits at a pipe that takes the
// place of a directory; and one that is kept open would be stale when the
// workspace is cloned anew.

// confined is the disk as far as file tools may reach it.
func (w *Workspace) confined() Disk {
	return Disk{
		Open:   func(path string) (*os.File, error) { return reach(w, "open", path, w.allows, openFile) },
		Stream: w.stream,
		Stat:   w.stat,
		Lstat:  w.lstat,
		ReadDir: func(path string) ([]fs.DirEntry, error) {
			d, err := w.openDir(path)
			if err != nil {
				return nil, err
			}
			defer d.Close()
			entries, err := d.ReadDir(-1)
			slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
			return entries, err
		},
		Write: func(path string, data []byte) error {
			_, err := reach(w, "write", path, w.allows, func(path string) (any, error) { return nil, writeFile(path, data) })
			return err
		},
		Mkdir: func(path string) error {
			_, err := reach(w, "mkdir", path, w.mayMake, func(path string) (any, error) { return nil, makeDir(path) })
			return err
		},
	}
}

// stream is for what a walk has found, and so follows no link. A search may
// have been told to look where other tools don't go: into node_modules, say.
func (w *Workspace) stream(path string) (io.ReadCloser, error) {
	if path = filepath.Clean(path); !w.holds(path) {
		return nil, w.refuse(path)
	}
	return openStream(path)
}

// openDir opens a directory to list it.
func (w *Workspace) openDir(path string) (*os.File, error) {
	return reach(w, "open", path, w.allows, openDir)
}

// stat follows links. What it refuses exists: words of a prompt that are no
// paths are not worth a refusal.
func (w *Workspace) stat(path string) (fs.FileInfo, error) {
	info, err := reach(w, "stat", path, w.holds, stat)
	if out := Refusal(""); errors.As(err, &out) {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
	}
	return info, err
}

// stat is lstat for what is no link.
func stat(path string) (fs.FileInfo, error) {
	info, err := lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, syscall.ELOOP
	}
	return info, err
}

// lstat follows the links on the way to a name, but not the name's own.
func (w *Workspace) lstat(path string) (fs.FileInfo, error) {
	dir, name := filepath.Split(filepath.Clean(path))
	return reach(w, "lstat", dir,
		func(dir string) bool { return w.holds(filepath.Join(dir, name)) },
		func(dir string) (fs.FileInfo, error) { return lstat(filepath.Join(dir, name)) })
}

// mayMake reports whether a directory may be made: one that file tools may
// touch, or the one of the memory file.
func (w *Workspace) mayMake(dir string) bool {
	return w.allows(dir) || w.memory != "" && dir == filepath.Dir(w.memory)
}

// reach calls use with path, or with where its links lead, if it is allowed.
// Use fails with ELOOP if it meets a link.
func reach[T any](w *Workspace, op, path string, allowed func(string) bool, use func(string) (T, error)) (got T, err error) {
	clean := filepath.Clean(path)
	err = syscall.ELOOP
	if allowed(clean) { // as it is mostly, and then it needs no look at each of its names
		got, err = use(clean)
	}
	if errors.Is(err, syscall.ELOOP) {
		real := realpath(clean)
		if !allowed(real) {
			return got, w.refuse(path)
		}
		got, err = use(real)
	}
	var p *fs.PathError
	if err != nil && !errors.As(err, &p) {
		err = &fs.PathError{Op: op, Path: path, Err: err}
	}
	return got, err
}
