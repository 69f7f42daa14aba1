//go:build linux

package undo_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/undo"
	"pollux/internal/undo/aside"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/internal/undo/undotest"
)

// asideIn is the variable with the workspace of a test process that kills itself, and asideLog the one with its log on another file system.
const (
	asideIn  = "POLLUX_TEST_ASIDE_IN"
	asideLog = "POLLUX_TEST_ASIDE_LOG"
)

// makeLarge makes a file that is too large for a copy of each version.
const makeLarge = "head -c 17000000 /dev/zero >large; echo small >small"

// newPlaceAside is newPlace with the log on another file system than the workspace.
func newPlaceAside(t *testing.T, setUp string) *place {
	t.Helper()
	const other = "/dev/shm"
	here, err := state.Read(t.TempDir())
	there, failed := state.Read(other)
	if err := errors.Join(err, failed); err != nil || there.Kind != state.Directory || here.Device == there.Device {
		t.Skipf("SKIPPED: %s is no other file system: %v", other, err)
	}
	p := newPlaceIn(t, directoryIn(t, other), setUp)
	p.store = store.Open(filepath.Join(t.TempDir(), "undo"), store.DefaultLimit)
	return p
}

// names returns the directories with second names for the log of a place.
func (p *place) names(t *testing.T) (dirs []string) {
	t.Helper()
	owners, err := filepath.Glob(filepath.Join("/dev/shm", aside.Name(), "*", "owner"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range owners {
		if owner, err := os.ReadFile(path); err == nil && strings.HasPrefix(string(owner), p.store.Dir()) {
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	return dirs
}

// TestAside takes changes of a large file back that is on another file system than the log.
func TestAside(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"rm large", "mv small large", "mv large moved", "rm -r ../project/*", "mv large small"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			p := newPlaceAside(t, makeLarge)
			before := undotest.Take(t, p.dir)
			o := p.run(t, script)
			if dirs := p.names(t); len(dirs) != 1 {
				t.Errorf("second names in %q", dirs)
			}
			after := undotest.Take(t, p.dir)
			p.recorder.Close()
			if dirs := p.names(t); len(dirs) > 0 {
				t.Errorf("second names after the end in %q", dirs)
			}
			back := p.undo(t, o.Number)
			if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
				t.Errorf("after undo (-want +got):\n%s", diff)
			}
			p.undo(t, back.Number)
			if diff := cmp.Diff(after, undotest.Take(t, p.dir)); diff != "" {
				t.Errorf("after redo (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAsideCreates takes back that a large file was created, after the end of the session.
func TestAsideCreates(t *testing.T) {
	t.Parallel()
	p := newPlaceAside(t, "echo x >x")
	before := undotest.Take(t, p.dir)
	o := p.run(t, makeLarge)
	p.recorder.Close()
	p.undo(t, o.Number)
	if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
}

// TestAsideFull reports files that cannot come back: one that is larger than the log may be, and one in which a program writes.
func TestAsideFull(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{"rm large small": "larger than pollux.undo.maxMegabytes (16)", "printf x | dd of=large conv=notrunc status=none": "a program has written"} {
		p := newPlaceAside(t, makeLarge)
		limit := int64(16 << 20)
		if strings.HasPrefix(script, "printf") {
			limit = store.DefaultLimit
		}
		p.store = store.Open(p.store.Dir(), limit)
		var lost []string
		options := p.options()
		options.Lost = func(paths []string, why string) { lost = append(paths, why) }
		p.recorder = undo.New(options)
		o := p.run(t, script)
		if len(lost) != 2 || lost[0] != filepath.Join(p.dir, "large") || !strings.Contains(lost[1], want) {
			t.Errorf("%s: lost %q", script, lost)
		}
		if strings.HasPrefix(script, "rm") && o.Lost != 1 {
			t.Errorf("%d files lost", o.Lost)
		}
		p.recorder.Close()
	}
}

// dieAside removes the large file of a workspace in a run, and dies.
func dieAside(dir, log string) {
	p := &place{dir: dir, store: store.Open(log, store.DefaultLimit)}
	_, err := undo.New(p.options()).Begin(context.Background(), store.Header{Title: "killed"}, undo.Scope{Anywhere: true})
	if err == nil {
		err = os.Remove(filepath.Join(dir, "large"))
	}
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	kill, _ := os.FindProcess(os.Getpid())
	_ = kill.Kill()
	select {}
}

// TestAsideKilled takes back the changes of a process that was killed, whose second names go then.
func TestAsideKilled(t *testing.T) {
	t.Parallel()
	p := newPlaceAside(t, makeLarge)
	before := undotest.Take(t, p.dir)
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), asideIn+"="+p.dir, asideLog+"="+p.store.Dir())
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("it did not die: %v\n%s", err, out)
	}
	if dirs := p.names(t); len(dirs) != 1 {
		t.Fatalf("second names in %q", dirs)
	}
	if err := undo.Recover(t.Context(), p.store, p.git()); err != nil {
		t.Fatal(err)
	}
	if dirs := p.names(t); len(dirs) > 0 {
		t.Errorf("second names after the recovery in %q", dirs)
	}
	p.undo(t, 1)
	if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
}

// TestAsideInWorkspace has a workspace that is the top of its file system: the second names are in it, and neither git nor the log sees them.
func TestAsideInWorkspace(t *testing.T) {
	t.Parallel()
	for _, isWatched := range []bool{true, false} {
		p := newPlace(t, "true")
		p.dir = tmpfs(t, "128m")
		p.sh(t, "git init -q; mkdir d; mv .git d; mv d/.git .; "+makeLarge)
		before := undotest.Take(t, p.dir)
		p.restart(undo.Options{Walked: walked(isWatched)})
		o := p.run(t, "test -d "+aside.Name()+"; rm large; git status --porcelain | { ! grep pollux; }")
		if len(o.Changes) != 1 {
			t.Errorf("changes %+v", o.Changes)
		}
		p.sh(t, "head -c 18000000 /dev/zero >second")
		if o := p.run(t, "rm second"); o == nil || len(o.Changes) != 1 {
			t.Errorf("operation %+v", o)
		}
		p.recorder.Close()
		p.sh(t, "test ! -e "+aside.Name())
		p.undo(t, o.Number)
		if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
			t.Errorf("after undo (-want +got):\n%s", diff)
		}
	}
}
