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
		return &fs.PathError{Op: "write", Path: path, Err: cause(err)}
	}
	return nil
}

func writeFile(path string, data []byte, perm fs.FileMode) error {
	path, old, err := destination(path)
	if err != nil {
		return err
	}
	dir, name := filepath.Split(path)
	f, err := createBeside(dir, name, perm, old)
	if err != nil {
		return err
	}
	// Removing after the rename would fail harmlessly: the name is gone.
	err = fill(f, data, old)
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to tell
		return err
	}
	if dir == "" {
		dir = "."
	}
	return syncDir(dir)
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
		if err := syncDir(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	return nil
}

// maxLinks is how many symbolic links in a row we follow, as Linux does.
const maxLinks = 40

// destination follows path's symbolic links, and returns what is there now,
// nil for nothing.
func destination(path string) (string, fs.FileInfo, error) {
	for range maxLinks {
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, nil, nil
		case err != nil:
			return "", nil, err
		case info.IsDir():
			return "", nil, syscall.EISDIR
		case info.Mode().IsRegular():
			return path, info, mayWrite(path, info)
		case info.Mode()&fs.ModeSymlink == 0:
			return "", nil, errNotRegular
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

var errNotRegular = errors.New("not a regular file")

// maxName is the longest file name that common file systems take, in bytes.
const maxName = 255

// createBeside creates an empty file in dir beside the one of this name. It is
// private until it has its content and old's mode.
func createBeside(dir, name string, perm fs.FileMode, old fs.FileInfo) (*os.File, error) {
	if old != nil {
		perm = 0o600
	}
	for {
		suffix := "." + rand.Text()[:10] + ".tmp"
		temp := "." + name[:min(len(name), maxName-len(suffix)-1)] + suffix
		f, err := os.OpenFile(dir+temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// fill writes data to f, gives it old's owner and mode, makes the disk keep
// it, and closes it.
func fill(f *os.File, data []byte, old fs.FileInfo) error {
	_, err := f.Write(data)
	if err == nil && old != nil {
		keepOwner(f, old) // first: a change of owner clears bits of the mode
		err = f.Chmod(old.Mode())
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// cause returns what the system said, without the temporary file's name, which
// means nothing to the caller.
func cause(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}
