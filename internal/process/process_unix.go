//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"pollux/internal/crash"
)

// environment returns the environment for [os.ProcAttr], where nil has another meaning.
func environment(env []string) []string {
	if env == nil {
		return []string{}
	}
	return env
}

// prepare sets the attributes that follow from the command. It never fails.
func (c *Command) prepare(sys *syscall.SysProcAttr) error {
	if !c.TTY {
		sys.Setsid = true
	}
	if c.Terminal != nil {
		sys.Setctty, sys.Ctty = true, 0
	}
	if !c.Detach {
		signal := syscall.SIGKILL
		if c.TTY {
			signal = syscall.SIGHUP // a person's work may not be saved
		}
		dieWithParent(sys, signal)
	}
	return nil
}

func statusOf(state *os.ProcessState) Status {
	if state == nil {
		return Status{Code: 1}
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return Status{Code: -1, Signal: ws.Signal()}
	}
	return Status{Code: state.ExitCode()}
}

// SignalName returns the name of the signal that ended the program, such as "SIGKILL";
// "" for none.
func (s Status) SignalName() string {
	if s.Signal == 0 {
		return ""
	}
	return unix.SignalName(s.Signal)
}

// terminate ends the process: SIGTERM for all, SIGKILL after the grace.
func (p *Process) terminate(grace time.Duration) {
	if p.command.TTY {
		p.stopAlone(grace)
		return
	}
	deadline := time.Now().Add(grace)
	first := p.family()
	if grace <= 0 {
		p.signal(first, syscall.SIGKILL)
		p.signal(p.survivors(first), syscall.SIGKILL) // processes that were being started
		close(p.gone)
		return
	}
	p.signal(first, syscall.SIGTERM)
	p.signal(first, syscall.SIGCONT) // a stopped process ends only when it goes on
	go func() {
		defer close(p.gone)
		defer crash.Recover()
		timer := time.NewTimer(time.Until(deadline))
		defer timer.Stop()
		select {
		case <-p.closed: // mostly the end of all, but one may live on without the stream
		case <-timer.C:
		}
		if len(p.survivors(first)) > 0 {
			time.Sleep(time.Until(deadline))
			p.signal(p.survivors(first), syscall.SIGKILL)
		}
	}()
}

// Stop ends the process as Terminate does, but lets it take this time between SIGTERM and SIGKILL, and waits until
// it and its descendants have ended. If ctx ends, they have no more than [Command.Grace].
func (p *Process) Stop(ctx context.Context, grace time.Duration) {
	const step = 20 * time.Millisecond
	first := p.family()
	p.signal(first, syscall.SIGTERM)
	p.signal(first, syscall.SIGCONT)
	limit := time.NewTimer(grace)
	defer limit.Stop()
	tick := time.NewTicker(step)
	defer tick.Stop()
	for isOver := false; !isOver && len(p.survivors(first)) > 0; {
		select {
		case <-tick.C:
		case <-limit.C:
			isOver = true
		case <-p.stopped:
			isOver = true
		case <-ctx.Done():
			isOver = true
		}
	}
	p.Terminate()
	<-p.gone
}

// SignalGroup sends a signal to the processes of the group that still run after the program itself has ended.
func (p *Process) SignalGroup(sig syscall.Signal) {
	if p.GroupRuns() { // else the number may belong to another one by now
		_ = syscall.Kill(-p.pid, sig)
	}
}

// killGroup kills the process group, unless the program has ended: then its number may
// belong to another one.
func (p *Process) killGroup() {
	select {
	case <-p.exited:
	default:
		if p.command.TTY {
			_ = p.proc.Kill() // it may have ended
			return
		}
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	}
}

// reported returns the reported processes that run, and the other words of the report.
func (p *Process) reported() (pids []int, words []string) {
	for _, f := range strings.Fields(p.report.readAll()) {
		pid, err := strconv.Atoi(f)
		switch {
		case err != nil:
			words = append(words, f)
		case pid > 1 && pid != p.pid && isRunning(pid):
			pids = append(pids, pid)
		}
	}
	return pids, words
}

// reportPipe is the pipe on [ReportFD]. A process reports on it the processes that it leaves
// running; on Linux the kernel ends the process group by it when Pollux ends, and descendants
// that have left the group are found by it. The zero reportPipe is not open.
type reportPipe struct {
	mu    sync.Mutex // guards read and write
	read  int
	write *os.File // nil if not open
	name  string   // as /proc shows it
	pgid  int      // the group that the kernel kills when Pollux ends, 0 if none
}

func (rp *reportPipe) open() error {
	var fds [2]int
	if err := pipe(&fds); err != nil {
		return os.NewSyscallError("pipe", err)
	}
	for i, fd := range fds {
		if fd != ReportFD {
			continue
		}
		// A child has the descriptors of Pollux until its program starts. It must not seem to belong to this process.
		other, err := unix.FcntlInt(ReportFD, unix.F_DUPFD_CLOEXEC, ReportFD+1)
		_ = syscall.Close(ReportFD)
		if fds[i] = other; err != nil {
			_ = syscall.Close(fds[1-i])
			return os.NewSyscallError("fcntl", err)
		}
	}
	rp.read, rp.write = fds[0], os.NewFile(uintptr(fds[1]), "report")
	rp.name = pipeName(rp.read)
	return nil
}

func (rp *reportPipe) readAll() string {
	rp.mu.Lock()
	defer rp.mu.Unlock()
	if rp.write == nil || syscall.SetNonblock(rp.read, true) != nil {
		return ""
	}
	if rp.pgid != 0 { // reading from an armed pipe signals its writers
		disarm(rp.write.Fd())
		defer arm(rp.write.Fd(), rp.pgid)
	}
	buf := make([]byte, 4096)
	n, err := syscall.Read(rp.read, buf)
	if err != nil {
		return ""
	}
	return string(buf[:n])
}

// arm has the kernel kill the process group when Pollux ends.
func (rp *reportPipe) arm(pgid int) {
	rp.mu.Lock()
	defer rp.mu.Unlock()
	if rp.write != nil {
		rp.pgid = pgid
		arm(rp.write.Fd(), pgid)
	}
}

func (rp *reportPipe) close() {
	rp.mu.Lock()
	defer rp.mu.Unlock()
	if rp.write == nil {
		return
	}
	disarm(rp.write.Fd())
	_ = syscall.Close(rp.read)
	_ = rp.write.Close()
	rp.write = nil
}

// polled names the end of a pipe that Pollux itself uses, and wants to wait for
// together with others. The other end is as programs expect it.
type polled int

const (
	pollNone polled = iota
	pollRead
	pollWrite
)

func openPipe(end polled) (read, write *os.File, err error) {
	var fds [2]int
	if err := pipe(&fds); err != nil {
		return nil, nil, os.NewSyscallError("pipe", err)
	}
	if end != pollNone {
		if err := syscall.SetNonblock(fds[end-pollRead], true); err != nil {
			_ = syscall.Close(fds[0])
			_ = syscall.Close(fds[1])
			return nil, nil, os.NewSyscallError("fcntl", err)
		}
	}
	return os.NewFile(uintptr(fds[0]), "pipe"), os.NewFile(uintptr(fds[1]), "pipe"), nil
}

// drain reads the content of a pipe without waiting for more; the read after it finds the end, if this was all. It reads at most as much as a
// pipe can hold, in case a writer fills it as fast.
func drain(f *os.File, buf []byte, take func([]byte)) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	const most = 1 << 20
	return conn.Read(func(fd uintptr) bool {
		for total := 0; total < most; {
			n, err := syscall.Read(int(fd), buf)
			switch {
			case errors.Is(err, syscall.EINTR):
				continue
			case err != nil || n == 0:
				return true
			}
			take(buf[:n])
			total += n
		}
		return true
	})
}
