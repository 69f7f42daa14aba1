package tuitest

import "golang.org/x/sys/unix"

const getTermios = unix.TCGETS

// unread returns the number of bytes of input that wait at a terminal.
func unread(fd int) int {
	n, _ := unix.IoctlGetInt(fd, unix.TIOCINQ)
	return n
}
