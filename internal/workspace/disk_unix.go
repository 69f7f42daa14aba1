//go:build unix

package workspace

import "syscall"

// openFlags keep an open from waiting, and a terminal from becoming ours.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY
