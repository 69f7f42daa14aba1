// Package flock locks open files, so that one process at a time works with them. A lock ends with the process that has
// it, however it ends. Where locks do not exist (some network file systems), the errors say so. On Windows, directories
// cannot be locked.
//
// A lock belongs to an open file, and a process that is being started shares the open files of its parent for a moment:
// to close the file does not end the lock then. [Release] does.
package flock

import (
	"errors"
	"os"
)

// ErrHeld is the error if another process, or another open file of this one, has a lock that rules this one out.
var ErrHeld = errors.New("another process holds the lock")

// Exclusive locks a file for this process alone. It does not wait: the error is [ErrHeld] if the file is locked.
func Exclusive(f *os.File) error { return lock(f, exclusive) }

// Shared locks a file together with other processes that do. It does not wait: the error is [ErrHeld] if a process has
// it alone.
func Shared(f *os.File) error { return lock(f, shared) }

// Wait locks a file for this process alone, and waits while others have it locked.
func Wait(f *os.File) error { return lock(f, wait) }

// Release ends the lock of a file and closes the file. It is for files that were only locked or are synced: it returns
// no error.
func Release(f *os.File) {
	_ = lock(f, none)
	_ = f.Close()
}
