package report

import "testing"

// TestInGitDirectory finds the git directories of submodules and worktrees.
func TestInGitDirectory(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"index": "index", "refs/heads/modules/x": "refs/heads/modules/x", "worktrees/w/index": "index", "modules/lib/index": "index",
		"modules/libs/lib/index": "index", "modules/libs/lib/refs/heads/main": "refs/heads/main", "modules/a/b/modules/c/d/objects/ab/cd": "objects/ab/cd",
		"modules/libs/lib/COMMIT_EDITMSG": "COMMIT_EDITMSG", "modules": "modules", "modules/lib": "modules/lib",
	} {
		if got := inGitDirectory(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
