//go:build !unix

package durable

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// directory is the location of file names: the prefix of a path.
type directory string

// dirFlag is 0: this platform has no files that wait when they are opened.
const dirFlag = 0

func atPath(prefix string) directory { return directory(prefix) }

// atDir uses the path of dir: this platform has no calls relative to an open directory.
func atDir(dir *os.File) directory { return directory(dir.Name() + string(filepath.Separator)) }

// fileState describes an existing file.
type fileState struct {
	kind fs.FileMode // type bits only
	mode fs.FileMode
}

func (p directory) lstat(name string) (*fileState, error) {
	info, err := os.Lstat(string(p) + name)
	if err != nil {
		return nil, err
	}
	return &fileState{info.Mode().Type(), info.Mode()}, nil
}

func (p directory) checkWritable(_ string, old *fileState) error {
	if old.mode&0o200 == 0 {
		return fs.ErrPermission
	}
	return nil
}

func (p directory) create(name string, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(string(p)+name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
}

func (p directory) rename(from, to string) error {
	return replaceFile(string(p)+from, string(p)+to, time.Sleep)
}

func (p directory) remove(name string) { _ = os.Remove(string(p) + name) }

// sync does nothing: on Windows, the rename itself is written through.
func (p directory) sync() error { return nil }

// openExisting opens a file for reading and writing.
func (p directory) openExisting(name string) (*os.File, error) {
	return os.OpenFile(string(p)+name, os.O_RDWR, 0)
}

// applyTo sets only the mode: the directory determines the owner of a new file.
func (old *fileState) applyTo(f *os.File, _ func() error) error { return f.Chmod(old.mode) }

func (p directory) copyAttributes(*os.File, string) error { return nil }

// KeepAttributes does nothing: files have no extended attributes that Pollux knows.
func KeepAttributes(_, _ *os.File) error { return nil }
