//go:build unix

package journal

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A process that is being started has the files of its parent for a moment. It does not keep a session in use.
func TestCloseUnlocks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "session-x.jsonl")
	l, err := create(path)
	must(t, err)
	inherited, err := unix.Dup(int(l.f.Fd()))
	must(t, err)
	defer unix.Close(inherited)
	l.close()
	next, err := reopen(path)
	if err != nil {
		t.Fatalf("the session is still in use: %v", err)
	}
	next.close()
}
