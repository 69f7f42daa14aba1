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

// resetInput makes a terminal edit and show lines, and turn keys into signals, as it does for a shell.
func resetInput(fd int) {
	_, _ = changeModes(fd, func(modes *unix.Termios) { // another terminal stays as it is
		modes.Iflag |= unix.ICRNL | unix.IXON
		modes.Iflag &^= unix.INLCR | unix.IGNCR
		modes.Oflag |= unix.OPOST | unix.ONLCR
		modes.Lflag |= unix.ICANON | unix.ISIG | unix.IEXTEN | unix.ECHO | unix.ECHOE | unix.ECHOK
		modes.Lflag &^= unix.ECHONL | unix.NOFLSH
		modes.Cc[unix.VMIN], modes.Cc[unix.VTIME] = 1, 0
	})
}
