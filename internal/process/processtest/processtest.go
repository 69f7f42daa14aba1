//go:build unix

// Package processtest helps tests that start processes to follow them until they end.
package processtest

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
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

// WaitUntil calls isDone until it returns true. After 20 seconds it fails the test and
// reports what it waited for.
func WaitUntil(t testing.TB, what string, isDone func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !isDone(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after 20 s still not true: %s", what)
		}
	}
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
