//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestWriteFileRefusesPipesAndDevices(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	for _, path := range []string{fifo, os.DevNull} {
		if err := WriteFile(path, []byte("x"), 0o644); !errors.Is(err, errNotRegular) {
			t.Errorf("WriteFile(%s) = %v, want %v", path, err, errNotRegular)
		}
	}
}

func TestWriteFileReadOnly(t *testing.T) {
	t.Parallel()
	obeyModes(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(file, []byte("new"), 0o644); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a read-only file: %v, want %v", err, fs.ErrPermission)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	if err := WriteFile(filepath.Join(dir, "new"), nil, 0o644); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a read-only directory: %v, want %v", err, fs.ErrPermission)
	}
}

// A file that can be written in a directory in which no file can be made is overwritten.
func TestWriteFileInPlace(t *testing.T) {
	t.Parallel()
	obeyModes(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o640), os.Chmod(dir, 0o500)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	for _, text := range []string{"longer than before", "x", ""} {
		if err := WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := read(t, file); got != text {
			t.Errorf("content = %q", got)
		}
	}
}

// A directory that cannot be listed can be written in.
func TestWriteFileUnlistable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o300); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	for _, text := range []string{"one", "two"} {
		if err := WriteFile(filepath.Join(dir, "file"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := read(t, filepath.Join(dir, "file")); got != text {
			t.Errorf("content = %q", got)
		}
	}
}

func TestWriteFileKeepsOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root may give files away")
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 12, 34); err != nil {
		t.Skipf("no change of owner here: %v", err)
	}
	if err := WriteFile(path, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s := info.Sys().(*syscall.Stat_t)
	if s.Uid != 12 || s.Gid != 34 || info.Mode().Perm() != 0o640 {
		t.Errorf("owner %d:%d, mode %v", s.Uid, s.Gid, info.Mode())
	}
}
