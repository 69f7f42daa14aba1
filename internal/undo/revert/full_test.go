//go:build linux

package revert

import (
	"errors"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/undo/history"
	"pollux/internal/undo/undotest"
)

// TestFullWorkspace undoes a change in a workspace whose disk is full. Files for which there is no room are named, the others come
// back, and when there is room again, an undo brings the rest back.
func TestFullWorkspace(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no file system can be mounted here: %v: %s", err, out)
	}
	t.Cleanup(func() { // lazily: a program that another test starts has all open files until it begins
		if out, err := exec.Command("umount", "-l", disk).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	p := newProject(t, disk, filepath.Join(t.TempDir(), "undo"))
	p.sh(t, "head -c 400000 /dev/urandom >large; echo s >small")
	before := undotest.Take(t, disk)
	p.record(t, func() { p.sh(t, "rm large small") })
	p.sh(t, "head -c 900000 /dev/zero >../$$ && head -c 900000 /dev/zero >fill; rm ../$$")
	next := func() *Plan {
		t.Helper()
		h, err := history.Read(p.store)
		if err != nil {
			t.Fatal(err)
		}
		operations, err := h.Undo(history.Selection{Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := Make(t.Context(), p.store, operations)
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	if _, err := p.apply(t, next()); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error %v", err)
	}
	p.sh(t, "grep -q s small; test ! -e large; test -z \"$(find . -name '.pollux-undo-*')\"; rm fill")
	if _, err := p.apply(t, next()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, undotest.Take(t, disk)); diff != "" {
		t.Errorf("after the second undo (-want +got):\n%s", diff)
	}
}
