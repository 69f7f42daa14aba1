//go:build unix

package durable

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// On a network file system, the lock of a holder on another machine is not taken over before it is old.
func TestLockOfOtherMachine(t *testing.T) {
	// Not parallel: it changes a variable.
	defer func(is func(int) bool) { isRemote = is }(isRemote)
	isRemote = func(int) bool { return true }
	file := filepath.Join(t.TempDir(), "file")
	if err := os.Mkdir(file+".lock", 0o700|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if unlock, err := LockContext(ctx, file); !errors.Is(err, context.DeadlineExceeded) {
		unlock()
		t.Fatalf("it is taken over: %v", err)
	}
	old := time.Now().Add(-lockStale - time.Second)
	if err := os.Chtimes(file+".lock", old, old); err != nil {
		t.Fatal(err)
	}
	unlock, err := Lock(file)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	if _, err := os.Lstat(file + ".lock"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is left: %v", err)
	}
}
