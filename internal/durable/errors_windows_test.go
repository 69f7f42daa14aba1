package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/windows"
)

func TestCause(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, absent := os.Open(filepath.Join(dir, "absent"))
	_, below := os.Open(filepath.Join(dir, "absent", "below"))
	exists := os.Mkdir(dir, 0o700)
	for _, tt := range []struct {
		err, is error
		want    string
	}{
		{absent, fs.ErrNotExist, "no such file or directory"},
		{below, fs.ErrNotExist, "no such file or directory"},
		{exists, fs.ErrExist, "file exists"},
		{&fs.PathError{Err: windows.ERROR_ACCESS_DENIED}, fs.ErrPermission, "permission denied"},
		{&os.LinkError{Err: windows.ERROR_ACCESS_DENIED}, windows.ERROR_ACCESS_DENIED, "permission denied"},
		{ErrDirectory, ErrDirectory, ErrDirectory.Error()},
	} {
		if got := Cause(tt.err); got.Error() != tt.want || !errors.Is(got, tt.is) {
			t.Errorf("%v: %v, want %q", tt.err, got, tt.want)
		}
	}
	if Cause(nil) != nil {
		t.Error("there is a cause of nothing")
	}
	for _, errno := range []syscall.Errno{windows.ERROR_SHARING_VIOLATION, windows.ERROR_DISK_FULL, windows.ERROR_INVALID_NAME} {
		if text := Cause(&fs.PathError{Err: errno}).Error(); text == "" || strings.HasSuffix(text, ".") {
			t.Errorf("%d: %q", errno, text)
		}
	}
}

func TestKindsOfErrors(t *testing.T) {
	t.Parallel()
	for _, errno := range []syscall.Errno{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL} {
		if err := (&fs.PathError{Err: errno}); !IsFull(err) || !IsFull(Cause(err)) || IsAbsent(err) {
			t.Errorf("%v is not taken for a full disk", err)
		}
	}
	for _, errno := range []syscall.Errno{windows.ERROR_INVALID_NAME, windows.ERROR_FILE_NOT_FOUND, windows.ERROR_PATH_NOT_FOUND} {
		if err := (&fs.PathError{Err: errno}); !IsAbsent(err) || !IsAbsent(Cause(err)) || IsFull(err) {
			t.Errorf("%v is not taken for an absent file", err)
		}
	}
}

func TestIsMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		dir: false, file: false, filepath.Join(dir, "absent"): true, filepath.Join(file, "below"): true, filepath.Join(dir, "a?b"): true,
	} {
		if got := IsMissing(path); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}
