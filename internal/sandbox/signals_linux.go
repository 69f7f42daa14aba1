//go:build amd64 || arm64

package sandbox

import (
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"pollux/internal/sandbox/seccomp"
)

// askedSignals returns the rules for signals that Pollux sends for programs of a [Family].
func askedSignals() []seccomp.Rule {
	const all = ^uint32(0)
	return []seccomp.Rule{
		{Call: unix.SYS_KILL, Mask: whole, Value: 0, Action: seccomp.Allow}, // the caller's own group
		{Call: unix.SYS_KILL, Mask: whole, Value: all, Action: seccomp.Allow},
		{Call: unix.SYS_KILL, Action: seccomp.Ask},
	}
}

// kill answers a call of kill(2). Processes of the caller's own program are signalled by the kernel, which refuses all others; those of another program
// of the family, by Pollux.
func (p *program) kill(c *seccomp.Call) {
	pid := int(int32(c.Args[0]))
	if isOwnThread(c.PID) || isOwnThread(pid) || isSameSession(c.PID, pid) || !p.family.signal(pid, syscall.Signal(c.Args[1])) {
		c.Continue()
		return
	}
	c.Return(0, 0)
}

// isOwnThread reports whether a number is that of a thread of Pollux. /proc, which may be missing, is not needed for it.
func isOwnThread(number int) bool { return unix.Tgkill(os.Getpid(), number, 0) == nil }

// isSameSession reports whether a process, or a group if other is negative, is in the session of another process.
func isSameSession(pid, other int) bool {
	a, errA := unix.Getsid(pid)
	b, errB := unix.Getsid(max(other, -other))
	return errA == nil && errB == nil && a == b
}

// signal sends a signal to a process, or to a group if pid is negative, if it belongs to one of the programs, and reports whether it did. It is
// sent on the threads of the programs: the kernel lets none of them signal other processes.
func (f *Family) signal(pid int, sig syscall.Signal) (sent bool) {
	f.mu.Lock()
	list := slices.Clone(f.list)
	f.mu.Unlock()
	for _, p := range slices.Backward(list) {
		if p.OnThread(func() { sent = kill(pid, sig) == nil }) && sent {
			return true
		}
	}
	return false
}

// kill sends a signal. The filter of a confined thread has Pollux decide about the call, so that the scheduler has to know of it: with
// [syscall.Kill], a collection could wait for the thread, and the thread for the answer.
func kill(pid int, sig syscall.Signal) error {
	if _, _, errno := unix.Syscall(unix.SYS_KILL, uintptr(pid), uintptr(sig), 0); errno != 0 {
		return errno
	}
	return nil
}
