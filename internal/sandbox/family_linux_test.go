//go:build amd64 || arm64

package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/sandbox"
)

// TestFamily checks that programs of a family signal the processes of others of it, also daemons, and those that were left running, and no others.
func TestFamily(t *testing.T) {
	t.Parallel()
	requireSignals(t)
	work := t.TempDir()
	launcher := func(f *sandbox.Family) process.Launcher { return familyLauncher(t, work, f) }
	run := func(l process.Launcher, script string) (*process.Process, string) {
		return runScript(t, l, work, script)
	}
	family := &sandbox.Family{}
	first, other := launcher(family), launcher(family)
	left, _ := run(first, "sleep 1000 >/dev/null 2>&1 & echo $! >left; exec -a daemon setsid sleep 1000 >/dev/null 2>&1 & echo $! >apart; sleep 1000 >/dev/null 2>&1 & sleep 0.1")
	defer left.Release()
	pid := func(name string) int {
		text, err := os.ReadFile(filepath.Join(work, name))
		if err != nil {
			t.Fatal(err)
		}
		n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		return n
	}
	t.Cleanup(left.Terminate)
	outside, err := process.NewLauncher().Start(t.Context(), &process.Command{
		For: process.Purpose{Kind: process.KindShell, Origin: process.OriginUser}, Path: "/bin/sleep", Args: []string{"1000"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Kill()
	stranger, _ := run(launcher(&sandbox.Family{}), "sleep 1000 >/dev/null 2>&1 &")
	defer func() {
		stranger.Terminate()
		<-stranger.Gone()
		stranger.Release()
	}()
	for _, tt := range []struct{ script, want string }{
		{"kill -0 $(cat left) && kill -0 $(cat apart) && echo both", "both"},
		{fmt.Sprintf("kill -0 %d || echo refused", os.Getpid()), "refused"},
		{fmt.Sprintf("for t in $(ls /proc/%d/task); do kill -0 $t && echo $t; done; true", os.Getpid()), ""},
		{fmt.Sprintf("kill %d || echo refused", outside.PID()), "refused"},
		{fmt.Sprintf("kill -- -%d || echo refused", outside.PID()), "refused"},
		{fmt.Sprintf("kill -- -%d || echo refused", stranger.PID()), "refused"},
		{"kill $(cat left) && kill -9 $(cat apart) && echo killed", "killed"},
		{fmt.Sprintf("kill -- -%d && echo killed", left.PID()), "killed"},
		{"sleep 1000 & kill $! && wait $!; echo $?; kill -0 0 && kill 1073741824 || echo none", "143\nnone"},
	} {
		p, out := run(other, tt.script+" 2>/dev/null")
		p.Release()
		if lines := strings.Split(out, "\n"); tt.want != strings.Join(removeErrors(lines), "\n") {
			t.Errorf("%s: %q, want %q", tt.script, out, tt.want)
		}
	}
	for _, name := range []string{"left", "apart"} {
		processtest.WaitUntil(t, name+" is gone", func() bool { return !processtest.IsRunning(pid(name)) })
	}
	processtest.WaitUntil(t, "the group is gone", func() bool { return !left.GroupRuns() })
	if !processtest.IsRunning(outside.PID()) {
		t.Error("a program outside was ended")
	}
	left.Release()
	again, out := run(other, "sleep 1000 >/dev/null 2>&1 & echo $! >left")
	defer again.Release()
	if out != "" {
		t.Error(out)
	}
	ended := make(chan struct{})
	go func() { // a collection stops all threads of Pollux but those in a system call that the scheduler knows of
		for !isOver(ended) {
			runtime.GC()
		}
	}()
	last, out := run(first, "for i in {1..300}; do kill -0 $(<left) || echo $?; done; kill $(<left)")
	close(ended)
	if last.Release(); out != "" {
		t.Error(out)
	}
	p, _ := run(first, "true") // drops the others
	p.Release()
	processtest.WaitUntil(t, "the thread is gone", func() bool { return !left.HasThread() && !p.HasThread() })
}

func requireSignals(t *testing.T) {
	t.Helper()
	if !sandbox.KeepsSignals() || sandbox.Gap() != "" {
		t.Skip("NOT TESTED: this machine does not keep programs from signalling others, or does not let Pollux decide")
	}
}

// familyLauncher returns a launcher that confines the programs of a family to a directory.
func familyLauncher(t *testing.T, work string, f *sandbox.Family) process.Launcher {
	t.Helper()
	s, err := sandbox.New(sandbox.Options{
		Dirs: func() []string { return nil }, Family: f,
		Profile: func([]string) sandbox.Profile {
			return sandbox.Profile{Write: []string{work}, Devices: []string{"/dev/null"}}
		},
	})
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	t.Cleanup(s.Close)
	return process.NewLauncher(s.Confine)
}

// runScript runs a script in a directory until its shell has ended, and returns its output.
func runScript(t *testing.T, l process.Launcher, work, script string) (*process.Process, string) {
	t.Helper()
	var out strings.Builder
	p, err := l.Start(t.Context(), &process.Command{
		For:  process.Purpose{Kind: process.KindShell, Origin: process.OriginModel},
		Path: "/bin/bash", Args: []string{"-c", script}, Dir: work, Env: os.Environ(), Stdout: &out, Stderr: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	<-p.Exited()
	<-p.Drained()
	p.Keep()
	return p, strings.TrimSpace(out.String())
}

func isOver(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// removeErrors removes the messages of bash.
func removeErrors(lines []string) (list []string) {
	for _, line := range lines {
		if !strings.Contains(line, "kill:") {
			list = append(list, line)
		}
	}
	return list
}
