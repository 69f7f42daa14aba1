//go:build amd64 || arm64

package sandbox

import (
	"os"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"pollux/internal/process"
	"pollux/internal/sandbox/seccomp"
)

// askedSignals returns the rules for signals that Pollux sends for programs of a [Family]. Those of its own code go to the kernel at once: a child
// of Pollux that notices, before it starts the program, that Pollux was killed ends itself by one, and would wait for an answer forever. A program
// that makes its calls at the same address can signal its own processes only.
func askedSignals() (rules []seccomp.Rule) {
	const all = ^uint32(0)
	if at := process.CallAddress(); at != 0 {
		rules = append(rules, seccomp.Rule{Call: unix.SYS_KILL, At: at, Action: seccomp.Allow})
	}
	return append(
		rules,
		seccomp.Rule{Call: unix.SYS_KILL, Mask: whole, Value: 0, Action: seccomp.Allow}, // the caller's own group
		seccomp.Rule{Call: unix.SYS_KILL, Mask: whole, Value: all, Action: seccomp.Allow},
		seccomp.Rule{Call: unix.SYS_KILL, Action: seccomp.Ask},
	)
}

// kill answers a call of kill(2). Processes of the caller's own program are signalled by the kernel, which refuses all others; those of another program
// of the family, by Pollux. A signal to a zombie has no effect, so that it works for each without one being sent.
func (p *program) kill(c *seccomp.Call) {
	pid, sig := int(int32(c.Args[0])), syscall.Signal(uint32(c.Args[1]))
	if isOwnThread(c.PID) || isOwnThread(pid) || isSameSession(c.PID, pid) || !p.family.signal(pid, sig) && !takesNoSignal(pid, sig) {
		c.Continue()
		return
	}
	c.Return(0, 0)
}

// takesNoSignal reports whether a process, or each one of a group if pid is negative, is a zombie that the user may signal. The zombies that a program
// of the family leaves behind are no longer signalled on its thread, which ends with its last live process.
func takesNoSignal(pid int, sig syscall.Signal) bool {
	const last = 64
	switch {
	case sig < 0 || sig > last || kill(pid, 0) != nil:
		return false
	case pid > 0:
		return isZombie(pid)
	}
	return isGroupOfZombies(-pid)
}

// isGroupOfZombies reports whether all processes of a group are zombies.
func isGroupOfZombies(group int) bool {
	proc, err := os.Open("/proc")
	if err != nil {
		return false
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	found := false
	for _, name := range names {
		pid, notNumber := strconv.Atoi(name)
		if notNumber != nil {
			continue
		}
		if g, gone := unix.Getpgid(pid); gone != nil || g != group {
			continue
		}
		if found = isZombie(pid); !found {
			return false
		}
	}
	return found && err == nil
}

// isZombie reports whether all threads of a process have ended: its first one alone may end before others.
func isZombie(pid int) bool {
	s := seccomp.Statuses(pid, "State", "Threads")
	return len(s[0]) > 0 && s[0][0] == "Z" && slices.Equal(s[1], []string{"1"})
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
