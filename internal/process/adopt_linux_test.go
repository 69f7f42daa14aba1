package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"pollux/internal/process/processtest"
)

// adopts is the variable that has TestAdopt run in a process of its own, in this directory: to adopt daemons is a state of the whole process.
const adopts = "POLLUX_TEST_ADOPTS"

func TestAdopt(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(adopts); dir != "" {
		adopting(t, dir)
		if !t.Failed() {
			os.Exit(0) // before the check for goroutines
		}
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "-test.run=^TestAdopt$")
	c.Env = processtest.Environ(adopts + "=" + t.TempDir())
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// adopting checks that a daemon is a child of this process, that none stays as a zombie, and that those who wait for programs get their exit codes.
func adopting(t *testing.T, dir string) {
	Adopt(func() bool { return true })
	p, err := Launcher{}.Start(t.Context(), sh(dir, "setsid -f sh -c 'echo $$ >new; mv new pid; until [ -e go ]; do sleep 0.01; done'; until [ -e pid ]; do sleep 0.01; done"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	pid := processtest.AwaitPID(t, filepath.Join(dir, "pid"))
	processtest.WaitUntil(t, "the daemon is a child", func() bool { q, _ := readProcess(pid); return q.parent == os.Getpid() })

	var all sync.WaitGroup
	for i := range 40 {
		want := i%20 + 1
		all.Go(func() {
			if s, err := (Launcher{}).Run(t.Context(), sh(dir, fmt.Sprintf("setsid -f true; exit %d", want))); err != nil || s.Code != want {
				t.Errorf("a program ended with %v, %v, not exit code %d", s, err, want)
			}
		})
		all.Go(func() {
			var ended *exec.ExitError
			if err := exec.Command("sh", "-c", fmt.Sprintf("exit %d", want)).Run(); !errors.As(err, &ended) || ended.ExitCode() != want {
				t.Errorf("a program of others ended with %v, not exit code %d", err, want)
			}
		})
	}
	all.Wait()
	adopted.mu.Lock()
	adopted.own[pid] = true // as a program that a Process waits for, started by the first thread
	adopted.mu.Unlock()
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	processtest.WaitUntil(t, "the daemon has ended", func() bool { q, ok := readProcess(pid); return !ok || q.state == 'Z' })
	adopted.reap()
	if q, _ := readProcess(pid); q.state != 'Z' {
		t.Error("a program was waited for that belongs to a Process")
	}
	adopted.ended(pid)
	adopted.reap()
	processtest.WaitUntil(t, "no process stays", func() bool {
		self := strconv.Itoa(os.Getpid())
		list, err := os.ReadFile("/proc/self/task/" + self + "/children")
		return err == nil && len(bytes.TrimSpace(list)) == 0
	})
}
