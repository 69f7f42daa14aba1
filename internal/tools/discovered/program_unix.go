//go:build unix

package discovered

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// apart lets a command run in a session of its own, without a terminal, and end
// with all that it has started.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// signal names the signal that ended a process, "" if none did.
func signal(s *os.ProcessState) string {
	status, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	return unix.SignalName(status.Signal())
}
