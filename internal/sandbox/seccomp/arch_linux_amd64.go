package seccomp

import "golang.org/x/sys/unix"

const (
	architecture = unix.AUDIT_ARCH_X86_64
	foreign      = 0x40000000 // of the x32 interface
)
