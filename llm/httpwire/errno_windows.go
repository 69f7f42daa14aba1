package httpwire

import "syscall"

// The errors of network connections: those of Winsock, because the constants of these names in package syscall are
// numbers that Windows does not use.
const (
	connReset       = syscall.WSAECONNRESET
	connAborted     = syscall.WSAECONNABORTED
	connRefused     = syscall.Errno(10061) // WSAECONNREFUSED
	timedOut        = syscall.Errno(10060) // WSAETIMEDOUT
	brokenPipe      = syscall.Errno(10058) // WSAESHUTDOWN
	netUnreachable  = syscall.Errno(10051) // WSAENETUNREACH
	hostUnreachable = syscall.Errno(10065) // WSAEHOSTUNREACH
)
