package workspace_test

import (
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/workspace"
)

// TestUndoIsHidden shows nothing of the directories with names of files that are kept for undo.
func TestUndoIsHidden(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := filepath.Join(workspace.UndoPrefix+"1000", "x", "1")
	write(t, dir, map[string]string{"a": "", kept: "", filepath.Join("sub", kept): ""})
	w, _ := workspace.New(workspace.Options{Root: dir})
	for _, f := range []workspace.Filter{{}, {Git: true, Gemini: true}} {
		if got := walk(t, w, dir, workspace.WalkOptions{Filter: f, Ignored: true}); len(got) != 1 {
			t.Errorf("%+v: %q", f, got)
		}
	}
	if !w.Ignored(filepath.Join(dir, kept), false, workspace.Filter{Git: true}) {
		t.Error("it is not ignored")
	}
	if w.CheckRead(filepath.Join(dir, kept)) == nil {
		t.Error("it can be read")
	}
	if tree := w.Tree(100); strings.Contains(tree, workspace.UndoPrefix) {
		t.Errorf("tree:\n%s", tree)
	}
}
