package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOpenSteps has both ways to open a path without links say the same.
func TestOpenSteps(t *testing.T) {
	t.Parallel()
	if !hasOpenat2() {
		t.Skip("this kernel knows one way only")
	}
	dir := RealPath(t.TempDir())
	for _, d := range []string{"a/b", "dark"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"a/b/file", "dark/file"} {
		if err := os.WriteFile(filepath.Join(dir, f), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "dark"), 0o100); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "dark"), 0o700) })
	for link, target := range map[string]string{"a/to-file": "b/file", "to-a": "a", "loop": "loop", "a/up": "..", "gone": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		"a/b/file": nil, "a/b": nil, "dark/file": nil, "fifo": nil, "missing": unix.ENOENT, "a/missing/file": unix.ENOENT, "a/b/file/below": unix.ENOTDIR, "fifo/below": unix.ENOTDIR,
		"a/to-file": unix.ELOOP, "to-a": unix.ELOOP, "to-a/b/file": unix.ELOOP, "a/up/a/b/file": unix.ELOOP, "loop": unix.ELOOP, "loop/x": unix.ELOOP, "gone": unix.ELOOP, "gone/x": unix.ELOOP,
	} {
		for way, open := range map[string]func(string, int) (int, error){"openat2": openat2, "steps": openSteps} {
			fd, err := open(filepath.Join(dir, name), unix.O_RDONLY|fileFlags)
			if !errors.Is(err, want) || (want == nil) != (err == nil) {
				t.Errorf("%s: %s: %v, want %v", way, name, err, want)
			}
			if err == nil {
				_ = unix.Close(fd)
			}
			fd, err = open(filepath.Join(dir, name), searchFlags)
			isDir := name == "a/b"
			if isDir != (err == nil) {
				t.Errorf("%s: %s as a directory: %v", way, name, err)
			}
			if err == nil {
				_ = unix.Close(fd)
			}
		}
	}
	for way, open := range map[string]func(string, int) (int, error){"openat2": openat2, "steps": openSteps} {
		fd, err := open("/", searchFlags)
		if err != nil {
			t.Errorf("%s: the root: %v", way, err)
			continue
		}
		_ = unix.Close(fd)
	}
}
