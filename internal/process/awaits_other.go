//go:build !linux

package process

// Awaits returns [AwaitsUnknown]: only Linux shows the system calls of programs.
func (*Process) Awaits() Awaiting { return AwaitsUnknown }
