package sandbox

import "golang.org/x/sys/unix"

// Calls that newer architectures do not have: those that open a file with flags as their second argument, and those that
// are refused.
var (
	oldOpen  = []uint32{unix.SYS_OPEN}
	oldCalls = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_CREATE_MODULE}
)
