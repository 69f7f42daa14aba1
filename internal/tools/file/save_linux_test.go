package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"pollux/internal/workspace"
	"pollux/tool"
)

// A full disk ends the run, and the file is unchanged.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root may mount a disk small enough to fill")
	}
	disk := t.TempDir()
	if err := unix.Mount("none", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("cannot mount a disk small enough to fill: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(disk, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(disk, "f")
	put(t, path, "old\n")
	w, _ := workspace.New(workspace.Options{Root: disk})
	huge := strings.Repeat("x", 1<<20)
	for _, r := range []*tool.Result{
		run(t, NewWrite(w, nil, nil), args{"file_path": "f", "content": huge}),
		run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "f", "instruction": "", "old_string": "old", "new_string": huge}),
	} {
		wantError(t, r, tool.ErrNoSpaceLeft, "No space left on device: "+path+" (ENOSPC)")
	}
	if got := get(t, path); got != "old\n" {
		t.Errorf("the file is now %d bytes", len(got))
	}
	if entries, err := os.ReadDir(disk); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
