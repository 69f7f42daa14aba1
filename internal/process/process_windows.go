package process

import (
	"os"
	"syscall"
	"time"
)

// prepare has nothing to set: there are no sessions and no death signals.
func (c *Command) prepare(*syscall.SysProcAttr) {}

func statusOf(state *os.ProcessState) Status {
	if state == nil {
		return Status{Code: 1}
	}
	return Status{Code: state.ExitCode()}
}

// SignalName returns "": no signal ends a program on this system.
func (s Status) SignalName() string { return "" }

func (p *Process) terminate(grace time.Duration) { p.stopAlone(grace) }

// GroupRuns returns false: there are no process groups on this system.
func (p *Process) GroupRuns() bool { return false }

func (p *Process) killGroup() { _ = p.proc.Kill() } // it may have ended

func (p *Process) waitProgram() *os.ProcessState {
	state, _ := p.proc.Wait() // it is our child and waited for once
	return state
}

func (p *Process) reported() ([]int, []string) { return nil, nil }

// reportPipe is never open: programs get three files only.
type reportPipe struct{ write *os.File }

func (*reportPipe) open() error { return nil }
func (*reportPipe) arm(int)     {}
func (*reportPipe) close()      {}

// polled is used on Unix only.
type polled int

const (
	pollNone polled = iota
	pollRead
	pollWrite
)

func openPipe(polled) (read, write *os.File, err error) { return os.Pipe() }

// drain is not reached: a pipe has no deadlines here.
func drain(*os.File, []byte, func([]byte)) error { return nil }

func widen(*os.File) {}

// member is used on Unix only.
type member struct{}

func (p *Process) keep() {}

func (p *Process) apart() []int { return nil }

func (p *Process) hasDaemons() bool { return false }

func (p *Process) keepsRunning() bool { return false }
