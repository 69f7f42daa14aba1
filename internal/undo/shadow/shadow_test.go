package shadow

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// project is a directory with a repository for its snapshots.
type project struct {
	*Repository
	t *testing.T
}

func newProject(t *testing.T, environ ...string) *project {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(dir, "project")
	if err := os.Mkdir(tree, 0o755); err != nil {
		t.Fatal(err)
	}
	r, err := Open(Options{Dir: filepath.Join(dir, "history", "project"), Tree: tree, Home: dir, Environ: append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, environ...)})
	if err != nil {
		t.Fatal(err)
	}
	return &project{r, t}
}

func (p *project) sh(script string) string {
	p.t.Helper()
	c := exec.Command("sh", "-ec", script)
	c.Dir, c.Env = p.o.Tree, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.o.Home, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := c.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

func (p *project) snapshot() string {
	p.t.Helper()
	commit, err := p.Snapshot(p.t.Context(), "Snapshot for replace")
	if err != nil {
		p.t.Fatal(err)
	}
	return commit
}

func (p *project) changes(commit string) (list []string) {
	p.t.Helper()
	changes, err := p.Changes(p.t.Context(), commit)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, c := range changes {
		sign := "M "
		if c.Removes {
			sign = "D "
		}
		list = append(list, sign+strings.TrimPrefix(c.Path, p.o.Tree+"/"))
	}
	return list
}

// TestRestore returns to snapshots, also to one before others.
func TestRestore(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.sh("echo 1 >a; mkdir d; echo 1 >d/x; echo ignored >.gitignore; echo keep >ignored; ln -s a link; echo 1 >'ü \"x'")
	first := p.snapshot()
	if again := p.snapshot(); again != first {
		t.Errorf("nothing has changed, and the snapshot is another: %s, %s", first, again)
	}
	p.sh("echo 2 >a; rm -r d; echo 1 >new; echo 2 >'ü \"x'")
	second := p.snapshot()
	p.sh("echo 3 >a; mkdir e; echo 1 >e/y; rm link; echo more >>ignored")
	if diff := cmp.Diff([]string{"M a", "D e/y", "M link"}, p.changes(second)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"M a", "M d/x", "D e/y", "M link", "D new", "M ü \"x"}, p.changes(first)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if err := p.Restore(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	p.sh(`grep -q 1 a; grep -q 1 d/x; test ! -e new; test ! -e e; test "$(readlink link)" = a; grep -q more ignored`)
	if list := p.changes(first); len(list) > 0 {
		t.Errorf("after the return: %q", list)
	}
	if err := p.Restore(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	p.sh(`grep -q 2 a; test ! -e d; test -e new`)
}

// TestApart leaves the repository of the user, its hooks, filters and settings alone.
func TestApart(t *testing.T) {
	t.Parallel()
	p := newProject(t, "GIT_DIR=/nonexistent", "GIT_WORK_TREE=/nonexistent", "GIT_INDEX_FILE=/nonexistent")
	p.sh(`git config --global user.email a@b; git config --global user.name n; git config --global commit.gpgsign true; git config --global gpg.program false
		git config --global core.hooksPath "$HOME/hooks"; git config --global filter.f.clean 'touch "$HOME/ran"; cat'; mkdir "$HOME/hooks"
		for h in pre-commit post-commit post-checkout post-index-change; do printf '#!/bin/sh\ntouch "$HOME/ran"\n' >"$HOME/hooks/$h"; chmod +x "$HOME/hooks/$h"; done
		echo '* filter=f' >.gitattributes; git init -q -b own; git -c core.hooksPath=/dev/null -c commit.gpgsign=false commit -q --allow-empty -m mine; rm -f "$HOME/ran"`)
	before := p.sh("git -c core.hooksPath=/dev/null log --oneline --all; sha1sum .git/index .git/HEAD .git/config 2>&1 || true")
	p.sh("echo 1 >a; mkdir -p nested; git -c core.hooksPath=/dev/null init -q nested; echo x >nested/x")
	first := p.snapshot()
	p.sh("echo 2 >a; echo y >nested/y; echo z >z")
	if err := p.Restore(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if after := p.sh("git -c core.hooksPath=/dev/null log --oneline --all; sha1sum .git/index .git/HEAD .git/config 2>&1 || true"); after != before {
		t.Errorf("the user's repository has changed:\n%s\nwas\n%s", after, before)
	}
	p.sh(`grep -q 1 a; test ! -e z; test -e nested/y; test ! -e "$HOME/ran"`)
}

// TestErrors names commits that are not there, and directories that are too large.
func TestErrors(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.sh("echo 1 >a")
	for _, commit := range []string{"", "HEAD", "--help", "0123456789012345678901234567890123456789"} {
		if err := p.Restore(t.Context(), commit); !errors.Is(err, ErrGone) {
			t.Errorf("%q without a repository: %v", commit, err)
		}
	}
	p.snapshot()
	for _, commit := range []string{"main", "HEAD~0", "-f", "0123456789012345678901234567890123456789", "zzzzzzzz"} {
		if _, err := p.Changes(t.Context(), commit); !errors.Is(err, ErrGone) {
			t.Errorf("%q: %v", commit, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Snapshot(ctx, "x"); err == nil {
		t.Error("a snapshot is made after the end")
	}
	for _, tree := range []string{p.o.Home, "/"} {
		if _, err := Open(Options{Tree: tree, Home: p.o.Home, Environ: p.o.Environ}); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", tree, err)
		}
	}
	if _, err := Open(Options{Tree: p.o.Tree, Environ: []string{"PATH=/nonexistent"}}); !errors.Is(err, ErrNoGit) {
		t.Errorf("without git: %v", err)
	}
	if os.Getuid() != 0 {
		p.sh("echo secret >closed; chmod 0 closed; echo 2 >a")
		if commit := p.snapshot(); commit == "" {
			t.Error("no snapshot")
		}
	}
}
