//go:build unix

package worktree

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockShared locks a file together with other sessions, and reports whether it could. On a file
// system without locks it does nothing.
func lockShared(f *os.File) bool {
	return !errors.Is(flock(f, unix.LOCK_SH), unix.EWOULDBLOCK)
}

// lockAlone locks a file for this session, and reports whether it could. Otherwise this session may
// have lost its shared lock.
func lockAlone(f *os.File) bool { return flock(f, unix.LOCK_EX) == nil }

// unlock gives up the lock of a file. Closing it does not if a process that is being started has inherited it.
func unlock(f *os.File) { _ = flock(f, unix.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
