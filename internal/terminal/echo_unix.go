//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import "golang.org/x/sys/unix"

func hideInput(fd int) (show func(), err error) {
	return changeModes(fd, func(modes *unix.Termios) {
		modes.Lflag &^= unix.ECHO
		modes.Lflag |= unix.ECHONL
	})
}

// passUnfinished makes a terminal pass on a line before Enter is pressed, until back is called.
func passUnfinished(fd int) (back func(), err error) {
	return changeModes(fd, func(modes *unix.Termios) {
		modes.Lflag &^= unix.ICANON
		modes.Cc[unix.VMIN], modes.Cc[unix.VTIME] = 0, 0
	})
}

// changeModes changes the modes of a terminal until back is called.
func changeModes(fd int, change func(*unix.Termios)) (back func(), err error) {
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	changed := *before
	change(&changed)
	if err := unix.IoctlSetTermios(fd, setTermios, &changed); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }, nil // setting the modes has just worked
}
