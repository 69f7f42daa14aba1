//go:build unix

package store

import (
	"errors"
	"os"

	"pollux/internal/durable/flock"
)

// hold takes the lock at path until it is released, by the end of the process if not before. It is nil if another
// process holds it.
func hold(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = flock.Exclusive(f)
	if err == nil && isAt(f, path) {
		return f, nil
	}
	flock.Release(f) // where err is nil, another process has removed it meanwhile
	if errors.Is(err, flock.ErrHeld) {
		err = nil
	}
	return nil, err
}

// removeHeld removes a directory with the lock in it, and then releases the lock.
func removeHeld(dir string, lock *os.File) {
	_ = os.RemoveAll(dir)
	flock.Release(lock)
}

// isAt reports whether an open file still stands at a path.
func isAt(f *os.File, path string) bool {
	a, err := f.Stat()
	b, e := os.Lstat(path)
	return err == nil && e == nil && os.SameFile(a, b)
}
