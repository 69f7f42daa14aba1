//go:build !unix

package durable

import (
	"io/fs"
	"os"
	"path/filepath"
)

// place is where names are: behind the prefix of a path.
type place string

func byPath(prefix string) place { return place(prefix) }

// inside is as good as the path of dir, where a directory cannot be held.
func inside(dir *os.File) place { return place(dir.Name() + string(filepath.Separator)) }

// found is what has a name.
type found struct {
	kind fs.FileMode // its type bits
	mode fs.FileMode
}

func (p place) look(name string) (*found, error) {
	info, err := os.Lstat(string(p) + name)
	if err != nil {
		return nil, err
	}
	return &found{info.Mode().Type(), info.Mode()}, nil
}

func (p place) mayWrite(_ string, old *found) error {
	if old.mode&0o200 == 0 {
		return fs.ErrPermission
	}
	return nil
}

func (p place) create(name string, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(string(p)+name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
}

func (p place) rename(from, to string) error { return os.Rename(string(p)+from, string(p)+to) }

func (p place) remove(name string) { _ = os.Remove(string(p) + name) }

// sync has nothing to do: the rename itself is written through.
func (p place) sync() error { return nil }

// give has no owner to give: the directory decides who owns a new file.
func (old *found) give(f *os.File) error { return f.Chmod(old.mode) }
