//go:build unix

package journal

import (
	"errors"
	"io/fs"
	"syscall"
)

const (
	nonBlocking = syscall.O_NONBLOCK
	noFollow    = syscall.O_NOFOLLOW
)

func isLink(err error) bool { return errors.Is(err, syscall.ELOOP) }

// isStale reports whether a file is gone from a network file system.
func isStale(err error) bool { return errors.Is(err, syscall.ESTALE) }

// isRemoved reports whether an open file has no name any more.
func isRemoved(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 0
}
