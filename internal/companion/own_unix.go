//go:build unix

package companion

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openOwn opens a file that only the user can write. It follows no link, and waits for no pipe.
func openOwn(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		owner, ok := info.Sys().(*syscall.Stat_t)
		if ok && int(owner.Uid) == os.Getuid() && info.Mode().IsRegular() && info.Mode().Perm()&0o022 == 0 {
			return f, nil
		}
		err = fs.ErrPermission
	}
	return nil, errors.Join(err, f.Close())
}

// isAlive reports whether a process runs.
func isAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return pid > 0 && (err == nil || errors.Is(err, syscall.EPERM))
}
