//go:build !unix

package store

import (
	"os"

	"pollux/internal/durable/flock"
)

// hold takes the lock at path until it is released, by the end of the process if not before. It is nil if another
// process holds it: a file that is open cannot be removed here.
func hold(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, nil
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// removeHeld releases a lock, and then removes the directory that it is in: a file that is open cannot be removed here.
func removeHeld(dir string, lock *os.File) {
	flock.Release(lock)
	_ = os.RemoveAll(dir)
}
