package undo

import (
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/workspace"
)

// TestElsewhere checks that a work tree leads to the repository that it is a worktree of, whatever the file commondir says, which commands can change.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	root := workspace.RealPath(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	work, main := filepath.Join(root, "work"), filepath.Join(root, "main/.git")
	write("work/.git", "gitdir: ../main/.git/worktrees/work\n")
	for _, common := range []string{"../..\n", root + "/other/.git\n"} {
		write("main/.git/worktrees/work/commondir", common)
		if got := elsewhere(work); got != main {
			t.Errorf("commondir %q: %s", common, got)
		}
	}
	write("work/.git", "gitdir: ev/.git\n")
	write("work/ev/.git/commondir", root+"/other/.git\n")
	if got := elsewhere(work); got != "" {
		t.Error(got)
	}
	write("work/.git", "gitdir: ../main/.git/modules/sub\n")
	write("main/.git/modules/sub/HEAD", "")
	if got := elsewhere(work); got != main+"/modules/sub" {
		t.Error(got)
	}
}
