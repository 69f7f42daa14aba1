//go:build unix

package file

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"pollux/tool"
)

// Special files may not hang a tool, or be read or replaced as if they were files.
func TestPipesAndDevices(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	fifo, null := filepath.Join(w.Root(), "fifo"), filepath.Join(w.Root(), "null")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	paths := []string{fifo}
	if err := unix.Mknod(null, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))); err != nil {
		t.Logf("no devices can be made here: %v", err)
	} else {
		paths = append(paths, null)
	}
	for _, path := range paths {
		wantError(t, run(t, NewReadFile(w, nil), args{"file_path": path}), tool.ErrReadContent, "Error reading file "+path+": not a regular file")
		wantError(t, run(t, NewWrite(w, nil, nil), args{"file_path": path, "content": "x"}), tool.ErrFileWrite,
			"Error checking existing file '"+path+"': not a regular file")
		wantError(t, run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": path, "instruction": "", "old_string": "a", "new_string": "x"}),
			tool.ErrEditPreparation, "not a regular file")
		if got, err := Collect(t.Context(), w, Selection{Include: []string{path}}); err != nil || len(got.Files) > 0 {
			t.Errorf("%s is collected: %+v, %v", path, got, err)
		}
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	w := newWorkspace(t, map[string]string{"dir/f": "old"})
	dir := filepath.Join(w.Root(), "dir")
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	for _, path := range []string{"dir/f", "dir/new", "dir/sub/new"} {
		abs := filepath.Join(w.Root(), path)
		wantError(t, run(t, NewWrite(w, nil, nil), args{"file_path": path, "content": "x"}), tool.ErrPermissionDenied,
			"Permission denied writing to file: "+abs+" (EACCES)")
	}
	wantError(t, run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "dir/f", "instruction": "", "old_string": "old", "new_string": "x"}), tool.ErrFileWrite,
		"Permission denied writing to file: ")
	if got := get(t, filepath.Join(dir, "f")); got != "old" {
		t.Errorf("content = %q", got)
	}
}
