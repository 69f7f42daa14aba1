package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, size := range map[string]int{"empty": 0, "small": 5, "full": 2048, "large": 2049} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("x", size)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		size int
		err  string // "absent" for an error that means this
	}{
		{"empty", 0, ""},
		{"small", 5, ""},
		{"full", 2048, ""},
		{"large", 0, "it is larger than 2 KB"},
		{"", 0, "it is a directory"},
		{"absent", 0, "absent"},
		{"small/below", 0, "absent"},
	} {
		data, err := ReadFile(filepath.Join(dir, tt.name), 2048)
		if len(data) != tt.size || describe(err) != tt.err {
			t.Errorf("%s: %d bytes, error %v", tt.name, len(data), err)
		}
	}
	if _, err := ReadFile(dir, 1); !errors.Is(err, ErrDirectory) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := ReadFile(filepath.Join(dir, "absent"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
	if _, err := ReadFile(os.DevNull, 1<<30); err == nil || err.Error() != "it is not a regular file" {
		t.Errorf("a device: %v", err)
	}
}

// describe returns the text of an error, "absent" for one that means this, which each system has other words for.
func describe(err error) string {
	switch {
	case err == nil:
		return ""
	case IsAbsent(err):
		return "absent"
	}
	return err.Error()
}

func TestOpenDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	for path, want := range map[string]error{os.DevNull: syscall.ENOTDIR, filepath.Join(dir, "absent"): fs.ErrNotExist} {
		if path == os.DevNull && runtime.GOOS == "windows" {
			continue // a device does not wait there
		}
		if _, err := OpenDir(path); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", path, err, want)
		}
	}
}

// A file with the reported size 0 may be endless, or not.
func TestReadFileOfUnknownSize(t *testing.T) {
	t.Parallel()
	const file = "/proc/self/status"
	if info, err := os.Stat(file); err != nil || info.Size() != 0 {
		t.Skip("there is no file here whose size is not known")
	}
	if data, err := ReadFile(file, 1<<20); err != nil || len(data) == 0 {
		t.Errorf("%d bytes, error %v", len(data), err)
	}
	if _, err := ReadFile(file, 10); err == nil {
		t.Error("more than the limit is read")
	}
}

// TestAppendFile checks that what was read before stays, also with an error, and does not count for the limit.
func TestAppendFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("four"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := []byte("before ")
	if got, err := AppendFile(before, path, 4); string(got) != "before four" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := AppendFile(before, path, 3); string(got) != "before " || err == nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestReadInside checks that a file is read through links that stay in the directory, and through no others.
func TestReadInside(t *testing.T) {
	t.Parallel()
	dir, out := t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(dir, "file"), filepath.Join(out, "file")} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link(t, "file", filepath.Join(dir, "near"))
	link(t, out, filepath.Join(dir, "far"))
	link(t, "absent", filepath.Join(dir, "nowhere"))
	for name, want := range map[string]string{
		"file": "", "near": "", filepath.Join("far", "file"): ErrOutside.Error(), "far": ErrOutside.Error(),
		"nowhere": "absent", "none": "absent",
	} {
		data, err := ReadInside(dir, name, 10)
		if describe(err) != want || err == nil && string(data) != "x" {
			t.Errorf("%s: %q, error %v, want %q", name, data, err, want)
		}
	}
}
