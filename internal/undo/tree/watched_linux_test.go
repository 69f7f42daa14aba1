package tree

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/undo/state"
	"pollux/internal/undo/watch"
)

// openWatcher returns a watcher that is closed with the test.
func openWatcher(t *testing.T) *watch.Watcher {
	t.Helper()
	w, err := watch.Open()
	if err != nil {
		t.Skipf("SKIPPED: nothing can be watched here: %v", err)
	}
	t.Cleanup(w.Close)
	return w
}

// TestRefresh changes a watched tree at random: a look where the watches say so finds the same as a new reading, and returns each
// path that has changed.
func TestRefresh(t *testing.T) {
	t.Parallel()
	w := openWatcher(t)
	rapid.Check(t, func(rt *rapid.T) {
		root := t.TempDir()
		options := Options{Keeper: &contents{refs: map[string]Ref{}}}
		tree := New(root, options)
		if err := errors.Join(tree.Read(t.Context()), tree.Watch(t.Context(), w)); err != nil {
			rt.Fatal(err)
		}
		for range rapid.IntRange(1, 8).Draw(rt, "looks") {
			checkLook(rt, tree, options, func() ([]Change, error) {
				names, isLost := w.Drain()
				if isLost {
					rt.Fatal("the queue was full")
				}
				return tree.Refresh(t.Context(), names)
			})
		}
	})
}

// TestMovedBack replaces a directory, but not one in it, in which there is a new directory.
func TestMovedBack(t *testing.T) {
	t.Parallel()
	w := openWatcher(t)
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	if err := os.MkdirAll(at("d/x"), 0o755); err != nil {
		t.Fatal(err)
	}
	tree := readTree(t, root)
	err := errors.Join(tree.Watch(t.Context(), w), os.Rename(at("d/x"), at("x")), os.Remove(at("d")), os.Mkdir(at("d"), 0o755),
		os.Rename(at("x"), at("d/x")), os.Mkdir(at("d/x/y"), 0o755), os.WriteFile(at("d/x/y/z"), nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	names, _ := w.Drain()
	if _, err := tree.Refresh(t.Context(), names); err != nil || tree.Find("d/x/y/z").State.Kind != state.Regular {
		t.Errorf("%v, error %v", maps.Collect(tree.All), err)
	}
}

// TestSameInode replaces a watched directory, with one below it, by others that have the same inode numbers.
func TestSameInode(t *testing.T) {
	t.Parallel()
	w := openWatcher(t)
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
