//go:build unix

package processtest

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// IsRunning reports whether the process runs. A zombie, which has ended but whose
// parent has not waited for it, does not run.
func IsRunning(pid int) bool {
	if runtime.GOOS == "linux" {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err == nil && !strings.Contains(string(stat), ") Z ")
	}
	return syscall.Kill(pid, 0) == nil
}

// AwaitPID waits until the file holds a complete line with a process ID, and returns the ID.
// The process is killed when the test ends.
func AwaitPID(t testing.TB, file string) (pid int) {
	t.Helper()
	WaitUntil(t, file+" holds a process ID", func() bool {
		b, _ := os.ReadFile(file)
		n, err := strconv.Atoi(strings.TrimSpace(string(b)))
		pid = n
		return err == nil && strings.HasSuffix(string(b), "\n")
	})
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	return pid
}
