//go:build !windows

package durable

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// isBusy reports whether an error can mean that another program has a file open.
func isBusy(err error) bool { return errors.Is(err, fs.ErrPermission) }

func isBadName(error) bool { return false }

func isFull(error) bool { return false }

func plain(err error) error { return err }

// openFile opens a file for reading. It does not wait for a pipe.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// IsMissing reports whether there is nothing at a path, not even a link. A start asks about many files that most users do not
// have: unlike [os.Stat] and [os.Readlink], it makes no error and no description of a file.
func IsMissing(path string) bool {
	var target [1]byte
	_, err := syscall.Readlink(path, target[:])
	return err != nil && IsAbsent(err)
}
