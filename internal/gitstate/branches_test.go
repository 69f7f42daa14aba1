package gitstate_test

import (
	"slices"
	"testing"

	"pollux/internal/gitstate"
)

func TestBranches(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	if got := gitstate.Branches(r.dir); got != nil {
		t.Errorf("a repository without a commit has %q", got)
	}
	r.commit("a.txt", "sub/b.txt")
	r.git("branch", "feature/one")
	r.git("branch", "packed")
	r.git("pack-refs", "--all")
	r.git("branch", "loose")
	r.git("tag", "v1")
	r.git("worktree", "add", "-q", "tree", "packed")
	want := []string{"feature/one", "loose", "main", "packed"}
	for _, dir := range []string{"", "/sub", "/tree"} {
		if got := gitstate.Branches(r.dir + dir); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", dir, got, want)
		}
	}
	if got := gitstate.Branches(t.TempDir()); got != nil {
		t.Errorf("outside of a repository there is %q", got)
	}
}
