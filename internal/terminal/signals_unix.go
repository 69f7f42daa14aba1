//go:build unix

package terminal

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// CatchResumes returns a channel with a value each time the process continues after Ctrl+Z, until release.
func CatchResumes() (resumes <-chan os.Signal, release func()) { return catch(syscall.SIGCONT) }

// CatchResizes returns a channel with a value each time the size of the terminal changes, until release.
func CatchResizes() (resizes <-chan os.Signal, release func()) { return catch(syscall.SIGWINCH) }

func catch(s os.Signal) (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, s)
	return c, func() { signal.Stop(c) }
}

// CatchStops returns a channel with a value each time another process asks this one to stop, as kill -TSTP does, until release. Then the
// process puts the terminal in order, and stops with [Suspend].
func CatchStops() (stops <-chan os.Signal, release func()) { return catch(syscall.SIGTSTP) }

// Suspend stops the process and the others of its group, as Ctrl+Z does. It returns after or shortly before the stop. It sends
// SIGSTOP, because Go drops SIGTSTP once it was caught. In the group of the session's leader it returns an error: there is no shell that
// could continue the group.
func Suspend() error {
	session, err := unix.Getsid(0)
	if err != nil {
		return err
	}
	if session == unix.Getpgrp() {
		return errors.New("no shell started it")
	}
	return syscall.Kill(0, syscall.SIGSTOP)
}
