//go:build unix

package sandbox

import "golang.org/x/sys/unix"

// The kinds of access.
const (
	read  = unix.R_OK
	write = unix.W_OK
)

// userMay reports whether the user is allowed an access to a file that exists.
func userMay(path string, access uint32) bool { return unix.Access(path, access) == nil }
