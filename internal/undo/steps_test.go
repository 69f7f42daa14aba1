//go:build linux

package undo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/process/processtest"
	"pollux/internal/undo"
	"pollux/internal/undo/store"
	"pollux/internal/undo/undotest"
)

// stepsIn is the variable with the directory of a test process that is killed from outside, at a step.
const stepsIn = "POLLUX_TEST_STEPS_IN"

// stepsLimit is a limit of the log that the second run exceeds, so that the first one leaves.
const stepsLimit = 250

// steps are the system calls that change something on the disk. Each of them is a step at which the process is killed.
var steps = []string{"mkdirat", "renameat", "linkat", "unlinkat", "fchmodat", "write", "pwrite64", "fsync"}

// takeSteps records two runs. It starts no program, whose steps would count.
func takeSteps(dir string) {
	p := &place{dir: filepath.Join(dir, "project"), store: store.Open(filepath.Join(dir, "undo"), stepsLimit)}
	o := p.options()
	o.Git = nil
	r := undo.New(o)
	record := func(title string, change func() error) error {
		run, err := r.Begin(context.Background(), store.Header{Kind: store.Call, Title: title}, undo.Scope{Anywhere: true})
		if err != nil {
			return err
		}
		err = change()
		_, e := run.End(context.Background())
		return errors.Join(err, e)
	}
	file := func(name string) string { return filepath.Join(p.dir, name) }
	err := record("first", func() error {
		return errors.Join(os.WriteFile(file("d/changed"), []byte("changed in the first run"), 0o600), os.Remove(file("link")), os.Chmod(file("mode"), 0o700))
	})
	err = errors.Join(err, record("second", func() error {
		return errors.Join(os.RemoveAll(file("d")), os.Remove(file("large")), os.Rename(file("mode"), file("moved")), os.WriteFile(file("new"), nil, 0o600))
	}))
	r.Close()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// TestKilledAtEachStep kills a process at each step of two runs: while it reads the files, in the calls, while it records their
// changes, and while the older operation leaves because of the space. The log can be read each time, and the next process undoes all that is
// in it.
func TestKilledAtEachStep(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	p := newPlace(t, "mkdir d; echo one >d/changed; ln -s one link; echo m >mode; head -c 200 /dev/zero >large; mkdir d/empty")
	dir := filepath.Dir(p.dir)
	first := undotest.Take(t, p.dir)
	p.sh(t, "cp -a ../project ../saved")
	stride := 4
	if processtest.IsLong() {
		stride = 1
	}
	killed, evicted := 0, 0
	for i, call := range steps {
		for n := 1 + i%stride; ; n += stride {
			p.sh(t, "rm -rf ../undo; find . -mindepth 1 -delete; cp -a ../saved/. .")
			step := fmt.Sprintf("%s %d", call, n)
			if !kill(t, strace, dir, call, n) {
				break
			}
			killed++
			if p.undoKilled(t, step, first) {
				evicted++
			}
			if t.Failed() {
				return
			}
		}
	}
	if killed*stride < 24 || stride == 1 && evicted == 0 {
		t.Errorf("killed %d times, and %d times when the first operation had left", killed, evicted)
	}
}

// kill runs takeSteps, and kills it when it makes a system call for the nth time. It returns false if there are fewer.
func kill(t *testing.T, strace, dir, call string, n int) bool {
	t.Helper()
	c := exec.Command(strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", call, n), os.Args[0])
	c.Env = append(os.Environ(), stepsIn+"="+dir, "GOMAXPROCS=1") // strace counts the calls of each thread
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false
	case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL:
		return true
	}
	t.Skipf("SKIPPED: strace cannot kill a process here: %v\n%s", err, out)
	return false
}

// undoKilled undoes all that is in the log of a process that was killed at a step, and reports whether the first operation has left.
func (p *place) undoKilled(t *testing.T, step string, first undotest.Picture) (evicted bool) {
	t.Helper()
	p.store = store.Open(p.store.Dir(), stepsLimit)
	if err := undo.Recover(t.Context(), p.store, nil); err != nil {
		t.Errorf("killed at %s: %v", step, err)
	}
	list, damaged, err := p.store.List()
	if err != nil || len(damaged) > 0 {
		t.Fatalf("killed at %s: damaged %v, error %v", step, damaged, err)
	}
	if numbers, err := p.store.Numbers(); err != nil || len(numbers) != len(list) {
		t.Errorf("killed at %s: operations %v, of which %d can be read, error %v", step, numbers, len(list), err)
	}
	if left := filesIn(t, filepath.Join(p.store.Dir(), "bases")); len(left) > 0 {
		t.Errorf("killed at %s: left are %v", step, left)
	}
	titles := []string{}
	for _, h := range slices.Backward(list) {
		titles = append(titles, h.Title)
		p.store = store.Open(p.store.Dir(), store.DefaultLimit) // this undo takes space, too
		p.undo(t, h.Number)
	}
	want := first
	switch got := strings.Join(titles, " "); got {
	case "", "first", "second first":
	case "second":
		evicted = true
		p.sh(t, "test \"$(cat d/changed)\" = 'changed in the first run'; test ! -e link; test \"$(stat -c %a mode)\" = 700; chmod 644 mode; ln -s one link; cp -p ../saved/d/changed d/changed")
	default:
		t.Errorf("killed at %s: operations %s", step, got)
	}
	if diff := cmp.Diff(want, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("killed at %s, operations %q, after undo (-want +got):\n%s", step, titles, diff)
	}
	return evicted
}

// filesIn returns the paths below a directory.
func filesIn(t *testing.T, dir string) (paths []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		paths = append(paths, strconv.Quote(e.Name()))
	}
	return paths
}
