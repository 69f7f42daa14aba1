//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func mayWrite(path string, _ fs.FileInfo) error {
	return unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS)
}

// keepOwner does what it can: only root may give files away, and others may
// choose between their own groups.
func keepOwner(f *os.File, old fs.FileInfo) {
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	info, err := f.Stat()
	if err != nil {
		return
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	if !ok || is.Uid == was.Uid && is.Gid == was.Gid {
		return
	}
	if f.Chown(int(was.Uid), int(was.Gid)) != nil {
		_ = f.Chown(-1, int(was.Gid))
	}
}

// syncDir makes the disk keep dir's entries.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil // writable but not readable: it cannot be asked
		}
		return err
	}
	defer d.Close()
	// Some file systems (FUSE, network ones) cannot sync a directory.
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
