//go:build !unix

package workspace

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"pollux/internal/durable"
)

// On this platform opening a file never blocks.
const fileFlags = 0

// The functions below check the path for links before they use it: on this platform there is
// no way to open a path that surely contains none.

func checkNoLinks(path string) error {
	if RealPath(path) != path {
		return syscall.ELOOP
	}
	return nil
}

func openFile(path string) (*os.File, error) {
	if err := checkNoLinks(path); err != nil {
		return nil, err
	}
	return openRegular(path)
}

func openStream(path string) (io.ReadCloser, error) { return openFile(path) }

func openDir(path string) (*os.File, error) {
	if err := checkNoLinks(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

func lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

func writeFile(path string, data []byte, mode fs.FileMode) error {
	if err := checkNoLinks(path); err != nil {
		return err
	}
	return durable.WriteFile(path, data, mode&^0o111)
}

func removeFile(path string) error { return remove(path, fs.FileMode.IsRegular) }

func removeDir(path string) error { return remove(path, fs.FileMode.IsDir) }

// remove removes the entry at a path if its mode is wanted.
func remove(path string, isWanted func(fs.FileMode) bool) error {
	if err := checkNoLinks(path); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case !isWanted(info.Mode()):
		return ErrNotRegular
	}
	return os.Remove(path)
}

func makeDir(path string, mode fs.FileMode) error {
	if err := checkNoLinks(path); err != nil {
		return err
	}
	return os.MkdirAll(path, mode)
}
