// Package durable is the one place that writes files, so that a crash, a full
// disk or a pulled plug leaves the old file or the new one, whole, and never a
// piece of either.
//
// What holds at any instant of [WriteFile]: path is the old file until the
// rename and the new one from then on, and the new one's bytes are on the disk
// before the rename makes them visible. What a kill at the worst moment can
// leave behind is a temporary file beside the destination, whose name begins
// with a dot and holds the destination's name.
package durable

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// WriteFile makes data the content of the file at path. Perm, less the umask,
// is the mode of a file that did not exist; one that did keeps its mode and,
// where the system lets us, its owner and group. If path is a symbolic link,
// the file it leads to is written, and created if it is not there yet.
//
// The directory must exist. Directories, devices, pipes and sockets are
// refused, and so is a file that the user may not write, although a rename
// could replace it. Errors are [*fs.PathError] with path as it was given. A
// file that has several names (hard links) is written under this one only.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	if err := writeFile(path, data, perm); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: Cause(err)}
	}
	return nil
}

func writeFile(path string, data []byte, perm fs.FileMode) error {
	path, old, err := destination(path)
	if err != nil {
		return err
	}
	dir, name := filepath.Split(path)
	return byPath(dir).write(name, data, perm, old)
}

// WriteFileAt is [WriteFile] for the file of this name directly in dir, an
// open directory: whatever dir's path leads to by now, the file is written
// there. A name that is a symbolic link is refused with [syscall.ELOOP], for
// it may lead anywhere. (An os.Root would not do: on the way to a directory
// below its own it follows links, and waits at pipes.)
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
	p := inside(dir)
	old, err := p.look(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := p.mayReplace(name, old); err != nil {
		return err
	}
	return p.write(name, data, perm, old)
}

// write gives a file its content. Old is what is there now, nil for nothing.
func (p place) write(name string, data []byte, perm fs.FileMode, old *found) error {
	temp, f, err := p.createBeside(name, perm, old)
	if err != nil {
		return err
	}
	// Removing after the rename would fail harmlessly: the name is gone.
	err = fill(f, data, old)
	if err == nil {
		err = p.rename(temp, name)
	}
	if err != nil {
		p.remove(temp) // the first error is the one to tell
		return err
	}
	return p.sync()
}

// MkdirAll creates the directory at path and the parents it lacks, and makes
// the disk keep them. Perm, less the umask, is the mode of each new one.
func MkdirAll(path string, perm fs.FileMode) error {
	path = filepath.Clean(path)
	var missing []string
	for dir := path; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
			break // what is wrong here, Mkdir will say
		}
		missing = append(missing, dir)
		if filepath.Dir(dir) == dir {
			break
		}
	}
	if len(missing) == 0 {
		return os.MkdirAll(path, perm) // it says if path is not a directory
	}
	if err := os.MkdirAll(path, perm); err != nil {
		return err
	}
	for _, dir := range missing {
		if err := byPath(filepath.Dir(dir) + string(filepath.Separator)).sync(); err != nil {
			return err
		}
	}
	return nil
}

// maxLinks is how many symbolic links in a row we follow, as Linux does.
const maxLinks = 40

// destination follows path's symbolic links, and returns what is there now,
// nil for nothing.
func destination(path string) (string, *found, error) {
	for range maxLinks {
		p := byPath("")
		old, err := p.look(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, nil, nil
		case err != nil:
			return "", nil, err
		}
		if err := p.mayReplace(path, old); !errors.Is(err, syscall.ELOOP) {
			return path, old, err
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", nil, err
		}
		if !filepath.IsAbs(target) {
			// Not Join: it takes "a/.." away, which leads elsewhere if a is a link.
			dir, _ := filepath.Split(path)
			target = dir + target
		}
		path = target
	}
	return "", nil, syscall.ELOOP
}

// mayReplace says why a file may not be replaced: ELOOP for a link.
func (p place) mayReplace(name string, old *found) error {
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
	return p.mayWrite(name, old)
}

var errNotRegular = errors.New("not a regular file")

// maxName is the longest file name that common file systems take, in bytes.
const maxName = 255

// createBeside creates an empty file beside the one of this name. It is
// private until it has its content and old's mode.
func (p place) createBeside(name string, perm fs.FileMode, old *found) (temp string, f *os.File, err error) {
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

// fill writes data to f, gives it old's owner and mode, makes the disk keep
// it, and closes it.
func fill(f *os.File, data []byte, old *found) error {
	_, err := f.Write(data)
	if err == nil && old != nil {
		err = old.give(f)
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
