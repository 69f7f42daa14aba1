//go:build unix

package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Whatever a command leaves running, nothing of ours is left when that has ended.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func requireBash(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash here")
	}
}

// alive reports whether a process runs. One that nobody has waited for does not.
func alive(pid int) bool {
	if runtime.GOOS == "linux" {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err == nil && !strings.Contains(string(stat), ") Z ")
	}
	return syscall.Kill(pid, 0) == nil
}

// eventually waits until ok, and fails the test if that takes absurdly long.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so in 20 s: %s", what)
		}
	}
}

// pidIn waits for a command to have written a process number to a file.
func pidIn(t testing.TB, dir, file string) (pid int) {
	t.Helper()
	eventually(t, file+" has a process number", func() bool {
		b, _ := os.ReadFile(filepath.Join(dir, file))
		n, err := strconv.Atoi(strings.TrimSpace(string(b)))
		pid = n
		return err == nil && strings.HasSuffix(string(b), "\n")
	})
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	return pid
}
