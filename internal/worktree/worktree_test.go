package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pollux/internal/process"
)

// repo is a repository with one commit.
type repo struct {
	*testing.T
	dir     string
	environ []string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t, filepath.Join(home, "a repo"), []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.c", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.c",
	}}
	r.sh(home, `git init -q -b main 'a repo'; cd 'a repo'; echo a >a.txt; echo '*.o' >.gitignore; mkdir sub; echo b >sub/b.txt; git add .; git commit -q -m first`)
	return r
}

// sh runs a script, which must succeed, and returns its output.
func (r *repo) sh(dir, script string) string {
	r.Helper()
	c := exec.Command("sh", "-ec", script)
	c.Dir, c.Env = dir, r.environ
	out, err := c.CombinedOutput()
	if err != nil {
		r.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) enter(name string, environ ...string) (*Worktree, error) {
	return Enter(r.Context(), Options{Dir: filepath.Join(r.dir, "sub"), Name: name, Environ: append(r.environ, environ...), Launcher: process.NewLauncher()})
}

func (r *repo) mustEnter(name string) *Worktree {
	r.Helper()
	w, err := r.enter(name)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(w.Close)
	return w
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func TestEnter(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.sh(r.dir, `printf '#!/bin/sh\ntouch "`+r.dir+`/ran"\n' >.git/hooks/post-checkout; cp .git/hooks/post-checkout .git/hooks/reference-transaction; chmod +x .git/hooks/*
git config core.fsmonitor "$PWD/.git/hooks/post-checkout"; printf /mine >.git/info/exclude`)
	w := r.mustEnter("fix/1")
	if want := filepath.Join(r.dir, ".gemini/worktrees/fix/1"); w.Path != want || w.Root != r.dir || !w.IsNew || !w.IsEntered {
		t.Errorf("%+v", w)
	}
	if got := r.sh(w.Path, "cat sub/b.txt; git symbolic-ref HEAD"); got != "b\nrefs/heads/worktree-fix/1" {
		t.Error(got)
	}
	if got := r.sh(r.dir, "git -c core.fsmonitor=false status --porcelain; cat .git/info/exclude"); got != "/mine\n/.gemini/worktrees/" {
		t.Error(got)
	}
	if exists(filepath.Join(r.dir, "ran")) {
		t.Error("a hook ran")
	}
	if again := r.mustEnter("fix/1"); again.IsNew || again.Path != w.Path {
		t.Errorf("%+v", again)
	}
	for _, other := range []string{w.Path, filepath.Join(w.Path, "sub")} {
		if found := Find(other); found == nil || found.Path != w.Path || found.Name != "fix/1" || found.IsEntered {
			t.Errorf("Find(%s): %+v", other, found)
		}
	}
}

// TestEnterInGitHook enters a worktree with the variables that git sets for hooks.
func TestEnterInGitHook(t *testing.T) {
	t.Parallel()
	r, other := newRepo(t), newRepo(t)
	w, err := r.enter("x", "GIT_DIR="+other.dir+"/.git", "GIT_WORK_TREE="+other.dir, "GIT_INDEX_FILE="+other.dir+"/.git/index")
	if err != nil || w.Root != r.dir {
		t.Fatalf("%+v %v", w, err)
	}
	w.Close()
}

func TestEnterAgain(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"directory removed":            `rm -rf "$W"`,
		"removed with git":             `git worktree remove "$W"`,
		"branch removed, too":          `git worktree remove "$W"; git branch -q -D worktree-x`,
		"directory empty":              `git worktree remove "$W"; mkdir -p "$W"; rmdir "$W"`,
		"another branch checked out":   `git -C "$W" checkout -q -b mine`,
		"the repository's own ignores": `git worktree remove "$W"; echo .gemini >.gitignore`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			w := r.mustEnter("x")
			w.Close()
			r.sh(r.dir, "W='"+w.Path+"'; "+script)
			if again := r.mustEnter("x"); !exists(filepath.Join(again.Path, "a.txt")) {
				t.Error("no files")
			}
		})
	}
}

func TestEnterAtOnce(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	var wait sync.WaitGroup
	created := make(chan bool, 8)
	for range cap(created) {
		wait.Go(func() {
			w, err := r.enter("x")
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			created <- w.IsNew
		})
	}
	wait.Wait()
	close(created)
	n := 0
	for isNew := range created {
		if isNew {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d sessions created it", n)
	}
}

func TestEnterRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ script, want string }{
		"a filter":                {`git config filter.x.smudge cat`, "(filter.x.smudge)"},
		"an included filter":      {`printf '[filter "x"]\n\tprocess = cat\n' >evil; git config include.path ../evil`, "(filter.x.process)"},
		"a partial clone":         {`git config remote.origin.promisor true`, "(remote.origin.promisor)"},
		"a worktree's filter":     {`git config extensions.worktreeConfig true; git config --worktree filter.x.smudge cat`, "(filter.x.smudge)"},
		"a huge configuration":    {`yes '[a "bcdefghijklmnopqrstuvwxyz"] c' | head -50000 >>.git/config`, "larger than 1 MB"},
		"a link":                  {`mkdir .gemini; ln -s ../sub .gemini/worktrees`, "worktrees is not a directory"},
		"a directory":             {`mkdir -p .gemini/worktrees/x`, "it is not a worktree of"},
		"a forged worktree":       {`mkdir -p .gemini/worktrees/x; echo "gitdir: $PWD/.git" >.gemini/worktrees/x/.git`, "it is not a worktree of"},
		"a moved repository":      {`git worktree add -q .gemini/worktrees/x; mv .git/worktrees/x .git/worktrees/y`, "is gone: there is no "},
		"an interrupted creation": {`git worktree add -q .gemini/worktrees/x; git worktree lock --reason initializing .gemini/worktrees/x`, "was interrupted. To remove what is left, run: git worktree remove --force --force '"},
		"a damaged repository":    {`echo nonsense >.git/HEAD`, "not a git repository"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.sh(r.dir, tt.script)
			if w, err := r.enter("x"); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%+v %v", w, err)
			}
			if exists(filepath.Join(r.dir, ".git/refs/heads/worktree-x")) {
				t.Error("there is a branch")
			}
		})
	}
}

func TestEnterReadOnly(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	r := newRepo(t)
	r.sh(r.dir, "chmod a-w .")
	t.Cleanup(func() { r.sh(r.dir, "chmod u+w .") })
	if _, err := r.enter("x"); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
}

func TestCheckName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"x", "fix/1", "2026-11-21", "Ünïcode", "a.b", "a_b@c", newName()} {
		if err := checkName(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{
		"..", "../x", "a/../b", "/x", "x/", "a//b", "-x", "a/-x", ".x", "a/.git", "x.", "x.lock", "x.LOCK", "a b", "a\nb", "a\x00b",
		"a\xff", "a:b", "a~1", "a^", "a?", "*", "a[", `a\b`, "@{u}", "$(x)", "`x`", "a;b", "a\u202eb", strings.Repeat("x", 201),
	} {
		if err := checkName(name); err == nil {
			t.Errorf("%q is valid", name)
		}
	}
}

func TestFindRefuses(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := r.mustEnter("x")
	r.sh(r.dir, `cp -r .gemini/worktrees/x .gemini/worktrees/copy; mkdir -p .gemini/worktrees/plain/deep; git worktree add -q ../outside
mkdir -p other/.gemini/worktrees/y; git -C other init -q; git worktree add -q other/.gemini/worktrees/y/z`)
	for _, dir := range []string{
		r.dir, filepath.Dir(w.Path), filepath.Join(r.dir, ".gemini/worktrees/copy"), filepath.Join(r.dir, ".gemini/worktrees/plain/deep"),
		filepath.Join(r.dir, "../outside"), filepath.Join(r.dir, "other/.gemini/worktrees/y/z"),
	} {
		if found := Find(dir); found != nil {
			t.Errorf("Find(%s): %+v", dir, found)
		}
	}
}

// TestInspect changes a worktree in one way each.
func TestInspect(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ script, want string }{
		"nothing":                     {`true`, ""},
		"an empty directory":          {`mkdir empty`, ""},
		"a new file":                  {`echo x >new`, "1 changed or new file"},
		"a new directory":             {`mkdir d; echo x >d/1; echo x >d/2; echo y >a.txt; rm sub/b.txt`, "3 changed or new files"},
		"a staged file":               {`echo x >new; git add new; rm new`, "1 changed or new file"},
		"an ignored file":             {`echo x >x.o`, "1 ignored file or directory"},
		"a commit":                    {`git commit -q --allow-empty -m second`, "1 commit that is on no other branch"},
		"commits on a second branch":  {`git commit -q --allow-empty -m 2; git commit -q --allow-empty -m 3; git branch other`, "commits that are on other branches too"},
		"a commit that was discarded": {`git commit -q --allow-empty -m second; git reset -q --hard HEAD~1`, "1 commit that is on no other branch"},
		"an amended commit":           {`git commit -q --allow-empty -m 2; git commit -q --amend --allow-empty -m 3`, "2 commits that are on no other branch"},
		"a detached HEAD":             {`git checkout -q --detach`, "another branch than worktree-x is checked out"},
		"a detached commit":           {`git checkout -q --detach; git commit -q --allow-empty -m 2; git checkout -q worktree-x`, "1 commit that is on no other branch"},
		"a reference":                 {`git update-ref refs/worktree/mine $(git commit-tree -m x HEAD^{tree})`, "1 commit that is on no other branch"},
		"a stash":                     {`echo x >a.txt; git stash -q`, "stashed changes of its branch"},
		"an unchecked file":           {`git update-index --assume-unchanged a.txt; echo x >a.txt`, "files that Git does not check for changes"},
		"a skipped file":              {`git update-index --skip-worktree a.txt; echo x >a.txt`, "files that Git does not check for changes"},
		"a submodule":                 {`git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),m; git commit -q -m m`, "1 commit that is on no other branch"},
		"files of a submodule":        {`git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),m; mkdir m; echo x >m/f`, "submodules"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			w := r.mustEnter("x")
			r.sh(w.Path, tt.script)
			removed, changes, err := w.Discard(t.Context())
			if err != nil || changes.String() != tt.want || removed != (tt.want == "") {
				t.Errorf("removed %v, %q, %v", removed, changes, err)
			}
			if got := exists(w.Path); got == removed {
				t.Errorf("the directory exists: %v", got)
			}
			if got := r.sh(r.dir, "git branch --list 'worktree-*'") != ""; got == removed {
				t.Errorf("the branch exists: %v", got)
			}
			if removed {
				return
			}
			if commit, err := w.Delete(t.Context()); err != nil || commit == "" {
				t.Error(commit, err)
			}
			if exists(w.Path) || exists(filepath.Join(r.dir, ".git/worktrees/x")) || r.sh(r.dir, "git branch --list 'worktree-*'") != "" {
				t.Error("it was not deleted")
			}
		})
	}
}

// A submodule that is not initialized holds nothing, and does not keep the worktree.
func TestDiscardEmptySubmodule(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.sh(r.dir, `git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),"mö d"; git commit -q -m m`)
	w := r.mustEnter("x")
	if removed, changes, err := w.Discard(t.Context()); !removed || err != nil || exists(w.Path) {
		t.Errorf("removed %v, %q, %v", removed, changes, err)
	}
}

// The error of a deletion names the newest lost commit, also if its branch has left it.
func TestDeleteNamesLostCommit(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := r.mustEnter("x")
	lost := r.sh(w.Path, `git commit -q --allow-empty -m second; git rev-parse --short HEAD; git reset -q --hard HEAD~1`)
	if commit, err := w.Delete(t.Context()); err != nil || commit != strings.TrimSpace(lost) {
		t.Errorf("%q, %v, want %q", commit, err, lost)
	}
}

func TestInspectRunsNothing(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := r.mustEnter("x")
	r.sh(w.Path, `git config filter.x.clean 'touch "`+r.dir+`/ran"; cat'; echo 'a.txt filter=x' >.gitattributes; touch a.txt`)
	if removed, _, err := w.Discard(t.Context()); removed || err == nil || exists(filepath.Join(r.dir, "ran")) {
		t.Errorf("removed %v, %v", removed, err)
	}
}

// TestInspectElsewhere has git compare other files than those of the worktree.
func TestInspectElsewhere(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := r.mustEnter("x")
	r.sh(w.Path, `git worktree add -q --detach ../clean; echo mine >mine.txt; git config extensions.worktreeConfig true; git config --worktree core.worktree "$PWD/../clean"`)
	if removed, changes, err := w.Discard(t.Context()); removed || err == nil || !strings.Contains(err.Error(), "core.worktree") {
		t.Errorf("removed %v, %q, %v", removed, changes, err)
	}
}

func TestDiscardRespects(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := r.mustEnter("x")
	other := r.mustEnter("x")
	if removed, changes, err := w.Discard(t.Context()); removed || err != nil || !changes.IsInUse || changes.IsEmpty() {
		t.Errorf("another session: removed %v, %+v, %v", removed, changes, err)
	}
	if _, err := w.Delete(t.Context()); err == nil {
		t.Error("deleted while another session uses it")
	}
	other.Close()
	r.sh(r.dir, `git worktree lock .gemini/worktrees/x`)
	if removed, _, err := w.Discard(t.Context()); removed || err == nil {
		t.Errorf("locked: removed %v, %v", removed, err)
	}
	r.sh(r.dir, `git worktree unlock .gemini/worktrees/x`)
	if removed, _, err := w.Discard(t.Context()); !removed || err != nil {
		t.Errorf("removed %v, %v", removed, err)
	}
}

func TestDiscardRespectsProcesses(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := r.mustEnter("x")
	ctx, cancel := context.WithCancel(t.Context())
	c := exec.CommandContext(ctx, "sh", "-c", "echo ready; read x")
	c.Dir = filepath.Join(w.Path, "sub")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = in.Close()
		_ = c.Wait()
	}()
	_, _ = out.Read(make([]byte, 10))
	if len(process.Inside(w.Path)) == 0 {
		t.Skip("this system does not show the working directories of processes")
	}
	if removed, changes, err := w.Discard(t.Context()); removed || err != nil || !strings.HasPrefix(changes.String(), "a running process (PID ") {
		t.Errorf("removed %v, %q, %v", removed, changes, err)
	}
}
