//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import "golang.org/x/sys/unix"

func hide(fd int) (show func(), err error) {
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, ErrShown
	}
	hidden := *before
	hidden.Lflag &^= unix.ECHO
	hidden.Lflag |= unix.ECHONL
	if unix.IoctlSetTermios(fd, setTermios, &hidden) != nil {
		return nil, ErrShown
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }, nil // it could be set a moment ago
}
