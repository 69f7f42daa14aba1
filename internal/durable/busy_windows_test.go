package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A program that reads a file for a moment does not keep it from being replaced as a whole.
func TestReplaceWhileOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "new"), filepath.Join(dir, "old")
	for _, path := range []string{from, to} {
		if err := os.WriteFile(path, []byte(path), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reader, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	pauses := 0
	err = replaceFile(from, to, func(time.Duration) {
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
	dir := t.TempDir()
	from, to := filepath.Join(dir, "new"), filepath.Join(dir, "old")
	for _, path := range []string{from, to} {
		if err := os.WriteFile(path, []byte(path), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reader, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var waited time.Duration
	err = replaceFile(from, to, func(d time.Duration) { waited += d })
	if !errors.Is(err, fs.ErrPermission) || waited < renameWait || waited > 3*renameWait {
		t.Errorf("waited %v: %v", waited, err)
	}
	if text, _ := os.ReadFile(to); string(text) != to {
		t.Errorf("the file has %q", text)
	}
}
