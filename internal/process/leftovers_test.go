//go:build unix

package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"pollux/internal/process/processtest"
)

// leave runs a program that leaves a process running and ends. It returns that process.
func leave(t *testing.T, dir, name string) (*Process, int) {
	t.Helper()
	p, err := Launcher{}.Start(t.Context(), sh(dir, fmt.Sprintf("sh -c 'echo $$ >%[1]s; exec sleep 1000' & while [ ! -s %[1]s ]; do :; done", name)))
	if err != nil {
		t.Fatal(err)
	}
	<-p.Exited()
	return p, processtest.AwaitPID(t, filepath.Join(dir, name))
}

// Terminate ends leftover processes, and does not touch ended ones: their numbers may belong to
// others.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	var l Leftovers
	dir := t.TempDir()
	ended, endedPID := leave(t, dir, "ended")
	running, runningPID := leave(t, dir, "running")
	for _, p := range []*Process{ended, running} {
		if l.Add(p, "x"); len(p.Apart()) > 0 {
			t.Errorf("apart: %v", p.Apart())
		}
	}
	_ = syscall.Kill(endedPID, syscall.SIGKILL)
	processtest.WaitUntil(t, "the process has ended", func() bool { return !processtest.IsRunning(endedPID) })
	if got := l.Terminate(); len(got) != 1 || got[0] != running {
		t.Errorf("Terminate ended %v", got)
	}
	<-running.Gone()
	processtest.WaitUntil(t, "the process has ended", func() bool { return !processtest.IsRunning(runningPID) })
	if isClosed(ended.Stopped()) {
		t.Error("Terminate ended a program whose processes had ended")
	}
	processtest.WaitUntil(t, "the list is empty", func() bool { return len(l.List()) == 0 })
}

// A program stays in the list while a daemon of it runs: one that has left the session late, and one that another daemon has started.
func TestLeftoverDaemons(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: needs Linux and setsid")
	}
	for name, script := range map[string]string{
		"late":     "(until [ -e go ]; do sleep 0.01; done; exec setsid sh -c 'echo $$ >pid; exec sleep 1000') & true",
		"child":    "(until [ -e go ]; do sleep 0.01; done; exec setsid sh -c 'sleep 1000 & echo $! >pid') & true",
		"at once":  "setsid -f sh -c 'echo $$ >pid; exec sleep 1000'; until [ -s pid ]; do sleep 0.01; done",
		"a parent": "sh -c 'setsid sh -c \"sleep 1000 & echo \\$! >pid\" &'; until [ -s pid ]; do sleep 0.01; done",
	} {
		var l Leftovers
		dir := t.TempDir()
		p, err := Launcher{}.Start(t.Context(), sh(dir, script))
		if err != nil {
			t.Fatal(err)
		}
		<-p.Exited()
		if isLate := name == "late" || name == "child"; !isLate && !p.HasDaemons() {
			t.Errorf("%s: there is no daemon", name)
		}
		l.Add(p, name)
		if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		pid := processtest.AwaitPID(t, filepath.Join(dir, "pid"))
		t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
		processtest.WaitUntil(t, name+" is apart", func() bool { return len(l.List()) == 1 && slices.Equal(p.Apart(), []int{pid}) && !p.Runs() })
		_ = syscall.Kill(pid, syscall.SIGKILL)
		processtest.WaitUntil(t, name+" has ended", func() bool { return len(l.List()) == 0 })
	}
}

// Pollux does not have a report pipe as ReportFD: until the program of a child starts, the child would seem to be a daemon of another command.
func TestReportPipes(t *testing.T) { // not in parallel, so that the number is free
	for range ReportFD {
		rp := &reportPipe{}
		if err := rp.open(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(rp.close)
		if rp.read == ReportFD || int(rp.write.Fd()) == ReportFD {
			t.Fatalf("the report pipe of a process is descriptor %d of Pollux", ReportFD)
		}
	}
}

// Without a daemon, none is found.
func TestHasNoDaemons(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"true", "for i in $(seq 300); do /bin/true; done"} { // few numbers, and many
		p, err := Launcher{}.Start(t.Context(), sh(t.TempDir(), script))
		if err != nil {
			t.Fatal(err)
		}
		<-p.Exited()
		if p.HasDaemons() {
			t.Errorf("%s has daemons", script)
		}
		p.Release()
	}
}

// Of too many programs, the oldest ends.
func TestTooManyLeftovers(t *testing.T) {
	t.Parallel()
	var l Leftovers
	dir := t.TempDir()
	first, pid := leave(t, dir, "first")
	l.Add(first, "first")
	second, _ := leave(t, dir, "second")
	second.Keep()
	for range maxLeftovers - 1 {
		l.list = append(l.list, Leftover{Process: second})
	}
	last, _ := leave(t, dir, "last")
	l.Add(last, "last")
	<-first.Gone()
	processtest.WaitUntil(t, "the process has ended", func() bool { return !processtest.IsRunning(pid) })
	if list := l.List(); len(list) != maxLeftovers || list[maxLeftovers-1].Process != last {
		t.Errorf("%d programs are kept", len(list))
	}
	for _, p := range l.Terminate() {
		<-p.Gone()
	}
}
