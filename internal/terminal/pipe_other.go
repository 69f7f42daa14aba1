//go:build !windows

package terminal

import (
	"errors"
	"syscall"
)

// IsClosedPipe reports whether an error means that the other end of a pipe was closed.
func IsClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
