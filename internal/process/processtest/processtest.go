package processtest

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
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
	p, err := os.FindProcess(pid)
	if err != nil {
		return false // on Windows
	}
	defer func() { _ = p.Release() }()
	return runtime.GOOS == "windows" || p.Signal(syscall.Signal(0)) == nil
}

// Kill ends the process if it still runs.
func Kill(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill() // it may have ended
	}
}

// WithVariable returns the processes that have this variable, NAME=VALUE, in their environment and have
// not ended. It finds none on other systems than Linux.
func WithVariable(variable string) (pids []int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // those that it could read
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue // it is no process
		}
		env, err := os.ReadFile(filepath.Join("/proc", name, "environ"))
		if err == nil && slices.Contains(strings.Split(string(env), "\x00"), variable) {
			pids = append(pids, pid)
		}
	}
	return pids
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
	t.Cleanup(func() { Kill(pid) })
	return pid
}
