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
├───.geminiignore
├───.gitignore
├───a` + "\ufffd" + `b
├───README.md
├───.git/...
├───build/...
├───empty/
├───node_modules/...
├───private/...
└───src/
    ├───main.go
    └───lib/
        └───deep/
            └───x.go`
	if got := w.Tree(); got != want {
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
	tree := w.Tree()
	head, body, _ := strings.Cut(tree, "\n\n")
	if !strings.Contains(head, "...") {
		t.Errorf("the header does not say that something is missing: %s", head)
	}
	items := 0
	for line := range strings.Lines(body) {
		if strings.Contains(line, "───") && !strings.HasSuffix(strings.TrimSpace(line), "───...") {
			items++
		}
	}
	if items != 200 {
		t.Errorf("%d items, want 200:\n%s", items, tree)
	}
	for _, want := range []string{"├───d04/\n", "│   └───f29\n", "├───d05/\n", "│   └───...\n", "└───d29/..."} {
		if !strings.Contains(tree, want) {
			t.Errorf("no %q in\n%s", want, tree)
		}
	}
}

func TestTreeOfNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "gone")
	w, warnings := workspace.New(workspace.Options{Root: dir})
	if len(warnings) != 1 {
		t.Errorf("warnings %v, want one", warnings)
	}
	if got := w.Tree(); !strings.HasPrefix(got, "Error: Could not read directory ") {
		t.Errorf("got %q", got)
	}
}
