//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package tuitest

import "golang.org/x/sys/unix"

const getTermios = unix.TIOCGETA

// unread returns 0: the systems do not tell in the same way.
func unread(int) int { return 0 }

// isBusy returns false: the systems do not tell in the same way.
func isBusy(int) bool { return false }
