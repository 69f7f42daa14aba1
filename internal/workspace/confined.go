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

// This file keeps tools inside the workspace even if the repository is changing at the same
// time. The opened file is the checked one, because the same path, which contains no link, is
// first checked by its names and then opened without following a link at any step ("straight").
// If a directory becomes a link in between, opening fails. Names that were checked cannot
// change their meaning: a request for docs can never open .git.
//
// An os.Root cannot do this. It keeps us inside the workspace, but there it follows links to
// .git and .env; it blocks on a pipe that replaces a directory; and a root that is kept open
// becomes stale when the workspace is cloned again.

// confined is the disk as far as file tools may reach it.
func (w *Workspace) confined() Disk {
	return Disk{
		Open: func(path string) (fs.File, error) {
			f, err := reach(w, "open", path, w.mayRead, openFile)
			if err != nil {
				return nil, err // f is a nil *os.File, which is no nil fs.File
			}
			return f, nil
		},
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
			_, err := reach(w, "write", path, w.allows, func(path string) (any, error) { return nil, writeFile(path, data, w.newMode(path)) })
			return err
		},
		Mkdir: func(path string) error {
			_, err := reach(w, "mkdir", path, w.mayMake, func(path string) (any, error) { return nil, makeDir(path, w.newMode(path)) })
			return err
		},
		Remove: func(path string) error {
			_, err := reach(w, "remove", path, w.allows, func(path string) (any, error) { return nil, removeFile(path) })
			return err
		},
		RemoveDir: func(path string) error {
			mayRemove := func(real string) bool { return w.allows(real) && !slices.Contains(w.all(), real) }
			_, err := reach(w, "remove", path, mayRemove, func(path string) (any, error) { return nil, removeDir(path) })
			return err
		},
	}
}

// newMode returns the mode of a new directory at path, which of a file lacks the right to execute. The
// user's umask decides about modes in the project; plans and other files of Pollux are private.
func (w *Workspace) newMode(path string) fs.FileMode {
	if w.temp != "" && IsWithin(path, w.temp) {
		return 0o700
	}
	return 0o777
}

// stream opens files that a walk has found, and so follows no link. It permits everything in
// the workspace, because a search may include files that other tools cannot access:
// node_modules, for example.
func (w *Workspace) stream(path string) (io.ReadCloser, error) {
	if path = filepath.Clean(path); !w.contains(path) {
		return nil, w.refuse(path)
	}
	return openStream(path)
}

func (w *Workspace) openDir(path string) (*os.File, error) {
	return reach(w, "open", path, w.mayRead, openDir)
}

// stat follows links. It returns a Refusal only for paths that exist, so that words of a
// prompt that are no paths are reported as missing.
func (w *Workspace) stat(path string) (fs.FileInfo, error) {
	info, err := reach(w, "stat", path, w.contains, stat)
	if out := Refusal(""); errors.As(err, &out) {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
	}
	return info, err
}

// stat is lstat that refuses links with ELOOP.
func stat(path string) (fs.FileInfo, error) {
	info, err := lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, syscall.ELOOP
	}
	return info, err
}

// lstat follows links in the directory of a path, but not in its last name.
func (w *Workspace) lstat(path string) (fs.FileInfo, error) {
	dir, name := filepath.Split(filepath.Clean(path))
	return reach(w, "lstat", dir,
		func(dir string) bool { return w.contains(filepath.Join(dir, name)) },
		func(dir string) (fs.FileInfo, error) { return lstat(filepath.Join(dir, name)) })
}

// mayMake reports whether a directory may be created: one that file tools may access, or the
// one of the memory file.
func (w *Workspace) mayMake(dir string) bool {
	return w.allows(dir) || w.memory != "" && dir == filepath.Dir(w.memory)
}

// reach calls use with path, or with the path that its links lead to, if it is allowed. use
// must fail with ELOOP if it meets a link.
func reach[T any](w *Workspace, op, path string, allowed func(string) bool, use func(string) (T, error)) (got T, err error) {
	clean := filepath.Clean(path)
	err = syscall.ELOOP
	if allowed(clean) { // the usual case, which saves checking each name for a link
		got, err = use(clean)
	}
	if errors.Is(err, syscall.ELOOP) {
		real := RealPath(clean)
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
