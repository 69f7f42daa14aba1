//go:build !windows

package httpwire

import "syscall"

// The errors of network connections.
const (
	connReset       = syscall.ECONNRESET
	connAborted     = syscall.ECONNABORTED
	connRefused     = syscall.ECONNREFUSED
	timedOut        = syscall.ETIMEDOUT
	brokenPipe      = syscall.EPIPE
	netUnreachable  = syscall.ENETUNREACH
	hostUnreachable = syscall.EHOSTUNREACH
)
