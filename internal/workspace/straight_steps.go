//go:build unix && !darwin

package workspace

import (
	"strings"

	"golang.org/x/sys/unix"
)

// openSteps is openStraight with one system call for each name of the path.
func openSteps(path string, flags int) (int, error) {
	dir, err := openName(unix.AT_FDCWD, "/", searchFlags)
	for err == nil {
		name, rest, more := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		if name == "" {
			name = "." // the path is the root
		}
		next := flags
		if more {
			next = searchFlags
		}
		above := dir
		dir, err = openName(above, name, next)
		_ = unix.Close(above)
		if !more {
			break
		}
		path = rest
	}
	return dir, err
}

// openName opens name in an open directory. A link is ELOOP.
func openName(dir int, name string, flags int) (int, error) {
	fd, err := retry(func() (int, error) { return unix.Openat(dir, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0) })
	if err == nil {
		return fd, nil
	}
	// Systems report a refused link with different errors.
	if _, e := unix.Readlinkat(dir, name, make([]byte, 1)); e == nil {
		err = unix.ELOOP
	}
	return -1, err
}
