//go:build unix

package worktree

import (
	"testing"

	"golang.org/x/sys/unix"
)

// A process that is being started has the files of its parent for a moment. It does not keep the worktree in use.
func TestCloseEndsUse(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := r.mustEnter("x")
	other := r.mustEnter("x")
	inherited, err := unix.Dup(int(other.use.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(inherited)
	other.Close()
	if removed, changes, err := w.Discard(t.Context()); !removed || err != nil {
		t.Errorf("removed %v, %+v, %v", removed, changes, err)
	}
}
