//go:build unix && !linux

package process

import (
	"os"
	"syscall"
)

func pipe(fds *[2]int) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := syscall.Pipe(fds[:]); err != nil {
		return err
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	return nil
}

func widen(*os.File) {}

func pipeName(int) string { return "" }

// Only Linux ends processes with their parent.
func dieWithParent(*syscall.SysProcAttr, syscall.Signal) {}
func arm(uintptr, int)                                   {}
func disarm(uintptr)                                     {}

func (p *Process) waitProgram() *os.ProcessState {
	state, _ := p.proc.Wait() // it is our child and waited for once
	if p.command.sweep {
		_ = syscall.Kill(-p.pid, syscall.SIGKILL) // there may be nothing left
	}
	return state
}

// member stands for the process group: this system does not show other processes of a command.
type member struct{}

// GroupRuns reports whether a process of the group runs after the program itself has ended.
func (p *Process) GroupRuns() bool { return len(p.family()) > 0 }

func (p *Process) keep() {
	kept := p.family()
	p.kept.Store(&kept)
}

func (p *Process) apart() []int     { return nil }
func (p *Process) hasDaemons() bool { return false }

func (p *Process) keepsRunning() bool {
	kept := p.kept.Load()
	return kept != nil && len(*kept) > 0 && p.GroupRuns()
}

func isRunning(pid int) bool { return syscall.Kill(pid, 0) == nil }

func (p *Process) family() []member { return p.survivors(nil) }

func (p *Process) survivors([]member) []member {
	if syscall.Kill(-p.pid, 0) != nil {
		return nil
	}
	return []member{{}}
}

func (p *Process) signal(family []member, sig syscall.Signal) {
	if len(family) > 0 {
		_ = syscall.Kill(-p.pid, sig)
	}
}
