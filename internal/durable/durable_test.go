package durable

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestWriteFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "new.txt")
	for _, write := range []func(string, []byte, fs.FileMode) error{WriteFile, WriteFileUnsynced} {
		for _, text := range []string{"first", "", "second, longer"} {
			if err := write(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if got := read(t, path); got != text {
				t.Errorf("content = %q, want %q", got, text)
			}
		}
	}
	alone(t, dir, "new.txt")
}

func TestWriteFileLongestName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := strings.Repeat("n", maxName)
	if err := WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	alone(t, dir, name)
}

func TestWriteFileMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: files have no modes here")
	}
	path := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o751); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o751 {
		t.Errorf("mode = %o, want that of the old file", got)
	}
}

func TestWriteFileFollowsLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real := filepath.Join(dir, "real", "deep")
	if err := os.MkdirAll(real, 0o755); err != nil {
		t.Fatal(err)
	}
	// "up" reaches real/file through a linked directory and "..".
	link(t, real, filepath.Join(dir, "short"))
	link(t, "short/../file", filepath.Join(dir, "up"))
	link(t, "up", filepath.Join(dir, "again"))
	for _, text := range []string{"created through the link", "replaced through the link"} {
		if err := WriteFile(filepath.Join(dir, "again"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := read(t, filepath.Join(dir, "real", "file")); got != text {
			t.Errorf("content = %q, want %q", got, text)
		}
	}
	if info, err := os.Lstat(filepath.Join(dir, "again")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
}

func TestWriteFileRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link(t, "loop", filepath.Join(dir, "loop"))
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".", "loop", "missing/file", "file/below", "nul\x00", strings.Repeat("n", maxName+1)} {
		path := dir + "/" + name
		err := WriteFile(path, []byte("x"), 0o644)
		var p *fs.PathError
		if !errors.As(err, &p) || p.Path != path {
			t.Errorf("WriteFile(%.20q) = %v, want a PathError that names it", name, err)
		}
	}
	alone(t, dir, "file", "loop")
}

func TestWriteFileVanishedDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "file"), nil, 0o644); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v, want %v", err, fs.ErrNotExist)
	}
}

// WriteFileAt ignores the current name of an open directory, and the target of its former name.
func TestWriteFileAt(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	before, after, other := filepath.Join(base, "before"), filepath.Join(base, "after"), filepath.Join(base, "other")
	for _, dir := range []string{before, other} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.Open(before)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := os.WriteFile(filepath.Join(before, "old"), []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	link(t, filepath.Join(other, "file"), filepath.Join(before, "link"))
	if err := os.Rename(before, after); err != nil {
		t.Skipf("NOT TESTED: an open directory cannot be moved here: %v", err)
	}
	link(t, other, before)
	for _, name := range []string{"old", "new"} {
		if err := WriteFileAt(dir, name, []byte("fresh"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := read(t, filepath.Join(after, name)); got != "fresh" {
			t.Errorf("%s = %q", name, got)
		}
	}
	if info, err := os.Stat(filepath.Join(after, "old")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode = %v, %v, want that of the old file", info.Mode(), err)
	}
	for name, want := range map[string]error{
		"link": syscall.ELOOP, "": syscall.EINVAL, ".": syscall.EINVAL, "..": syscall.EINVAL, "/": syscall.EINVAL, "../other/x": syscall.EINVAL, "a/b": syscall.EINVAL,
	} {
		if err := WriteFileAt(dir, name, nil, 0o600); !errors.Is(err, want) {
			t.Errorf("WriteFileAt(%q) = %v, want %v", name, err, want)
		}
	}
	alone(t, after, "link", "new", "old")
	alone(t, other)
}

// A reader sees one of the versions, whole, whatever the writers do.
func TestWriteFileIsAtomic(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	version := func(c byte) []byte { return bytes.Repeat([]byte{c}, 1<<16) }
	if err := WriteFile(path, version('a'), 0o644); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for c := byte('a'); c < 'd'; c++ {
		writers.Go(func() {
			for range 10 {
				if err := WriteFile(path, version(c), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		data, err := ReadFile(path, 1<<17)
		if err != nil {
			t.Fatal(err)
		}
		got := string(data)
		if len(got) != 1<<16 || strings.Trim(got, got[:1]) != "" {
			t.Fatalf("a mixture of %d bytes", len(got))
		}
	}
	alone(t, dir, "file")
}

func TestMkdirAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b", "c")
	for range 2 {
		if err := MkdirAll(deep, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(deep); err != nil || !info.IsDir() || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("made %v, %v", info, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "below")} {
		if err := MkdirAll(path, 0o700); err == nil {
			t.Errorf("MkdirAll(%s) made a directory of a file", path)
		}
	}
}

func BenchmarkWriteFile(b *testing.B) {
	path := filepath.Join(b.TempDir(), "file")
	data := bytes.Repeat([]byte("0123456789abcde\n"), 256)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := WriteFile(path, data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("NOT TESTED: no symbolic links here: %v", err)
	}
	if _, err := os.Readlink(path); err != nil { // Wine 8 makes none, without an error
		t.Skipf("NOT TESTED: no symbolic links here: %v", err)
	}
}

// alone checks that dir holds these names and no temporary file.
func alone(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the directory holds %.200q, want %.200q", got, names)
	}
}
