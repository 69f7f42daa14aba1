package process

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"pollux/internal/crash"
)

// Process is a command that was started, with all that it has started itself. Its
// methods may be called from several goroutines at once.
type Process struct {
	command *Command
	proc    *os.Process
	pid     int
	start   time.Time
	last    atomic.Int64 // when output came last, in nanoseconds since start

	input    *os.File  // nil if no input is copied
	terminal *terminal // nil if the command has none
	streams  []*outputPipe
	report   reportPipe

	status        Status        // set when exited is closed
	exited        chan struct{} // the program has ended
	drained       chan struct{} // and its own output was read
	closed        chan struct{} // and no descendant holds the output open
	pending, open atomic.Int32  // counters that drained and closed wait for

	stopOnce sync.Once
	cause    error         // set when stopped is closed
	stopped  chan struct{} // closed by Terminate
	gone     chan struct{} // and was killed as far as it had to be

	disown   sync.Once
	disowned chan struct{}

	kept atomic.Pointer[[]member] // nil before Keep

	thread *thread // nil without [Command.KeepThread]
}

// Status is how a program has ended.
type Status struct {
	Code   int            // the exit code, -1 if a signal ended it
	Signal syscall.Signal // the signal that ended it, 0 for none
}

// String returns "exit status 3" or "signal: killed".
func (s Status) String() string {
	if s.Signal != 0 {
		return "signal: " + s.Signal.String()
	}
	return fmt.Sprintf("exit status %d", s.Code)
}

// PID returns the number of the process, which is also that of its process group
// unless [Command.TTY] is set.
func (p *Process) PID() int { return p.pid }

// IsConfined reports whether the thread that has started the program was restricted, see [Command.Confine].
func (p *Process) IsConfined() bool { return p.command.Confine != nil }

// Began returns the time of the start.
func (p *Process) Began() time.Time { return p.start }

// Exited is closed when the program has ended; descendants may still run.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Drained is closed when the program has ended and all that it had printed until then
// was written to Stdout and Stderr. Where pipes cannot be read without waiting
// (Windows), it is closed together with [Process.Closed].
func (p *Process) Drained() <-chan struct{} { return p.drained }

// Closed is closed when the program has ended and no descendant holds its output open.
func (p *Process) Closed() <-chan struct{} { return p.closed }

// Stopped is closed when the process is asked to end, by [Process.Terminate],
// [Process.Kill], its context, or [Command.Idle]; [Process.Cause] returns which.
func (p *Process) Stopped() <-chan struct{} { return p.stopped }

// Gone is closed, some time after Stopped, when all processes of the command have been
// asked to end, and those that did not end have been killed.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// Cause returns why the process was ended: the cause of its context, or
// [ErrIdle]. It is nil for a process that ended by itself, by Terminate or by Kill.
func (p *Process) Cause() error {
	select {
	case <-p.stopped:
		return p.cause
	default:
		return nil
	}
}

// Status returns how the program has ended. It is the zero Status until
// [Process.Exited] is closed.
func (p *Process) Status() Status {
	select {
	case <-p.exited:
		return p.status
	default:
		return Status{}
	}
}

// silence returns the time since the process last printed something, since its
// start, or since it last waited for a person.
func (p *Process) silence() time.Duration {
	return min(time.Since(p.start)-time.Duration(p.last.Load()), p.command.Pause.sinceEnd())
}

// Terminate ends the process and its descendants: SIGTERM, and SIGKILL for the rest after
// [Command.Grace]. It does not wait for their end. Only the first call of Terminate and Kill
// has an effect.
func (p *Process) Terminate() { p.stop(nil) }

func (p *Process) stop(cause error) {
	p.stopOnce.Do(func() {
		p.cause = cause
		close(p.stopped)
		p.terminate(p.command.Grace)
	})
}

// Kill sends SIGKILL to the process group while the program runs. Unlike Terminate with a
// Grace of 0 it does not look for descendants that have left the group, or were kept.
func (p *Process) Kill() {
	p.stopOnce.Do(func() {
		close(p.stopped)
		p.killGroup()
		close(p.gone)
	})
}

// stopAlone ends the program without its descendants.
func (p *Process) stopAlone(grace time.Duration) {
	if grace <= 0 || p.proc.Signal(syscall.SIGTERM) != nil { // Windows has no SIGTERM
		_ = p.proc.Kill() // it may have ended
		close(p.gone)
		return
	}
	go func() {
		defer close(p.gone)
		defer crash.Recover()
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-p.exited:
		case <-timer.C:
			_ = p.proc.Kill() // it may have ended
		}
	}()
}

// Disown lets the process run on: neither the context nor silence ends it any more. It still
// ends with Pollux, as do its descendants, unless [Command.Detach] was set.
func (p *Process) Disown() { p.disown.Do(func() { close(p.disowned) }) }

// Left returns the processes that were reported on [ReportFD] and still run, and the words of
// the report that are no numbers. It disowns the processes. Each report is returned once.
func (p *Process) Left() (pids []int, words []string) {
	p.Disown()
	return p.reported()
}

// Keep notes the processes that an ended program has left running, so that Terminate can end
// them later.
func (p *Process) Keep() { p.keep() }

// Apart returns the processes of those that Keep noted, or of those that they have started, that
// run in a session of their own by now, as daemons do. Terminate cannot end them.
func (p *Process) Apart() []int { return p.apart() }

// HasDaemons reports whether processes in a session of their own go on running after the
// program has ended. Those that have closed [ReportFD] are not found, and none on other systems than Linux.
func (p *Process) HasDaemons() bool { return p.hasDaemons() }

// Runs reports whether something that Keep noted is still running, and not apart.
func (p *Process) Runs() bool { return p.keepsRunning() }

// Release disowns the process and frees its resources, except the output, which is read as long
// as a process prints. From then on its descendants may outlive Pollux. A process that is being
// ended is released when it is gone.
func (p *Process) Release() {
	p.Disown()
	p.thread.release()
	if isClosed(p.stopped) && !isClosed(p.gone) {
		go func() {
			defer crash.Recover()
			<-p.gone
			p.report.close()
		}()
		return
	}
	p.report.close()
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Wait waits for the program and its output, and releases the process. It waits for
// output of descendants no longer than [Command.Linger]. When it returns, nothing more
// is written to Stdout and Stderr, and its processes that were to end have ended. The
// error is [Process.Cause]; an exit code other than 0 is no error.
func (p *Process) Wait() (Status, error) {
	<-p.exited
	p.waitForOutput()
	for _, s := range p.streams {
		_ = s.file.Close() // ends the copy
	}
	if p.input != nil {
		_ = p.input.Close()
	}
	<-p.closed
	p.Release()
	return p.status, p.Cause()
}

// waitForOutput waits for the output after the program has ended, within limits.
func (p *Process) waitForOutput() {
	const (
		unread = time.Second           // for systems that cannot drain a pipe
		killed = 50 * time.Millisecond // longer output comes from a process that has escaped the kill
	)
	limit := time.NewTimer(unread)
	defer limit.Stop()
	select {
	case <-p.drained:
	case <-limit.C:
	}
	limit.Reset(p.command.Linger)
	select {
	case <-p.closed:
	case <-limit.C:
	case <-p.stopped:
	}
	select {
	case <-p.stopped:
		<-p.gone
		limit.Reset(killed)
		select {
		case <-p.closed:
		case <-limit.C:
		}
	default:
	}
}
