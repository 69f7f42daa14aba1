package durable

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A disk that fills up while the new version is written keeps the old one.
func TestWriteFileFullDisk(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root may mount a disk small enough to fill")
	}
	disk := t.TempDir()
	if err := unix.Mount("none", disk, "tmpfs", 0, "size=128k"); err != nil {
		t.Skipf("cannot mount a disk small enough to fill: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(disk, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(disk, "file")
	old := string(bytes.Repeat([]byte("old "), 4<<10))
	if err := WriteFile(path, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	err := WriteFile(path, bytes.Repeat([]byte("new "), 256<<10), 0o644)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error = %v, want %v", err, syscall.ENOSPC)
	}
	if got := read(t, path); got != old {
		t.Errorf("the old file is now %d bytes", len(got))
	}
	alone(t, disk, "file")
}
