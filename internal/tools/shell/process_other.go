//go:build unix && !linux

package shell

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

const canArm = false

// Only Linux ends children with their parent.
func dieWithParent(*syscall.SysProcAttr) {}
func (pp *pidPipe) arm(int)              {}
func (pp *pidPipe) disarm()              {}

// member stands for the process group: this system does not tell who else is
// of a command's family.
type member struct{}

func (p *process) family() []member { return p.survivors(nil) }

func (p *process) survivors([]member) []member {
	if syscall.Kill(-p.pid, 0) != nil {
		return nil
	}
	return []member{{}}
}

func (p *process) signal(family []member, sig syscall.Signal) {
	if len(family) > 0 {
		_ = syscall.Kill(-p.pid, sig)
	}
}
