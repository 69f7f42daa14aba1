//go:build !unix

package file

import "syscall"

// errnoName returns "": the system's errors have numbers, and no names.
func errnoName(syscall.Errno) string { return "" }
