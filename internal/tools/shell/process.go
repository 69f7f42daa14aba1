//go:build unix

package shell

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// pidFD is the descriptor on which a command tells the processes that it
// leaves running. Scripts use low numbers for themselves and bash those from
// 10 on; 87 is nobody's.
const pidFD = 87

// gateFD is the descriptor on which a command waits until it cannot outlive us.
const gateFD = 86

// killDelay is what a process has to end itself after SIGTERM (spec/tools.md §3.9).
const killDelay = 200 * time.Millisecond

// job is what to run.
type job struct {
	shell   string // path of bash or sh
	command string
	dir     string
	env     []string
	detach  bool // it may outlive us
}

// process is a command that was started, with all that it starts.
type process struct {
	pid  int
	out  *output
	pids pidPipe

	exited chan struct{} // closed when the shell has ended; then state is set
	state  *os.ProcessState
	stream *os.File      // what it prints comes here
	quiet  chan struct{} // closed when all was read that it had printed until it ended
	closed chan struct{} // closed when nobody is left that could print

	background chan struct{} // closed when a person wants it in the background
	move       sync.Once

	kill   sync.Once
	killed atomic.Bool
	gone   chan struct{} // closed when a killed process is gone with all that it has started
}

// start runs j in a session of its own, so that it has no terminal and can
// be ended as a whole. What it prints waits for p.read.
func start(j job, out *output) (*process, error) {
	read, files, err := openStreams()
	if err != nil {
		return nil, err
	}
	p := &process{
		out:        out,
		stream:     read,
		exited:     make(chan struct{}),
		quiet:      make(chan struct{}),
		closed:     make(chan struct{}),
		background: make(chan struct{}),
		gone:       make(chan struct{}),
	}
	if err := p.pids.open(); err != nil {
		_ = read.Close()
		closeAll(files)
		return nil, err
	}
	sys := &syscall.SysProcAttr{Setsid: true}
	attr := &os.ProcAttr{
		Dir:   j.dir,
		Env:   append(j.env[:len(j.env):len(j.env)], "PWD="+j.dir),
		Files: make([]*os.File, pidFD+1),
		Sys:   sys,
	}
	copy(attr.Files, files)
	attr.Files[pidFD] = p.pids.write
	var gate *os.File
	if j.gated() {
		dieWithParent(sys)
		if attr.Files[gateFD], gate, err = openPipe(false); err != nil {
			_ = read.Close()
			closeAll(files)
			p.pids.close()
			return nil, err
		}
		files = append(files, attr.Files[gateFD])
	}

	started := make(chan error)
	go p.run(j, attr, started)
	err = <-started
	closeAll(files)
	if gate != nil {
		if err == nil {
			p.pids.arm(p.pid)
			_, _ = gate.Write([]byte{'\n'}) // it fails if the shell has gone, which is seen elsewhere
		}
		_ = gate.Close()
	}
	if err != nil {
		_ = read.Close()
		p.pids.close()
		return nil, err
	}
	return p, nil
}

// gated reports whether the command waits until the kernel has been told to
// end it with us. If we are gone before that, it does not begin.
func (j job) gated() bool { return canArm && !j.detach && j.bash() }

func (j job) bash() bool { return filepath.Base(j.shell) == "bash" }

// run starts the process and waits for it, on one thread: Linux ends a child
// that should die with its parent when the thread ends that started it.
func (p *process) run(j job, attr *os.ProcAttr, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	proc, err := os.StartProcess(j.shell, argv(j), attr)
	if err != nil {
		started <- err
		return
	}
	p.pid = proc.Pid
	started <- nil
	p.state, _ = proc.Wait() // it is our child and waited for once
	close(p.exited)
	// Whoever is left may hold the stream open; what the command itself has
	// printed is in it now.
	_ = p.stream.SetReadDeadline(time.Now())
}

// argv returns the arguments of the shell. Linux takes none of more than 128
// KiB, which a command with a here-document may well be: the shell puts it
// together from several.
func argv(j job) []string {
	const most = 120_000
	rest := script(j)
	if len(rest) <= most {
		return []string{j.shell, "-c", rest}
	}
	whole := `eval "set --; `
	args := []string{j.shell, "-c", "", j.shell}
	for i := 1; rest != ""; i++ {
		n := min(most, len(rest))
		args = append(args, rest[:n])
		rest = rest[n:]
		whole += "${" + strconv.Itoa(i) + "}"
	}
	args[2] = whole + `"`
	return args
}

// script is what the shell runs: the command in a subshell that tells its
// background processes when it ends, on lines of its own, so that neither a
// here-document nor a comment swallows the end (spec/tools.md §3.9). All that
// is ours is on the first line. (With the command on it, too, the lines that
// bash counts would be the command's own, but it would show ours when it
// shows a line that is wrong.)
func script(j job) string {
	fd := strconv.Itoa(pidFD)
	if j.bash() {
		text := "shopt -u promptvars nullglob extglob nocaseglob dotglob; "
		if j.gated() {
			gate := strconv.Itoa(gateFD)
			text += "read -r -u " + gate + " _ || exit; exec " + gate + "<&-; "
		}
		return text + "(trap 'jobs -p 2>/dev/null >&" + fd + "' EXIT\n" + j.command + "\n)"
	}
	// Other shells know descriptors of one digit only.
	return "(trap 'jobs -p 2>/dev/null >/dev/fd/" + fd + "' EXIT\n" + j.command + "\n)"
}

// read reads until nobody is left that could print.
func (p *process) read() {
	defer close(p.closed)
	defer p.stream.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := p.stream.Read(buf)
		p.out.write(buf[:n])
		if n == len(buf) && n < 256<<10 { // much is coming
			buf = make([]byte, 256<<10)
			widen(p.stream)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			_ = p.stream.SetReadDeadline(time.Time{})
			err = p.drain(buf)
			close(p.quiet)
		}
		if err != nil {
			select {
			case <-p.quiet:
			default:
				close(p.quiet)
			}
			return
		}
	}
}

// drain reads what is there without waiting for more; of a stream that is
// filled as fast, as much as it can hold.
func (p *process) drain(buf []byte) error {
	conn, err := p.stream.SyscallConn()
	if err != nil {
		return err
	}
	const most = 1 << 20
	var readErr error
	err = conn.Read(func(fd uintptr) bool {
		for total := 0; total < most; {
			n, err := syscall.Read(int(fd), buf)
			switch {
			case errors.Is(err, syscall.EINTR):
				continue
			case errors.Is(err, syscall.EAGAIN):
				return true
			case err != nil || n == 0:
				readErr = os.ErrClosed
				return true
			}
			p.out.write(buf[:n])
			total += n
		}
		return true
	})
	return errors.Join(err, readErr)
}

// terminate ends the process and all that it started: SIGTERM, and SIGKILL
// for what is left after 200 ms. It does not wait for them.
func (p *process) terminate() {
	p.kill.Do(func() {
		p.killed.Store(true)
		deadline := time.Now().Add(killDelay)
		first := p.family()
		p.signal(first, syscall.SIGTERM)
		p.signal(first, syscall.SIGCONT) // a stopped process ends only when it goes on
		go func() {
			defer close(p.gone)
			select {
			case <-p.closed: // mostly the end of all, but one may live on without the stream
			case <-time.After(time.Until(deadline)):
			}
			if len(p.survivors(first)) > 0 {
				time.Sleep(time.Until(deadline))
				p.signal(p.survivors(first), syscall.SIGKILL)
			}
		}()
	})
}

// disown lets the process outlive us.
func (p *process) disown() { p.pids.disarm() }

// finish gives up what is held of a process that has ended.
func (p *process) finish() { p.pids.close() }

// left returns the processes that the command has put into the background and
// that run still. They may outlive us from here on.
func (p *process) left() []int {
	p.disown() // reading from the pipe would tell its writers, too
	var pids []int
	for _, f := range strings.Fields(p.pids.readAll()) {
		pid, err := strconv.Atoi(f)
		if err == nil && pid > 1 && pid != p.pid && syscall.Kill(pid, 0) == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// status returns how the shell has ended: its exit code, or the signal that
// ended it.
func (p *process) status() (code int, signal syscall.Signal) {
	if p.state == nil {
		return 1, 0
	}
	if ws, ok := p.state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return -1, ws.Signal()
	}
	return p.state.ExitCode(), 0
}
