//go:build linux || darwin

package state

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Dir is an open directory, for looks at entries whose names are known.
type Dir struct{ fd int }

// OpenDir opens a directory. It does not follow a link at path. The caller must close it.
func OpenDir(path string) (Dir, error) {
	for {
		fd, err := unix.Open(path, toLookUp|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return Dir{fd}, err
		}
	}
}

// Read returns the state of an entry, as List does.
func (d Dir) Read(name string) State {
	var st unix.Stat_t
	switch err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); {
	case err == nil:
		return ofStat(&st)
	case errors.Is(err, unix.ENOENT):
		return State{}
	}
	return State{Kind: Special}
}

// Close closes it.
func (d Dir) Close() { _ = unix.Close(d.fd) }
