//go:build unix

package flock_test

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"pollux/internal/durable/flock"
)

// A process that is being started has the files of its parent for a moment. It does not keep a lock.
func TestReleaseWhileInherited(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	f := open(t, path)
	if err := flock.Exclusive(f); err != nil {
		t.Fatal(err)
	}
	inherited, err := unix.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(inherited)
	next := open(t, path)
	if err := flock.Exclusive(next); !errors.Is(err, flock.ErrHeld) {
		t.Errorf("a second lock: %v", err)
	}
	flock.Release(f)
	if err := flock.Exclusive(next); err != nil {
		t.Errorf("a lock after the release: %v", err)
	}
}
