package sandbox

import "golang.org/x/sys/unix"

// Calls that newer architectures do not have: those that open a file with flags as their second argument, and those that
// are refused.
var (
	oldOpen  = []uint32{unix.SYS_OPEN}
	oldCalls = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_CREATE_MODULE}
)

// oldChanges returns the changes that newer architectures do not have.
func oldChanges() map[uint32]change {
	return map[uint32]change{
		unix.SYS_CHMOD:     {here(0), setMode(1)},
		unix.SYS_CHOWN:     {here(0), setOwner(1, 2)},
		unix.SYS_LCHOWN:    {hereNoLink(0), setOwner(1, 2)},
		unix.SYS_UTIME:     {here(0), setTimes(1, seconds)},
		unix.SYS_UTIMES:    {here(0), setTimes(1, microseconds)},
		unix.SYS_FUTIMESAT: {at(0, 1, noFlags), setTimes(2, microseconds)},
	}
}
