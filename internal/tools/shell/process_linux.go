package shell

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func pipe(fds *[2]int) error { return syscall.Pipe2(fds[:], syscall.O_CLOEXEC) }

// widen makes room in a pipe for much output; one that can't be widened will do.
func widen(f *os.File) {
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) {
			_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20)
		})
	}
}

// canArm says that [pidPipe.arm] does something.
const canArm = true

// dieWithParent has the kernel kill the shell when we die. What the shell has
// started is [pidPipe.arm]'s.
func dieWithParent(sys *syscall.SysProcAttr) { sys.Pdeathsig = syscall.SIGKILL }

// arm has the kernel kill the whole process group when we die, by kill -9
// too: the writing end, which the group holds, is told by SIGKILL when the
// reading end, which only we hold, is gone. Not every kernel can do that, and
// none for processes that have left the group.
func (pp *pidPipe) arm(pgid int) {
	fd := pp.write.Fd()
	if _, err := unix.FcntlInt(fd, unix.F_SETOWN, -pgid); err != nil {
		return
	}
	if _, err := unix.FcntlInt(fd, unix.F_SETSIG, int(syscall.SIGKILL)); err != nil {
		return // else it would be SIGIO, which says something else
	}
	_, _ = unix.FcntlInt(fd, unix.F_SETFL, unix.O_ASYNC)
}

// disarm undoes arm.
func (pp *pidPipe) disarm() {
	fd := pp.write.Fd()
	_, _ = unix.FcntlInt(fd, unix.F_SETFL, 0)
	_, _ = unix.FcntlInt(fd, unix.F_SETOWN, 0)
}

// member is a process of a command's family. The time at which it started
// tells it from a later one with the same number.
type member struct {
	pid, pgrp int
	start     string
}

// family finds all that the command has started: its session and group, whoever
// holds its pid pipe, wherever that one has gone, and the children of all of these.
func (p *process) family() []member {
	self := os.Getpid()
	all := processes()
	in := map[int]bool{}
	for _, q := range all {
		if q.pid != self && (q.pgrp == p.pid || q.session == p.pid || q.pid == p.pid || holds(q.pid, p.pids.name)) {
			in[q.pid] = true
		}
	}
	for grown := len(in) > 0; grown; {
		grown = false
		for _, q := range all {
			if in[q.parent] && !in[q.pid] && q.pid != self {
				in[q.pid], grown = true, true
			}
		}
	}
	var members []member
	for _, q := range all {
		if in[q.pid] && q.state != 'Z' {
			members = append(members, member{q.pid, q.pgrp, q.start})
		}
	}
	return members
}

// survivors returns who is left of first, and who has joined since.
func (p *process) survivors(first []member) []member {
	left := p.family()
	known := map[int]bool{}
	for _, m := range left {
		known[m.pid] = true
	}
	for _, m := range first {
		if q, ok := readProcess(m.pid); ok && q.start == m.start && q.state != 'Z' && !known[m.pid] {
			left = append(left, m)
		}
	}
	return left
}

// signal sends sig to the family, once to each. The group gets it at once, so
// that it can't grow meanwhile.
func (p *process) signal(family []member, sig syscall.Signal) {
	group := p.pid
	select {
	case <-p.exited: // the number may be another's by now
		group = 0
	default:
		_ = syscall.Kill(-group, sig)
	}
	for _, m := range family {
		if m.pgrp != group {
			_ = syscall.Kill(m.pid, sig) // it may be gone
		}
	}
}

// pipeName returns the name by which /proc shows a pipe.
func pipeName(fd int) string {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return ""
	}
	return "pipe:[" + strconv.FormatUint(st.Ino, 10) + "]"
}

// holds reports whether a process has the pipe as its pidFD.
func holds(pid int, pipe string) bool {
	target, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/fd/" + strconv.Itoa(pidFD))
	return err == nil && target == pipe
}

// proc is what /proc says of a process.
type proc struct {
	pid, parent, pgrp, session int
	state                      byte
	start                      string
}

func processes() []proc {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what there is
	var all []proc
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if q, ok := readProcess(pid); ok {
				all = append(all, q)
			}
		}
	}
	return all
}

func readProcess(pid int) (proc, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return proc{}, false
	}
	return parseStat(pid, stat)
}

// parseStat reads proc_pid_stat(5). The second field, a name in parentheses,
// may contain anything.
func parseStat(pid int, stat []byte) (proc, bool) {
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(f) < 20 {
		return proc{}, false
	}
	q := proc{pid: pid, state: f[0][0], start: string(f[19])}
	for i, n := range []*int{&q.parent, &q.pgrp, &q.session} {
		v, err := strconv.Atoi(string(f[1+i]))
		if err != nil {
			return proc{}, false
		}
		*n = v
	}
	return q, true
}
