package undo_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/undo"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/internal/undo/undotest"
)

// kept returns the texts of the contents in the bases of a store.
func kept(t testing.TB, p *place) (texts string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(p.store.Dir(), "bases"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() != "pack" && strings.Trim(d.Name(), "0123456789") != "" {
			return err
		}
		data, err := os.ReadFile(path)
		texts += string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

const tracked = `
git init -q -b main; git config gc.auto 0; mkdir a; echo tracked one >a/one; echo tracked two >two; git add -A; git commit -qm 1
mkdir sub; cd sub; git init -q -b main; echo tracked three >three; git add -A; git commit -qm 1; git gc -q; cd ..
echo changed >two; echo untracked >x`

// TestGitHasContent copies nothing that a repository has.
func TestGitHasContent(t *testing.T) {
	t.Parallel()
	p := newPlace(t, tracked)
	undotest.SettleGit(t, filepath.Join(p.dir, "sub"), p.environ())
	before := undotest.Take(t, p.dir)
	if o := p.run(t, "true"); o != nil {
		t.Fatalf("operation %+v", o)
	}
	texts := kept(t, p)
	for text, want := range map[string]bool{"tracked one": false, "tracked three": false, "changed": true, "untracked": true} {
		if got := strings.Contains(texts, text); got != want {
			t.Errorf("%q in the base: %v, want %v", text, got, want)
		}
	}
	o := p.run(t, "echo more >>a/one; rm -rf sub x; echo y >two; git add -A; git commit -qm 2")
	p.undo(t, o.Number)
	if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
}

// TestGitLosesContent takes changes back of files whose contents the repository has lost in the same run or before.
func TestGitLosesContent(t *testing.T) {
	t.Parallel()
	for name, scripts := range map[string][]string{
		"repository and files":   {"rm -rf .git a sub"},
		"objects and files":      {"rm -rf .git/objects sub/.git/objects; rm a/one sub/three"},
		"damaged":                {"chmod -R u+w .git; find .git/objects -type f -exec sh -c 'for f do echo x >\"$f.x\"; mv \"$f.x\" \"$f\"; done' - {} +; rm -r a"},
		"repacked and rewritten": {"rm -r a; git add -A; git commit -q --amend -m 3; git reflog expire --expire=now --all; git gc -q --prune=now"},
		"objects before":         {"rm -rf .git/objects sub/.git/objects", "rm -r a sub/three"},
		"before":                 {"rm -rf .git sub/.git", "rm -r a sub"},
		"pruned before":          {"git rm -q --cached a/one; git commit -q --amend -m 3; git reflog expire --expire=now --all; git gc -q --prune=now", "rm -r a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, tracked)
			undotest.SettleGit(t, filepath.Join(p.dir, "sub"), p.environ())
			p.run(t, "true")
			if strings.Contains(kept(t, p), "tracked one") {
				t.Fatal("it was copied")
			}
			var pictures []undotest.Picture
			var numbers []int
			for _, script := range scripts {
				pictures = append(pictures, undotest.Take(t, p.dir))
				numbers = append(numbers, p.run(t, script).Number)
			}
			for i := len(numbers) - 1; i >= 0; i-- {
				p.undo(t, numbers[i])
				if diff := cmp.Diff(pictures[i], undotest.Take(t, p.dir)); diff != "" {
					t.Errorf("after undo of %q (-want +got):\n%s", scripts[i], diff)
				}
			}
			p.sh(t, "git fsck --no-progress; cd sub; git fsck --no-progress")
		})
	}
}

// TestPersonRemovesRepository keeps files whose repository the person has removed between two runs.
func TestPersonRemovesRepository(t *testing.T) {
	t.Parallel()
	p := newPlace(t, tracked)
	p.run(t, "true")
	p.sh(t, "rm -rf .git")
	before := undotest.Take(t, p.dir)
	o := p.run(t, "rm -r a two")
	p.undo(t, o.Number)
	if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
}

// TestGitLearns takes from the repository what it has got while the recorder ran.
func TestGitLearns(t *testing.T) {
	t.Parallel()
	p := newPlace(t, tracked)
	p.run(t, "true")
	p.sh(t, "echo tracked four >four; git add -A; git commit -qm 2")
	undotest.SettleGit(t, p.dir, p.environ())
	before := undotest.Take(t, p.dir)
	if o := p.run(t, "true"); o != nil {
		t.Fatalf("operation %+v", o.Changes)
	}
	if strings.Contains(kept(t, p), "tracked four") {
		t.Error("it was copied")
	}
	p.undo(t, p.run(t, "rm four").Number)
	if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
}

// TestOtherFileSystem copies tracked files if no other name of the objects can be kept.
func TestOtherFileSystem(t *testing.T) {
	t.Parallel()
	p := newPlace(t, tracked)
	other, err := os.MkdirTemp("/dev/shm", "pollux-test-")
	if err != nil {
		t.Skip("NOT TESTED: there is no other file system: ", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	here, err := state.Read(p.dir)
	there, failed := state.Read(other)
	if err != nil || failed != nil || here.Device == there.Device {
		t.Skip("NOT TESTED: there is no other file system")
	}
	p.store = store.Open(other, store.DefaultLimit)
	before := undotest.Take(t, p.dir)
	p.run(t, "true")
	if !strings.Contains(kept(t, p), "tracked one") {
		t.Error("it was not copied")
	}
	p.undo(t, p.run(t, "rm -rf .git a").Number)
	if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
}

// TestIndexIsRead takes changes of the index back after git has only looked at the files.
func TestIndexIsRead(t *testing.T) {
	t.Parallel()
	const add = "echo new >new; git add -A; git commit -qm 2"
	for _, c := range []struct {
		name, before, script, after string
		want                        []string // paths that have changed since
	}{
		{name: "status", script: add, after: "touch -d 2001-01-01 two; git status >/dev/null"},
		{name: "worktree", before: "git worktree add -q -b w ../tree; mv ../tree tree; git worktree repair tree", script: "cd tree; " + add, after: "cd tree; touch -d 2001-01-01 two; git status >/dev/null"},
		{name: "submodule", before: "mkdir .git/modules; cd sub; git init -q --separate-git-dir ../.git/modules/sub", script: "cd sub; " + add, after: "cd sub; touch -d 2001-01-01 three; git status >/dev/null"},
		{name: "add", script: add, after: "echo x >x; git add x", want: []string{".git/index"}},
		{name: "chmod", script: add, after: "git update-index --chmod=+x new", want: []string{".git/index"}},
		{name: "skip", script: add, after: "git update-index --skip-worktree new", want: []string{".git/index"}},
		{name: "assume", script: add, after: "git update-index --assume-unchanged new", want: []string{".git/index"}},
		{name: "intent", script: ": >zz; " + add, after: "git rm -q --cached zz; git add -N zz", want: []string{".git/index"}},
		{name: "more", script: add, after: "echo z >zz; git add zz", want: []string{".git/index"}},
		{name: "less", script: add, after: "git rm -q --cached x", want: []string{".git/index"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, tracked)
			p.sh(t, c.before)
			o := p.run(t, c.script)
			index := func() (text string) {
				err := filepath.WalkDir(filepath.Join(p.dir, ".git"), func(path string, d fs.DirEntry, err error) error {
					if err == nil && d.Name() == "index" {
						data, _ := os.ReadFile(path)
						text += string(data)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				return text
			}
			written := index()
			p.sh(t, c.after)
			if index() == written {
				t.Fatal("git has not written the index")
			}
			plan, err := revert.Make(t.Context(), p.store, []*store.Operation{read(t, p, o.Number)})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range plan.Problems() {
				if strings.Contains(s.Path, "/.git/") {
					rel, _ := filepath.Rel(p.dir, s.Path)
					got = append(got, rel)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("changed since (-want +got):\n%s", diff)
			}
		})
	}
}

// TestIndexIsReadBetween takes two changes back with a look by git between them.
func TestIndexIsReadBetween(t *testing.T) {
	t.Parallel()
	p := newPlace(t, tracked)
	before := undotest.Take(t, p.dir)
	first := p.run(t, "echo new >new; git add new")
	p.sh(t, "touch -d 2001-01-01 a/one; git status >/dev/null")
	second := p.run(t, "echo other >other; git add other")
	plan, err := revert.Make(t.Context(), p.store, []*store.Operation{read(t, p, second.Number), read(t, p, first.Number)})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range plan.Problems() {
		t.Errorf("%s: %s", s.Path, s.Problem)
	}
	b, err := p.store.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := plan.Apply(t.Context(), b, store.Header{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before[".git/index"], undotest.Take(t, p.dir)[".git/index"]); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
}

func read(t testing.TB, p *place, number int) *store.Operation {
	t.Helper()
	o, err := p.store.Read(number)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestOtherNames sees no change in files that have got another name elsewhere, as those that another session keeps by links.
func TestOtherNames(t *testing.T) {
	t.Parallel()
	for _, isUnwatched := range []bool{false, true} {
		p := newPlace(t, tracked+"; mkdir target; echo made >target/made; git gc -q; : >empty")
		o := p.options()
		o.Walked = walked(!isUnwatched)
		p.recorder.Close()
		p.recorder = undo.New(o)
		t.Cleanup(p.recorder.Close)
		if o := p.run(t, "for f in two x a/one target/made empty .git/objects/pack/*; do ln $f ../$(basename $f); done"); o != nil {
			for _, c := range o.Changes {
				t.Errorf("unwatched %v: %s has changed", isUnwatched, c.Path)
			}
		}
		if o := p.run(t, "rm ../two ../x; touch -r x y; echo UNtracked >x; touch -r y x; rm y"); o == nil || len(o.Changes) != 1 {
			t.Errorf("unwatched %v: operation %+v", isUnwatched, o)
		}
	}
}
