//go:build unix

package search

import (
	"io/fs"
	"os/exec"
	"syscall"
)

var ripgrepNames = [...]string{"rg"}

func executable(m fs.FileMode) bool { return m&0o111 != 0 }

// ownGroup puts a command in a process group of its own, which dies as a whole
// when the command's context ends; a signal meant for us does not reach it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
