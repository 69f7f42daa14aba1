//go:build unix

package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pollux/internal/workspace"
)

var everything = workspace.Filter{Git: true, Gemini: true}

func TestOwnIgnoreFiles(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{
		".gitignore": "*.gen\n", ".geminiignore": "*.key\n!shown.gen\n/only\n", "first": "!a.key\n", "second": "a.key\nb.txt\n",
		"a.key": "", "b.key": "", "b.txt": "", "shown.gen": "", "x.gen": "", "only": "", "sub/only": "", "sub/.geminiignore": "*\n", "sub/c.txt": "",
	})
	options := workspace.Options{Root: dir, IgnoreFiles: []string{"first", filepath.Join(dir, "second"), "missing"}}
	w, _ := workspace.New(options)
	ours := []string{".geminiignore", ".gitignore", "a.key", "first", "second", "shown.gen", "sub/.geminiignore", "sub/c.txt", "sub/only"}
	for _, tc := range []struct {
		name   string
		filter workspace.Filter
		git    bool
		want   []string
	}{
		{"without git", everything, false, append(slices.Clone(ours), "x.gen")},
		{"with git", everything, true, ours},
		{"git alone", workspace.Filter{Git: true}, true, []string{".geminiignore", ".gitignore", "a.key", "b.key", "b.txt", "first", "only", "second", "sub/.geminiignore", "sub/c.txt", "sub/only"}},
	} {
		if tc.git {
			must(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o755))
		}
		slices.Sort(tc.want)
		if got := walk(t, w, dir, workspace.WalkOptions{Filter: tc.filter}); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
		for _, name := range []string{"a.key", "b.key", "b.txt", "shown.gen", "x.gen", "only", "sub/only"} {
			if got, want := w.Ignored(filepath.Join(dir, name), false, tc.filter), !slices.Contains(tc.want, name); got != want {
				t.Errorf("%s: Ignored(%s) = %v", tc.name, name, got)
			}
		}
	}
}

// TestIgnoreFileChanges has rules count as soon as they are written.
func TestIgnoreFileChanges(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{".git/": "", "a": "", "b": ""})
	w, _ := workspace.New(workspace.Options{Root: dir})
	for i, want := range []string{"", "a", "b", "", "ab"} {
		write(t, dir, map[string]string{".gitignore": strings.Join(strings.Split(want, ""), "\n") + strings.Repeat("\n", i)})
		got := ""
		for _, name := range []string{"a", "b"} {
			if w.Ignored(filepath.Join(dir, name), false, everything) {
				got += name
			}
		}
		if got != want {
			t.Errorf("%d: %q is ignored, want %q", i, got, want)
		}
	}
}

func TestRepositories(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{
		".git/info/exclude": "outer\n", ".gitignore": "*.log\n/work/\n/vendor/\n",
		"work/.gitignore": "local\n", "work/a.log": "", "work/local": "", "work/outer": "", "work/deep/b.txt": "",
		"work/nested/.git/info/exclude": "inner\n", "work/nested/a.log": "", "work/nested/inner": "", "work/nested/outer": "",
		"work/tree/.git": "gitdir: ../../store/worktrees/tree\n", "store/worktrees/tree/commondir": "../..\n", "store/info/exclude": "shared\n",
		"work/tree/shared": "", "work/tree/kept": "",
		"work/odd/.git": "gitdir: " + strings.Repeat("x", 10_000), "work/odd/x": "",
	})
	// The workspace is a directory that its repository ignores: people still work there.
	w, _ := workspace.New(workspace.Options{Root: dir + "/work"})
	want := []string{".gitignore", "deep/b.txt", "nested/a.log", "nested/outer", "odd/x", "tree/kept"}
	if got := walk(t, w, w.Root(), workspace.WalkOptions{Filter: everything}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{".git/": "", ".gitignore": "secret\nprivate/\n", "secret": "", "private/x": "", "plain": "", "elsewhere/.gitignore": ""})
	for link, target := range map[string]string{"to-secret": "secret", "to-private": "private", "to-private-x": "private/x", "to-plain": "plain", "to-nothing": "gone", "loop": "loop", "up": ".."} {
		must(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	must(t, os.Symlink("../.gitignore", filepath.Join(dir, "elsewhere", "linked")))
	w, _ := workspace.New(workspace.Options{Root: dir})
	want := []string{".gitignore", "elsewhere/.gitignore", "elsewhere/linked", "loop", "plain", "to-nothing", "to-plain", "up"}
	if got := walk(t, w, dir, workspace.WalkOptions{Filter: everything}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for name, want := range map[string]bool{"to-secret": true, "to-private": true, "to-private-x": true, "to-plain": false, "loop": false} {
		if got := w.Ignored(filepath.Join(dir, name), false, everything); got != want {
			t.Errorf("Ignored(%s) = %v", name, got)
		}
	}
}

// TestIgnoreFilesThatAreNone would hang or fill the memory if they were read.
func TestIgnoreFilesThatAreNone(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{".git/info/": "", "a/x": "", "b/x": "", "c/x": "", "d/.gitignore/": "", "d/x": "", "e/x": "", "rules": "x\n"})
	must(t, syscall.Mkfifo(filepath.Join(dir, ".gitignore"), 0o600))
	must(t, syscall.Mkfifo(filepath.Join(dir, ".geminiignore"), 0o600))
	must(t, os.Symlink("/dev/zero", filepath.Join(dir, ".git", "info", "exclude")))
	must(t, os.Symlink("/dev/zero", filepath.Join(dir, "a", ".gitignore")))
	must(t, os.Symlink("../rules", filepath.Join(dir, "b", ".gitignore"))) // git follows no links here
	must(t, os.WriteFile(filepath.Join(dir, "c", ".gitignore"), []byte("x\n"), 0))
	must(t, os.Chmod(filepath.Join(dir, "c", ".gitignore"), 0))
	sparse, err := os.Create(filepath.Join(dir, "e", ".gitignore"))
	must(t, err)
	must(t, sparse.Truncate(3<<30))
	must(t, sparse.Close())
	w, _ := workspace.New(workspace.Options{Root: dir})
	got := walk(t, w, dir, workspace.WalkOptions{Filter: everything})
	for _, want := range []string{"a/x", "b/x", "d/x", "e/x"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in %q", want, got)
		}
	}
}

func TestHugeIgnoreFile(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{".git/": "", "a": "", "z": "", ".gitignore": "a\n" + strings.Repeat("# nothing\n", 1<<20) + "z\n"})
	w, _ := workspace.New(workspace.Options{Root: dir})
	if !w.Ignored(filepath.Join(dir, "a"), false, everything) {
		t.Error("the beginning of the file does not count")
	}
	if w.Ignored(filepath.Join(dir, "z"), false, everything) {
		t.Error("all of the file was read")
	}
}

func TestWalk(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{".git/x": "", ".gitignore": "out/\n", "a/b/c": "", "a/skip/d": "", ".hid/e": "", ".f": "", "out/deep/g": ""})
	w, _ := workspace.New(workspace.Options{Root: dir, GitIgnore: true})
	for _, tc := range []struct {
		name string
		o    workspace.WalkOptions
		want []string
	}{
		{"all", workspace.WalkOptions{}, []string{".f", ".git/x", ".gitignore", ".hid/e", "a/b/c", "a/skip/d", "out/deep/g"}},
		{"filter", workspace.WalkOptions{Filter: w.DefaultFilter()}, []string{".f", ".gitignore", ".hid/e", "a/b/c", "a/skip/d"}},
		{"prune", workspace.WalkOptions{Prune: func(rel, name string) bool { return rel == "a/skip" || name == "deep" || name == ".git" }}, []string{".f", ".gitignore", ".hid/e", "a/b/c"}},
	} {
		if got := walk(t, w, dir, tc.o); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
	ignored := 0
	must(t, w.Walk(t.Context(), dir+"/out", workspace.WalkOptions{Filter: w.DefaultFilter(), Ignored: true}, func(e workspace.Entry) error {
		if e.Ignored && e.Path() == dir+"/out/deep/g" {
			ignored++
		}
		return nil
	}))
	if ignored != 1 {
		t.Errorf("the ignored file was reported %d times", ignored)
	}
	if got := walk(t, w, dir+"/out", workspace.WalkOptions{Filter: w.DefaultFilter()}); len(got) > 0 {
		t.Errorf("found %q in an ignored directory", got)
	}
}

func TestWalkEnds(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d%d/f%d", i%30, i)] = ""
	}
	write(t, dir, files)
	w, _ := workspace.New(workspace.Options{Root: dir})
	boom := errors.New("boom")
	if err := w.Walk(t.Context(), dir, workspace.WalkOptions{}, func(workspace.Entry) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("got %v, want the callback's error", err)
	}
	if err := w.Walk(t.Context(), dir, workspace.WalkOptions{}, func(workspace.Entry) error { return fs.SkipAll }); err != nil {
		t.Errorf("got %v after SkipAll", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	if err := w.Walk(ctx, dir, workspace.WalkOptions{}, func(workspace.Entry) error { cancel(boom); return nil }); !errors.Is(err, boom) {
		t.Errorf("got %v, want the context's cause", err)
	}
	if err := w.Walk(t.Context(), filepath.Join(dir, "gone"), workspace.WalkOptions{}, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v for a missing directory", err)
	}
	if err := w.Walk(t.Context(), filepath.Join(dir, "d0", "f0"), workspace.WalkOptions{}, nil); err == nil {
		t.Error("walked a file")
	}
}
