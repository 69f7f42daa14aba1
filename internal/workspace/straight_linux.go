package workspace

import (
	"sync"

	"golang.org/x/sys/unix"
)

// searchFlags open a directory to access its entries, which needs no permission to list it.
const searchFlags = unix.O_PATH | unix.O_DIRECTORY

// openStraight opens a clean absolute path without following links; a link in it is ELOOP.
func openStraight(path string, flags int) (int, error) {
	if !hasOpenat2() {
		return openSteps(path, flags)
	}
	return openat2(path, flags)
}

func openat2(path string, flags int) (int, error) {
	how := unix.OpenHow{Flags: uint64(flags) | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	for {
		fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
		if err != unix.EINTR { // never wrapped, and this is the hot path of a search
			return fd, err
		}
	}
}

// isStraight reports whether a clean absolute path exists and has no links, with one look instead of one for each name.
// It may return false where it is not known.
func isStraight(path string) bool {
	if !hasOpenat2() {
		return false
	}
	fd, err := openat2(path, unix.O_PATH)
	if err != nil {
		return false
	}
	_ = unix.Close(fd)
	return true
}

// hasOpenat2 is false before Linux 5.6, and in sandboxes that block the system call.
var hasOpenat2 = sync.OnceValue(func() bool {
	fd, err := openat2("/", searchFlags)
	if err != nil {
		return false
	}
	_ = unix.Close(fd)
	return true
})
