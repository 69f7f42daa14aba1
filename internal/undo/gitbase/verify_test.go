package gitbase_test

import (
	"testing"

	"pollux/internal/undo/gitbase"
	"pollux/internal/undo/state"
)

// TestVerifyAgain asks only for blobs that the repository did not have before.
func TestVerifyAgain(t *testing.T) {
	t.Parallel()
	needGit(t)
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "r")
	u.write("r/a", "one\n")
	u.write("r/c", "two\n")
	u.must("r", "add", "-A")
	u.settle("r")
	before := u.git.Open(u.path("r"))
	reader := u.git.NewReader(before.ObjectDir())
	t.Cleanup(func() { _ = reader.Close() })
	if err := before.Verify(t.Context(), reader, nil); err != nil {
		t.Fatal(err)
	}
	closed := u.git.NewReader(before.ObjectDir())
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	isKnown := func(r *gitbase.Repository, name string) bool {
		now, err := state.Read(u.path("r/" + name))
		if err != nil {
			t.Fatal(err)
		}
		_, ok := r.Object(name, now)
		return ok
	}
	u.must("r", "rm", "-q", "--cached", "a")
	u.settle("r")
	fewer := u.git.Open(u.path("r"))
	if err := fewer.Verify(t.Context(), closed, before); err != nil {
		t.Fatalf("it asked again: %v", err)
	}
	if !isKnown(fewer, "c") || isKnown(fewer, "a") {
		t.Error("c is not known, or a is")
	}
	u.write("r/b", "new\n")
	u.write("r/c", "six\n") // of the same size
	u.must("r", "add", "-A")
	u.settle("r")
	more := u.git.Open(u.path("r"))
	if more.Verify(t.Context(), closed, fewer) == nil {
		t.Error("it did not ask for new blobs")
	}
	if err := more.Verify(t.Context(), reader, fewer); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c"} {
		if !isKnown(more, name) {
			t.Errorf("%s is not known", name)
		}
	}
	u.write("r/c", "ten\n")
	u.must("r", "add", "c")
	u.settle("r")
	if u.git.Open(u.path("r")).Verify(t.Context(), closed, more) == nil {
		t.Error("it did not ask for the blob of a file of the same size")
	}
}
