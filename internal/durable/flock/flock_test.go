//go:build unix || windows

package flock_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/durable/flock"
)

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestShared(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	a, b := open(t, path), open(t, path)
	if err := errors.Join(flock.Shared(a), flock.Shared(b)); err != nil {
		t.Fatal(err)
	}
	if err := flock.Exclusive(a); !errors.Is(err, flock.ErrHeld) {
		t.Errorf("a lock for one of two that share it: %v", err)
	}
	flock.Release(b)
	if err := flock.Exclusive(a); err != nil {
		t.Errorf("a lock for the only one left: %v", err)
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	a, b := open(t, path), open(t, path)
	if err := flock.Exclusive(a); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- flock.Wait(b) }()
	select {
	case err := <-done:
		t.Fatalf("did not wait: %v", err)
	default:
	}
	flock.Release(a)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A lock is about the lock: others can still read and write the file.
func TestLockedContent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	f, other := open(t, path), open(t, path)
	if err := flock.Exclusive(f); err != nil {
		t.Fatal(err)
	}
	if _, err := other.WriteString("text"); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
}
