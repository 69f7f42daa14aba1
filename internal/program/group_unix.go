//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// OwnGroup puts a command in a process group of its own, which dies as a whole when
// the command's context ends. A signal meant for Pollux does not reach it.
func OwnGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
