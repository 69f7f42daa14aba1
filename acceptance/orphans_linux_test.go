package acceptance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	launch "pollux/internal/process"
	"pollux/internal/process/processtest"
)

// TestKilledWhileSearching checks that a search ends when Pollux is killed. The rg on the path
// simulates a long search: it starts another process, and neither ends by itself.
func TestKilledWhileSearching(t *testing.T) {
	t.Parallel()
	cmd, _ := scripted(t, `turn
  call grep_search {"pattern": "needle"}
turn
  text it was not killed
`, "-p", "find it")
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nsleep 1000 &\necho $! $$ >%[1]s/pids.new && mv %[1]s/pids.new %[1]s/pids\nwait\n", bin)
	if err := os.WriteFile(filepath.Join(bin, "rg"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env[1:], "PATH="+bin+":"+os.Getenv("PATH"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }() // the error is that of the kill
	var pids []int
	processtest.WaitUntil(t, "a search runs", func() bool {
		text, err := os.ReadFile(filepath.Join(bin, "pids"))
		for _, field := range strings.Fields(string(text)) {
			pid, _ := strconv.Atoi(field)
			pids = append(pids, pid)
		}
		return err == nil
	})
	t.Cleanup(func() {
		for _, pid := range pids {
			if processtest.IsRunning(pid) { // only after a failure
				_ = exec.Command("kill", "-KILL", strconv.Itoa(pid)).Run()
			}
		}
	})
	if len(pids) != 2 || !processtest.IsRunning(pids[0]) || !processtest.IsRunning(pids[1]) {
		t.Fatalf("the search is %v", pids)
	}
	// Children that a program forks in the microseconds before the kernel watches over it are not
	// covered, and a busy machine makes this time longer.
	processtest.WaitUntil(t, "the kernel watches over rg", func() bool { return isArmed(pids[1]) })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	processtest.WaitUntil(t, "rg is gone, and what it had started", func() bool { return !processtest.IsRunning(pids[0]) && !processtest.IsRunning(pids[1]) })
}

// isArmed reports whether the kernel signals the process group of a program when Pollux
// ends: the descriptor on which the group would hear of that is asynchronous.
func isArmed(pid int) bool {
	info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", pid, launch.ReportFD))
	if err != nil {
		return false
	}
	_, flags, _ := strings.Cut(string(info), "flags:")
	flags, _, _ = strings.Cut(strings.TrimSpace(flags), "\n")
	n, err := strconv.ParseInt(flags, 8, 64)
	return err == nil && n&syscall.O_ASYNC != 0
}
