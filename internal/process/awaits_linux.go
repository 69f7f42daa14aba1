package process

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Awaits reports whether the programs in the foreground of the pseudo-terminal wait for input. It reads /proc.
func (p *Process) Awaits() Awaiting {
	if p.terminal == nil {
		return AwaitsUnknown
	}
	group := p.terminal.foreground()
	if group <= 0 {
		return AwaitsUnknown
	}
	all := AwaitsNothing
	for _, q := range processes() {
		if q.pgrp != group || q.state == 'Z' {
			continue
		}
		switch is := awaits(q.pid); is {
		case AwaitsInput:
			return is
		case AwaitsUnknown:
			all = is
		}
	}
	return all
}

// foreground returns the group of processes that get the input, 0 if it is not known.
func (t *terminal) foreground() (group int) {
	if conn, err := t.file.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { group, _ = unix.IoctlGetInt(int(fd), unix.TIOCGPGRP) }) // fails if it is closed
	}
	return group
}

// awaits reports whether a thread of a process waits for input. It is not known if one waits for several things, of which input may be
// one.
func awaits(pid int) Awaiting {
	dir := "/proc/" + strconv.Itoa(pid)
	threads, err := os.ReadDir(dir + "/task")
	if err != nil {
		return AwaitsUnknown
	}
	all := AwaitsNothing
	for _, t := range threads {
		call, err := os.ReadFile(dir + "/task/" + t.Name() + "/syscall")
		if err != nil { // it has ended, or belongs to another user
			return AwaitsUnknown
		}
		switch is := awaitsIn(string(call), openFiles(dir)); is {
		case AwaitsInput:
			return is
		case AwaitsUnknown:
			all = is
		}
	}
	return all
}

// openFiles is the directory in /proc of a process, for its open files.
type openFiles string

// isTerminal reports whether a descriptor is that of a terminal.
func (dir openFiles) isTerminal(fd string) bool {
	file, _ := os.Readlink(string(dir) + "/fd/" + fd)
	return strings.HasPrefix(file, "/dev/pts/") || file == "/dev/tty"
}

// mayPollTerminal reports whether an epoll instance, which waits for several descriptors, has a terminal among them.
func (dir openFiles) mayPollTerminal(fd string) bool {
	info, err := os.ReadFile(string(dir) + "/fdinfo/" + fd)
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(info)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "tfd:" && dir.isTerminal(f[1]) {
			return true
		}
	}
	return false
}

// opened has the open files of a process, see [openFiles].
type opened interface {
	isTerminal(fd string) bool
	mayPollTerminal(fd string) bool
}

// awaitsIn reads the line of proc_pid_syscall(5) about a thread.
func awaitsIn(call string, files opened) Awaiting {
	fields := strings.Fields(call)
	if len(fields) == 1 && fields[0] == "running" {
		return AwaitsNothing
	}
	if len(fields) < 2 {
		return AwaitsUnknown
	}
	number, err := strconv.Atoi(fields[0])
	if err != nil {
		return AwaitsUnknown
	}
	first, err := strconv.ParseUint(fields[1], 0, 64)
	if err != nil {
		return AwaitsUnknown
	}
	fd := strconv.FormatUint(first, 10)
	switch number {
	case unix.SYS_READ, unix.SYS_READV:
		if files.isTerminal(fd) {
			return AwaitsInput
		}
		return AwaitsNothing
	case unix.SYS_EPOLL_PWAIT:
		if !files.mayPollTerminal(fd) {
			return AwaitsNothing
		}
	case unix.SYS_WAIT4, unix.SYS_WAITID, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_FUTEX, unix.SYS_RT_SIGSUSPEND, unix.SYS_WRITE:
		return AwaitsNothing
	}
	return AwaitsUnknown
}
