// Package durable reads and writes files safely. A write is atomic: after a crash, a full disk
// or a power failure the file has either its old or its new content, never a part of either;
// [WriteFileUnsynced] leaves out the power failure.
//
// At any instant of [WriteFile], path is the old file until the rename and the new file after
// it, and the new content is on the disk before the rename makes it visible. A process that is
// killed during a write may leave a temporary file beside the destination. Its name is a dot,
// the destination's name, a random suffix and ".tmp".
//
// A file that no rename can replace, because it is a mount point or its directory cannot be written in, is overwritten in place:
// an error restores the old content, but a reader, or the end of the process, can see a part of the new one.
package durable

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// WriteFile replaces the content of the file at path with data, or creates the file. perm,
// minus the umask, is the mode of a new file. An existing file keeps its mode, its extended attributes with its access
// control list and, where the system permits it, its owner and group. If path is a symbolic link, WriteFile writes the
// file that it refers to, and creates that file if necessary.
//
// The directory must exist. WriteFile refuses directories, devices, pipes and sockets, and
// files that the user may not write, although a rename could replace them. Errors are
// [*fs.PathError] with path as given. If the file has several hard links, only this one gets
// the new content.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	return writePath(path, data, perm, true)
}

// WriteFileUnsynced is like [WriteFile], but does not wait for the disk: after a power failure the file may be empty,
// or not there.
func WriteFileUnsynced(path string, data []byte, perm fs.FileMode) error {
	return writePath(path, data, perm, false)
}

func writePath(path string, data []byte, perm fs.FileMode, isSynced bool) error {
	if err := writeFile(path, data, perm, isSynced); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: Cause(err)}
	}
	return nil
}

func writeFile(path string, data []byte, perm fs.FileMode, isSynced bool) error {
	path, old, err := resolveDestination(path)
	if err != nil {
		return err
	}
	dir, name := filepath.Split(path)
	return atPath(dir).write(name, data, perm, old, isSynced)
}

// WriteFileAt is like [WriteFile] for the file called name directly in dir, an open directory.
// It writes there even if dir's path refers to another directory by now. If name is a symbolic
// link, the error is [syscall.ELOOP]. (An os.Root cannot be used: it follows links on the way
// to a directory below its own, and blocks on pipes.)
func WriteFileAt(dir *os.File, name string, data []byte, perm fs.FileMode) error {
	defer runtime.KeepAlive(dir)
	if err := writeFileAt(dir, name, data, perm); err != nil {
		return &fs.PathError{Op: "write", Path: filepath.Join(dir.Name(), name), Err: Cause(err)}
	}
	return nil
}

func writeFileAt(dir *os.File, name string, data []byte, perm fs.FileMode) error {
	if name != filepath.Base(name) || name == "." || name == ".." || os.IsPathSeparator(name[0]) {
		return syscall.EINVAL
	}
	p := atDir(dir)
	old, err := p.lstat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := p.checkReplaceable(name, old); err != nil {
		return err
	}
	return p.write(name, data, perm, old, true)
}

// write replaces the content of a file, or creates it. old describes the existing file, nil if
// there is none.
func (p directory) write(name string, data []byte, perm fs.FileMode, old *fileState, isSynced bool) error {
	temp, f, err := p.createTemp(name, perm, old)
	if err != nil {
		return p.orInPlace(err, name, data, old)
	}
	// Removing after the rename would fail harmlessly: the name is gone.
	err = p.writeAndClose(f, name, data, old, isSynced)
	if err == nil {
		err = p.rename(temp, name)
	}
	if err != nil {
		p.remove(temp) // report the first error, not this one
		return p.orInPlace(err, name, data, old)
	}
	if !isSynced {
		return nil
	}
	return p.sync()
}

// MkdirAll creates the directory at path and its missing parents, and syncs them to disk.
// perm, minus the umask, is the mode of each new directory. Its errors are those of
// [os.MkdirAll].
func MkdirAll(path string, perm fs.FileMode) error {
	path = filepath.Clean(path)
	var missing []string
	for dir := path; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
			break // Mkdir reports the error
		}
		missing = append(missing, dir)
		if filepath.Dir(dir) == dir {
			break
		}
	}
	if len(missing) == 0 {
		return os.MkdirAll(path, perm) // reports an error if path is not a directory
	}
	if err := os.MkdirAll(path, perm); err != nil {
		return err
	}
	for _, dir := range missing {
		if err := SyncDir(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	return nil
}

// SyncDir writes the entries of the directory at path to the disk, so that a new file in it is there
// after a power failure.
func SyncDir(path string) error { return atPath(path + string(filepath.Separator)).sync() }

// maxLinks is the maximum number of symbolic links to follow, the same as in Linux.
const maxLinks = 40

// resolveDestination follows path's symbolic links. It returns the path of the file to write
// and the state of the existing file, nil if there is none.
func resolveDestination(path string) (string, *fileState, error) {
	for range maxLinks {
		p := atPath("")
		old, err := p.lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, nil, nil
		case err != nil:
			return "", nil, err
		}
		if err := p.checkReplaceable(path, old); !errors.Is(err, syscall.ELOOP) {
			return path, old, err
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", nil, err
		}
		if !filepath.IsAbs(target) {
			// Not Join: it removes "a/..", which is wrong if a is a link.
			dir, _ := filepath.Split(path)
			target = dir + target
		}
		path = target
	}
	return "", nil, syscall.ELOOP
}

// checkReplaceable returns an error if a file must not be replaced: ELOOP for a symbolic link.
func (p directory) checkReplaceable(name string, old *fileState) error {
	switch {
	case old == nil:
		return nil
	case old.kind == fs.ModeDir:
		return syscall.EISDIR
	case old.kind == fs.ModeSymlink:
		return syscall.ELOOP
	case old.kind != 0:
		return errNotRegular
	}
	return p.checkWritable(name, old)
}

var errNotRegular = errors.New("not a regular file")

// maxName is the longest file name that common file systems accept, in bytes.
const maxName = 255

// createTemp creates an empty file beside the file called name. It is private (mode 0600) if
// an existing file is being replaced, until it gets that file's mode.
func (p directory) createTemp(name string, perm fs.FileMode, old *fileState) (temp string, f *os.File, err error) {
	if old != nil {
		perm = 0o600
	}
	for {
		suffix := "." + rand.Text()[:10] + ".tmp"
		temp = "." + name[:min(len(name), maxName-len(suffix)-1)] + suffix
		f, err = p.create(temp, perm)
		if !errors.Is(err, fs.ErrExist) {
			return temp, f, err
		}
	}
}

// writeAndClose writes data to f, gives it the owner, attributes and mode of the old file called name, syncs it if asked to, and
// closes it.
func (p directory) writeAndClose(f *os.File, name string, data []byte, old *fileState, isSynced bool) error {
	_, err := f.Write(data)
	if err == nil && old != nil {
		err = old.applyTo(f, func() error { return p.copyAttributes(f, name) })
	}
	if err == nil && isSynced {
		err = f.Sync()
	}
	return cmp.Or(err, f.Close())
}
