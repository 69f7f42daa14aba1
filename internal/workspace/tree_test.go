package workspace_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/workspace"
)

func TestTree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "", "init", "-q")
	write(t, dir, map[string]string{
		"README.md": "", "a\nb": "", "debug.log": "", ".gitignore": "*.log\nbuild/\n", ".geminiignore": "private\n",
		"src/main.go": "", "src/lib/deep/x.go": "", "build/out": "", "node_modules/x/y.js": "", "private/key": "", "empty/": "",
	})
	w, _ := workspace.New(workspace.Options{Root: dir, GitIgnore: true, GeminiIgnore: true})
	want := `Showing up to 200 items (files + folders). Where ... stands there is more: it was ignored, or is beyond the limit of 200 items.

` + w.Root() + `/
  .geminiignore
  .gitignore
  a` + "\ufffd" + `b
  README.md
  .git/...
  build/...
  empty/
  node_modules/...
  private/...
  src/
    main.go
    lib/
      deep/
        x.go`
	if got := w.Tree(200); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTreeIsCut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{}
	for d := range 30 {
		for f := range 30 {
			files[fmt.Sprintf("d%02d/f%02d", d, f)] = ""
		}
	}
	write(t, dir, files)
	w, _ := workspace.New(workspace.Options{Root: dir})
	tree := w.Tree(200)
	head, body, _ := strings.Cut(tree, "\n\n")
	if !strings.Contains(head, "...") {
		t.Errorf("the header does not say that something is missing: %s", head)
	}
	items := 0
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "  ") && strings.TrimSpace(line) != "..." {
			items++
		}
	}
	if items != 200 {
		t.Errorf("%d items, want 200:\n%s", items, tree)
	}
	for _, want := range []string{"\n  d00/\n", "\n  d29/\n    f00\n    f01\n    f02\n    f03\n    f04\n    ..."} {
		if !strings.Contains(tree, want) {
			t.Errorf("no %q in\n%s", want, tree)
		}
	}
	short := w.Tree(10)
	_, body, _ = strings.Cut(short, "\n\n")
	want := w.Root() + "/"
	for d := range 10 { // there is no room for two items of each
		want += fmt.Sprintf("\n  d%02d/...", d)
	}
	if want += "\n  ..."; body != want || !strings.Contains(short, "up to 10 items") {
		t.Errorf("a tree of 10 items:\n%s\nwant\n%s", short, want)
	}
}

// A folder with many files leaves room for the others, at each level, and gets their unused room.
func TestTreeIsShared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{"src/main.go": "", "src/lib/a.go": "", "src/lib/deep/b.go": "", "zoo/z": ""}
	for i := range 500 {
		files[fmt.Sprintf("page%03d", i)] = ""
		files[fmt.Sprintf("data/row%03d", i)] = ""
	}
	write(t, dir, files)
	w, _ := workspace.New(workspace.Options{Root: dir})
	tree := w.Tree(200)
	for _, want := range []string{
		"\n  page099\n", "\n    row049\n",
		"\n  src/\n    main.go\n    lib/\n      a.go\n      deep/\n        b.go\n  zoo/\n    z",
	} {
		if !strings.Contains(tree, want) {
			t.Errorf("no %q in\n%s", want, tree)
		}
	}
	if n := strings.Count(tree, "page") + strings.Count(tree, "row") + len([]string{"data", "src", "main", "lib", "a", "deep", "b", "zoo", "z"}); n != 200 {
		t.Errorf("%d items, want 200", n)
	}
}

func TestTreeOfNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "gone")
	w, warnings := workspace.New(workspace.Options{Root: dir})
	if len(warnings) != 1 {
		t.Errorf("warnings %v, want one", warnings)
	}
	if got := w.Tree(200); !strings.HasPrefix(got, "Error: Could not read directory ") {
		t.Errorf("got %q", got)
	}
}
