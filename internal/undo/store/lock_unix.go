//go:build unix

package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// hold takes the lock at path until the file is closed, by the end of the process if not before. It is nil if another
// process holds it.
func hold(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil && isAt(f, path):
			return f, nil
		case err == nil: // another process has removed it meanwhile
			_ = f.Close()
			return nil, nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			_ = f.Close()
			return nil, nil
		default:
			_ = f.Close()
			return nil, err
		}
	}
}

// isAt reports whether an open file still stands at a path.
func isAt(f *os.File, path string) bool {
	a, err := f.Stat()
	b, e := os.Lstat(path)
	return err == nil && e == nil && os.SameFile(a, b)
}
