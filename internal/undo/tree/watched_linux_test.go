package tree

import (
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/undo/state"
	"pollux/internal/undo/watch"
)

// TestSameInode replaces a watched directory, with one below it, by others that have the same inode numbers.
func TestSameInode(t *testing.T) {
	t.Parallel()
	w, err := watch.Open()
	if err != nil {
		t.Skipf("SKIPPED: nothing can be watched here: %v", err)
	}
	defer w.Close()
	root := t.TempDir()
	dir := filepath.Join(root, "d", "e")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	tree := readTree(t, root)
	if err := tree.Watch(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	const rounds = 200
	same := 0
	for range rounds {
		before := tree.Find("d").State.Inode
		if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		names, isLost := w.Drain()
		if isLost {
			t.Fatal("the queue was full")
		}
		if _, err := tree.Refresh(t.Context(), names); err != nil {
			t.Fatal(err)
		}
		if tree.Find("d").State.Inode == before {
			same++
		}
		if got := tree.Find("d/e/new").State.Kind; got != state.Regular {
			t.Fatalf("round with the same inode %d: the file is %v", same, got)
		}
		if err := os.Remove(filepath.Join(dir, "new")); err != nil { // which the watches of the new directories see
			t.Fatal(err)
		}
		names, _ = w.Drain()
		if list, err := tree.Refresh(t.Context(), names); err != nil || len(list) == 0 || tree.Find("d/e/new").State.Kind != state.Absent {
			t.Fatalf("changes %v, error %v", list, err)
		}
	}
	if same == 0 {
		t.Skipf("NOT TESTED: no inode number was used again in %d rounds", rounds)
	}
}
