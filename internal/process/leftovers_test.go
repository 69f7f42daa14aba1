//go:build unix

package process

import (
	"fmt"
	"os"
	"path/filepath"
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
		if apart := l.Add(p, "x"); len(apart) > 0 {
			t.Errorf("apart: %v", apart)
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

// Of too many programs, the oldest ends.
func TestTooManyLeftovers(t *testing.T) {
	t.Parallel()
	var l Leftovers
	dir := t.TempDir()
	first, pid := leave(t, dir, "first")
	l.Add(first, "first")
	daemon := Leftover{Process: first, Apart: []int{os.Getpid()}}
	for range maxLeftovers - 1 {
		l.list = append(l.list, daemon)
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
