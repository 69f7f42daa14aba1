package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// openTarget returns a new file, an old one that it is to replace, and a reader of the old one. Each has its path as its content.
func openTarget(t *testing.T) (from, to string, reader *os.File) {
	t.Helper()
	dir := t.TempDir()
	from, to = filepath.Join(dir, "new"), filepath.Join(dir, "old")
	for _, path := range []string{from, to} {
		if err := os.WriteFile(path, []byte(path), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reader, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	return from, to, reader
}

// A program that reads a file for a moment does not keep it from being replaced as a whole.
func TestReplaceWhileOpen(t *testing.T) {
	t.Parallel()
	from, to, reader := openTarget(t)
	pauses := 0
	err := replaceFile(from, to, func(time.Duration) {
		if pauses++; pauses == 3 {
			_ = reader.Close()
		}
	})
	if err != nil || pauses != 3 {
		t.Errorf("replaced after %d pauses: %v", pauses, err)
	}
	if text, _ := os.ReadFile(to); string(text) != from {
		t.Errorf("the file has %q", text)
	}
}

func TestReplaceGivesUp(t *testing.T) {
	t.Parallel()
	from, to, reader := openTarget(t)
	defer reader.Close()
	var waited time.Duration
	err := replaceFile(from, to, func(d time.Duration) { waited += d })
	if !errors.Is(err, fs.ErrPermission) || waited < renameWait || waited > 3*renameWait {
		t.Errorf("waited %v: %v", waited, err)
	}
	if text, _ := os.ReadFile(to); string(text) != to {
		t.Errorf("the file has %q", text)
	}
}
