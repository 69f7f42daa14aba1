//go:build linux

package undo_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/undo/undotest"
)

// TestImmutable has files and a directory in the workspace that cannot be changed, deleted or linked: calls run, and all other files
// come back. Then a call makes them mutable, and deletes them.
func TestImmutable(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "mkdir node_modules; echo small >small; head -c 20000000 /dev/zero >large; echo m >node_modules/m; echo a >a; mkdir dir; echo d >dir/d")
	for _, name := range []string{"small", "large", "node_modules/m", "dir"} {
		path := filepath.Join(p.dir, name)
		if out, err := exec.Command("chattr", "+i", path).CombinedOutput(); err != nil {
			t.Skipf("SKIPPED: no file can be made immutable here: %v: %s", err, out)
		}
		t.Cleanup(func() { _ = exec.Command("chattr", "-i", path).Run() }) // it may be gone
	}
	before := undotest.Take(t, p.dir)
	for _, script := range []string{
		"rm -rf * 2>/dev/null || true; test -e small; test -e large; test -e node_modules/m; test -e dir/d; test ! -e a; mkdir new",
		"chattr -i small node_modules/m dir; rm -r small node_modules dir",
	} {
		p.undo(t, p.run(t, script).Number)
		if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
			t.Errorf("after the undo of %s (-want +got):\n%s", script, diff)
		}
	}
}
