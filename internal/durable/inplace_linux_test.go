package durable

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWriteFileKeepsAttributes keeps extended attributes and the access control list, and takes none from the directory.
func TestWriteFileKeepsAttributes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"list", "none"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
			t.Fatal(err)
		}
		hasList := name == "list"
		if hasList {
			setACL(t, "-m", "u:12:rwx", path)
		}
		setACL(t, "-d", "-m", "u:34:rwx", dir)
		large := bytes.Repeat([]byte("v"), 1000)
		for name, value := range map[string][]byte{"user.small": []byte("x\x00y"), "user.large": large, "user.empty": nil} {
			if err := unix.Setxattr(path, name, value, 0); err != nil {
				t.Skipf("SKIPPED: no extended attributes here: %v", err)
			}
		}
		before := attributes(t, path)
		if err := WriteFile(path, []byte("new"), 0o600); err != nil {
			t.Fatal(err)
		}
		if after := attributes(t, path); after != before || hasList != strings.Contains(after, accessList) || read(t, path) != "new" {
			t.Errorf("before:\n%s\nafter:\n%s\ncontent %q", before, after, read(t, path))
		}
	}
}

func setACL(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("setfacl", args...).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no access control lists here: %v: %s", err, out)
	}
}

// attributes describes the mode and the extended attributes of a file.
func attributes(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{info.Mode().String()}
	names := attributesOf(int(f.Fd()))
	slices.Sort(names)
	for _, name := range names {
		value, err := attribute(int(f.Fd()), name)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, name+"="+string(value))
	}
	return strings.Join(lines, "\n")
}

// TestWriteFileMountPoint overwrites a file that is a mount point, as containers have them.
func TestWriteFileMountPoint(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, from := filepath.Join(dir, "file"), filepath.Join(t.TempDir(), "from")
	for _, p := range []string{path, from} {
		if err := os.WriteFile(p, []byte("the old text"), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mount(from, path, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("SKIPPED: nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(path, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	for _, text := range []string{"new", "a text that is longer than the old one", ""} {
		if err := WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := read(t, from); got != text {
			t.Errorf("content %q, want %q", got, text)
		}
	}
	alone(t, dir, "file")
}

// broken is a file in which writes fail.
type broken struct {
	*os.File
	left int // bytes that can be written
}

func (b *broken) WriteAt(data []byte, at int64) (int, error) {
	if len(data) <= b.left {
		return b.File.WriteAt(data, at)
	}
	n, _ := b.File.WriteAt(data[:b.left], at)
	b.left = 1 << 20
	return n, syscall.ENOSPC
}

// TestOverwriteRestores restores the old content if not all of the new one can be written.
func TestOverwriteRestores(t *testing.T) {
	t.Parallel()
	const old = "the old text"
	for _, text := range []string{"new", "new text, it is", "a text that is longer than the old one"} {
		for left := range text {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			err = overwrite(f, (&broken{f, left}).WriteAt, []byte(old), []byte(text))
			want := old
			if err == nil {
				want = text
			}
			if got := read(t, path); got != want || err != nil && !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%q after %d bytes: content %q, error %v", text, left, got, err)
			}
			_ = f.Close()
		}
	}
}
