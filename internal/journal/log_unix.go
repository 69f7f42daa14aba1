//go:build unix

package journal

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	nonBlocking = syscall.O_NONBLOCK
	noFollow    = syscall.O_NOFOLLOW
)

// lock locks a file until [unlock]. On a file system without locks it does nothing.
func lock(f *os.File) error {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrInUse
		default:
			return nil
		}
	}
}

// unlock gives up the lock of a file. Closing it does not if a process that is being started has inherited it.
func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

func isLink(err error) bool { return errors.Is(err, syscall.ELOOP) }

// isStale reports whether a file is gone from a network file system.
func isStale(err error) bool { return errors.Is(err, syscall.ESTALE) }

// isRemoved reports whether an open file has no name any more.
func isRemoved(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 0
}
