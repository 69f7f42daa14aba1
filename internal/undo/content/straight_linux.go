package content

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"pollux/internal/undo/state"
)

// openStraight opens a file without following links, also none on the way to it: a directory may have become a link since it was listed.
func openStraight(path string, flags int) (*os.File, error) {
	if !hasOpenat2() {
		return os.OpenFile(path, flags|unix.O_NOFOLLOW, 0)
	}
	fd, err := openat2(path, flags)
	switch {
	case errors.Is(err, unix.ELOOP):
		return nil, ErrChanged
	case err != nil:
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// statStraight returns the state of a file, and an error if there is a link on the way to it.
func statStraight(path string) (state.State, error) {
	f, err := openStraight(path, unix.O_PATH)
	if err != nil {
		return state.State{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return state.State{}, err
	}
	return state.Of(info), nil
}

func openat2(path string, flags int) (int, error) {
	how := unix.OpenHow{Flags: uint64(flags) | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	for {
		fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// hasOpenat2 reports whether the system call works. It does not before Linux 5.6, and in sandboxes that block the system call.
func hasOpenat2() bool {
	openat2Works.Do(func() {
		fd, err := openat2("/", unix.O_PATH)
		if openat2Works.yes = err == nil; err == nil {
			_ = unix.Close(fd)
		}
	})
	return openat2Works.yes
}

var openat2Works struct {
	sync.Once
	yes bool
}
