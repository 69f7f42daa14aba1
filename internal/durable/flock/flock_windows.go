package flock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const (
	exclusive = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	shared    = windows.LOCKFILE_FAIL_IMMEDIATELY
	wait      = windows.LOCKFILE_EXCLUSIVE_LOCK
	none      = ^uint32(0)
)

// lock locks one byte far behind the end of the file: Windows keeps other processes from reading and writing the bytes
// that are locked.
func lock(f *os.File, how uint32) error {
	at := func() *windows.Overlapped { return &windows.Overlapped{Offset: 0xfffffffe, OffsetHigh: 0x7fffffff} }
	// A new lock replaces the one that the file has, as flock(2) does; there may be none.
	err := windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, at())
	if how != none {
		err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, at())
	}
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return ErrHeld
	case err != nil:
		return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return nil
}
