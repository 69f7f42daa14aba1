//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
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

// Suspend stops the process and the others of its group, as Ctrl+Z does. It returns after or shortly before the stop.
func Suspend() error { return syscall.Kill(0, syscall.SIGTSTP) }
