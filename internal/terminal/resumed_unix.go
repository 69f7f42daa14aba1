//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
)

// CatchResumes returns a channel that has a value each time the process continues after Ctrl+Z,
// until release is called.
func CatchResumes() (resumes <-chan os.Signal, release func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGCONT)
	return c, func() { signal.Stop(c) }
}
