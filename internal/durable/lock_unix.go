//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hold takes the lock directory that we have made, or that is there and was left
// behind; it returns nil, nil if another has it.
//
// Who has the flock of the directory that the name leads to, and has either made
// it or found it stale, is alone: a second one cannot have the flock of the same
// directory, and another directory can have the name only after this one was removed.
func hold(name string, made bool) (unlock func(), err error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil, nil // just removed
	case errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
		return nil, discard(name)
	case err != nil:
		return nil, &fs.PathError{Op: "lock", Path: name, Err: err}
	}
	dir := os.NewFile(uintptr(fd), name)
	defer func() {
		if unlock == nil {
			_ = dir.Close() // nothing was written
		}
	}()
	how := unix.LOCK_EX | unix.LOCK_NB
	if made {
		how = unix.LOCK_EX // others have it for the time of a look
	}
	flocked := flock(fd, how)
	if errors.Is(flocked, unix.EWOULDBLOCK) {
		return nil, nil
	}
	here, err := dir.Stat()
	if err != nil {
		return nil, err
	}
	if there, err := os.Lstat(name); err != nil || !os.SameFile(here, there) {
		return nil, nil // removed while we waited
	}
	if !made {
		if !stale(here) {
			return nil, nil
		}
		if flocked != nil { // a network file system that has none for directories
			return nil, setAside(name)
		}
		now := time.Now()
		if err := os.Chtimes(name, now, now); err != nil {
			return nil, err
		}
	}
	return func() {
		_ = os.Remove(name) // what cannot be removed gets old
		_ = dir.Close()     // only now: the next holder makes its own
	}, nil
}

func flock(fd, how int) error {
	for {
		if err := unix.Flock(fd, how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// discard removes what is no directory and old. Unlink, unlike Remove, leaves a directory
// alone that another has made in the meantime.
func discard(name string) error {
	info, err := os.Lstat(name)
	if err != nil || !stale(info) {
		return nil // gone, or not yet
	}
	if err := syscall.Unlink(name); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.EISDIR) && !errors.Is(err, syscall.EPERM) {
		return &fs.PathError{Op: "remove", Path: name, Err: err}
	}
	return nil
}
