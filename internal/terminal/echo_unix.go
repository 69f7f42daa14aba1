//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import "golang.org/x/sys/unix"

func hideInput(fd int) (show func(), err error) {
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, ErrCannotHide
	}
	hidden := *before
	hidden.Lflag &^= unix.ECHO
	hidden.Lflag |= unix.ECHONL
	if unix.IoctlSetTermios(fd, setTermios, &hidden) != nil {
		return nil, ErrCannotHide
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }, nil // setting the modes has just worked
}

// passUnfinished makes a terminal pass on a line before Enter is pressed, until back is called.
func passUnfinished(fd int) (back func(), err error) {
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	direct := *before
	direct.Lflag &^= unix.ICANON
	direct.Cc[unix.VMIN], direct.Cc[unix.VTIME] = 0, 0
	if err := unix.IoctlSetTermios(fd, setTermios, &direct); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }, nil // setting the modes has just worked
}
