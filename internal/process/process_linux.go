package process

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func pipe(fds *[2]int) error { return syscall.Pipe2(fds[:], syscall.O_CLOEXEC) }

// widen makes room in a pipe for much output; one that cannot be widened will do.
func widen(f *os.File) {
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) {
			_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20)
		})
	}
}

// waitProgram waits for the end of the program. It kills the rest of the group before the
// number of the group can belong to another one.
func (p *Process) waitProgram() *os.ProcessState {
	if p.command.sweep {
		for {
			err := unix.Waitid(unix.P_PID, p.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
			if !errors.Is(err, unix.EINTR) {
				break
			}
		}
		_ = syscall.Kill(-p.pid, syscall.SIGKILL) // there may be nothing left
	}
	state, _ := p.proc.Wait() // it is our child and waited for once
	return state
}

// dieWithParent has the kernel signal the program when Pollux ends. Its descendants
// are [arm]'s.
func dieWithParent(sys *syscall.SysProcAttr, signal syscall.Signal) { sys.Pdeathsig = signal }

// arm has the kernel kill a process group when Pollux ends, even by SIGKILL. fd is the
// writing end of a pipe that the group holds; the owner of that end gets a signal when
// the reading end, which only Pollux holds, is closed. Not every kernel can do that, and
// none for processes that have left the group.
func arm(fd uintptr, pgid int) {
	if _, err := unix.FcntlInt(fd, unix.F_SETOWN, -pgid); err != nil {
		return
	}
	if _, err := unix.FcntlInt(fd, unix.F_SETSIG, int(syscall.SIGKILL)); err != nil {
		return // the signal would be SIGIO, which means something else
	}
	_, _ = unix.FcntlInt(fd, unix.F_SETFL, unix.O_ASYNC)
}

func disarm(fd uintptr) {
	_, _ = unix.FcntlInt(fd, unix.F_SETFL, 0)
	_, _ = unix.FcntlInt(fd, unix.F_SETOWN, 0)
}

// member is a process of a command's family. Its start time distinguishes it from a later one
// with the same number.
type member struct {
	pid, pgrp, session int
	start              string
}

// family finds all processes of the command: its session and group, all that hold its report
// pipe, even if they have left both, and the children of all three. After Keep it finds only
// its session.
func (p *Process) family() []member {
	self, kept := os.Getpid(), p.kept.Load()
	all := processes()
	in := map[int]bool{}
	for _, q := range all {
		if q.pid != self && (q.pgrp == p.pid || q.session == p.pid || q.pid == p.pid || holds(q.pid, p.report.name)) {
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
		if in[q.pid] && q.state != 'Z' && (kept == nil || q.session == p.pid) {
			members = append(members, member{q.pid, q.pgrp, q.session, q.start})
		}
	}
	return members
}

// GroupRuns reports whether a process of the group runs after the program itself has ended.
func (p *Process) GroupRuns() bool {
	return syscall.Kill(-p.pid, 0) == nil && // else /proc is not worth the reading
		slices.ContainsFunc(p.family(), func(m member) bool { return m.pgrp == p.pid })
}

func (p *Process) keep() {
	kept := p.family()
	p.kept.Store(&kept)
}

// apart returns the kept processes that run in a session of their own. When none of the kept ones runs any more, it keeps those that these have left.
func (p *Process) apart() (pids []int) {
	kept := p.kept.Load()
	if kept == nil {
		return nil
	}
	for range 2 {
		isOver := true
		for _, m := range *kept {
			q, ok := m.find()
			isOver = isOver && !ok
			if ok && q.session != p.pid {
				pids = append(pids, m.pid)
			}
		}
		if !isOver || !p.hasDaemons() {
			break
		}
		holders := []member{}
		for _, q := range processes() {
			if holds(q.pid, p.report.name) {
				holders = append(holders, member{q.pid, q.pgrp, q.session, q.start})
			}
		}
		p.kept.Store(&holders)
		kept = &holders
	}
	return pids
}

// hasDaemons reports whether another process than Pollux has the report pipe. It looks at the processes that were started since the program.
func (p *Process) hasDaemons() bool {
	const most = 200 // of which each number is tried
	if last := lastPID(); last >= p.pid && last < p.pid+most {
		for pid := p.pid + 1; pid <= last; pid++ {
			if holds(pid, p.report.name) {
				return true
			}
		}
		return false
	}
	self := os.Getpid()
	return slices.ContainsFunc(processes(), func(q entry) bool { return q.pid != self && holds(q.pid, p.report.name) })
}

// lastPID returns the number of the latest process, 0 if it is not known.
func lastPID() int {
	fd, err := unix.Open("/proc/loadavg", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	var b [128]byte
	n, err := unix.Read(fd, b[:])
	if err != nil {
		return 0
	}
	last, _ := strconv.Atoi(string(bytes.TrimSpace(b[bytes.LastIndexByte(b[:n], ' ')+1 : n])))
	return last
}

// keepsRunning reports whether one of the processes that were kept runs. As long as one does, the
// numbers of the session and the group cannot belong to others.
func (p *Process) keepsRunning() bool {
	kept := p.kept.Load()
	return kept != nil && slices.ContainsFunc(*kept, func(m member) bool {
		q, ok := m.find()
		return ok && q.session == p.pid
	})
}

// isRunning reports whether a process runs. A zombie does not.
func isRunning(pid int) bool {
	q, ok := readProcess(pid)
	return ok && q.state != 'Z'
}

// find returns the current entry of the process; ok is false if it has ended.
func (m member) find() (q entry, ok bool) {
	q, ok = readProcess(m.pid)
	return q, ok && q.start == m.start && q.state != 'Z'
}

// survivors returns the members of first that still run, and new ones.
func (p *Process) survivors(first []member) []member {
	left := p.family()
	known := map[int]bool{}
	for _, m := range left {
		known[m.pid] = true
	}
	for _, m := range first {
		if _, ok := m.find(); ok && !known[m.pid] {
			left = append(left, m)
		}
	}
	return left
}

// signal sends sig to the family, once to each. The group gets it at once, so that it
// cannot grow meanwhile.
func (p *Process) signal(family []member, sig syscall.Signal) {
	group := p.pid
	select {
	case <-p.exited: // the number may belong to another one by now
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

// holds reports whether a process has the pipe as its ReportFD.
func holds(pid int, pipe string) bool {
	var target [64]byte // pipe names are shorter
	n, err := unix.Readlink("/proc/"+strconv.Itoa(pid)+"/fd/"+strconv.Itoa(ReportFD), target[:])
	return err == nil && string(target[:n]) == pipe
}

// entry is the entry of a process in /proc.
type entry struct {
	pid, parent, pgrp, session int
	state                      byte
	start                      string
}

func processes() []entry {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // a partial list
	var all []entry
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if q, ok := readProcess(pid); ok {
				all = append(all, q)
			}
		}
	}
	return all
}

func readProcess(pid int) (entry, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return entry{}, false
	}
	return parseStat(pid, stat)
}

// parseStat reads proc_pid_stat(5). The second field, a name in parentheses, may
// contain anything.
func parseStat(pid int, stat []byte) (entry, bool) {
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(f) < 20 {
		return entry{}, false
	}
	q := entry{pid: pid, state: f[0][0], start: string(f[19])}
	for i, n := range []*int{&q.parent, &q.pgrp, &q.session} {
		v, err := strconv.Atoi(string(f[1+i]))
		if err != nil {
			return entry{}, false
		}
		*n = v
	}
	return q, true
}
