//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"pollux/internal/durable/flock"
)

// acquire takes a lock directory that this process has made, or an abandoned one. It returns nil,
// nil if another process holds the lock.
//
// A process that has flocked the directory that name currently refers to, and has either made
// it or found it abandoned, is the only holder: no other process can flock the same directory, and
// name can refer to another directory only after this one was removed.
func acquire(name string, made bool) (unlock func(), err error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil, nil // just removed
	case errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
		return nil, removeStaleFile(name)
	case err != nil:
		return nil, &fs.PathError{Op: "lock", Path: name, Err: err}
	}
	dir := os.NewFile(uintptr(fd), name)
	defer func() {
		if unlock == nil {
			flock.Release(dir)
		}
	}()
	take := flock.Exclusive
	if made {
		take = flock.Wait // others lock it only for the time of a check
	}
	flockErr := take(dir)
	if errors.Is(flockErr, flock.ErrHeld) {
		return nil, nil
	}
	opened, err := dir.Stat()
	if err != nil {
		return nil, err
	}
	if current, err := os.Lstat(name); err != nil || !os.SameFile(opened, current) {
		return nil, nil // removed while we waited
	}
	if !made {
		if flockErr == nil && isRemote(fd) {
			flockErr = errRemote
		}
		isOrphan := flockErr == nil && opened.Mode()&os.ModeSticky != 0
		if !isOrphan && !isStale(opened) {
			return nil, nil
		}
		if flockErr != nil { // a holder on another machine may have no flock here
			return nil, breakStale(name)
		}
		now := time.Now()
		if err := os.Chtimes(name, now, now); err != nil {
			return nil, err
		}
	}
	return func() {
		_ = os.Remove(name) // if this fails, the lock becomes stale
		flock.Release(dir)  // only now: the next holder makes its own directory
	}, nil
}

// errRemote is the error for a flock that may hold on this machine only.
var errRemote = errors.New("a network file system")

// removeStaleFile removes a stale lock that is not a directory. It calls Unlink instead of
// Remove so as not to remove a directory that another process has made in the meantime.
func removeStaleFile(name string) error {
	info, err := os.Lstat(name)
	if err != nil || !isStale(info) {
		return nil // gone, or not stale yet
	}
	if err := syscall.Unlink(name); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.EISDIR) && !errors.Is(err, syscall.EPERM) {
		return &fs.PathError{Op: "remove", Path: name, Err: err}
	}
	return nil
}
