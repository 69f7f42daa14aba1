//go:build amd64 || arm64

package sandbox_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/seccomp"
)

// init makes this process one whose first thread has ended, for TestZombies.
func init() {
	if os.Getenv("ENDED_LEADER") != "" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // until the test has ended, however it does
			os.Exit(0)
		}()
		_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0) // does not return
	}
}

// TestZombies checks that a program can signal processes that have ended, and their groups, as without the sandbox, and not a process of which a
// thread runs.
func TestZombies(t *testing.T) {
	t.Parallel()
	requireSignals(t)
	work := t.TempDir()
	start := func(c process.Command) *process.Process {
		t.Helper()
		c.For, c.Dir = process.Purpose{Kind: process.KindShell, Origin: process.OriginUser}, work
		p, err := process.NewLauncher().Start(t.Context(), &c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Terminate)
		return p
	}
	isEnded := func(pid int) bool { return strings.Join(seccomp.Status(pid, "State"), " ") == "Z (zombie)" }
	// The parent does not wait for its children. One is in its group, and one in its own.
	parent := start(process.Command{
		Path: "/bin/bash", Env: os.Environ(),
		Args: []string{"-c", "sleep 1000 & echo $! >beside; set -m; sleep 1000 & echo $! >apart; exec sleep 1000"},
	})
	beside, apart := processtest.AwaitPID(t, filepath.Join(work, "beside")), processtest.AwaitPID(t, filepath.Join(work, "apart"))
	processtest.WaitUntil(t, "the parent waits for no child", func() bool {
		comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent.PID()))
		return err == nil && string(comm) == "sleep\n"
	})
	for _, pid := range []int{beside, apart} {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		processtest.WaitUntil(t, "it is a zombie", func() bool { return isEnded(pid) })
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	input, keep, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(input.Close(), keep.Close()) })
	leader := start(process.Command{Path: self, Env: []string{"ENDED_LEADER=1"}, Stdin: input})
	processtest.WaitUntil(t, "its first thread has ended", func() bool { return isEnded(leader.PID()) })

	l := familyLauncher(t, work, &sandbox.Family{})
	for _, tt := range []struct{ script, want string }{
		{fmt.Sprintf("kill -0 %d && kill %d && kill -0 %d && kill -9 %d && echo over", beside, beside, apart, apart), "over"},
		{fmt.Sprintf("kill -0 -- -%d && kill -- -%d && echo over", apart, apart), "over"},
		{fmt.Sprintf("kill -0 %d || kill -0 -- -%d || echo refused", parent.PID(), parent.PID()), "refused"},
		{fmt.Sprintf("kill -9 %d || kill -9 -- -%d || echo refused", leader.PID(), leader.PID()), "refused"},
		{"kill -0 1073741824 || kill -0 -- -1073741824 || echo none", "none"},
	} {
		p, out := runScript(t, l, work, tt.script)
		p.Release()
		if got := strings.Join(removeErrors(strings.Split(out, "\n")), "\n"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.script, out, tt.want)
		}
	}
	for _, p := range []*process.Process{parent, leader} {
		select {
		case <-p.Exited():
			t.Error("a process outside was ended")
		default:
		}
	}
}
