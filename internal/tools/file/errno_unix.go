//go:build unix

package file

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// errnoName returns the name of an error of the system, such as EACCES, "" if it has
// none.
func errnoName(e syscall.Errno) string { return unix.ErrnoName(e) }
