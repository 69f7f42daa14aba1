//go:build unix

package flock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const (
	exclusive = unix.LOCK_EX | unix.LOCK_NB
	shared    = unix.LOCK_SH | unix.LOCK_NB
	wait      = unix.LOCK_EX
	none      = unix.LOCK_UN
)

func lock(f *os.File, how int) error {
	for {
		switch err := unix.Flock(int(f.Fd()), how); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrHeld
		case err != nil:
			return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
		default:
			return nil
		}
	}
}
