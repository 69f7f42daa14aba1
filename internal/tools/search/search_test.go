package search_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pollux/internal/tools/search"
	"pollux/internal/workspace"
	"pollux/tool"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write creates files in dir; a name that ends in a slash is a directory.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(path, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// space returns a workspace in a temporary git repository with these files.
func space(t testing.TB, files map[string]string, options ...func(*workspace.Options)) *workspace.Workspace {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, map[string]string{".git/": ""}) // a git repository for Pollux and for ripgrep
	write(t, dir, files)
	o := workspace.Options{Root: dir, GitIgnore: true, GeminiIgnore: true}
	for _, set := range options {
		set(&o)
	}
	w, warnings := workspace.New(o)
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	return w
}

// run runs a tool and returns the text for the model, with the root replaced by ROOT.
func run(t testing.TB, w *workspace.Workspace, tl tool.Tool, args map[string]any) string {
	t.Helper()
	return runContext(t, t.Context(), w, tl, args)
}

func runContext(t testing.TB, ctx context.Context, w *workspace.Workspace, tl tool.Tool, args map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(args)
	must(t, err)
	inv, err := tool.Build(tl, raw)
	if err != nil {
		return "invalid: " + strings.ReplaceAll(err.Error(), w.Root(), "ROOT")
	}
	res := inv.Run(ctx, tool.Host{})
	text := ""
	if res.Error != nil {
		text = string(res.Error.Type) + ": " + res.Error.Message
	} else {
		for _, p := range res.Content {
			text += p.Text
		}
	}
	return strings.ReplaceAll(text, w.Root(), "ROOT")
}

// engines returns the text search on each engine that is available.
func engines(t testing.TB, w *workspace.Workspace) map[string]tool.Tool {
	t.Helper()
	const limit = 2 * time.Minute // of a busy machine
	tools := map[string]tool.Tool{"here": search.NewGrep(w, search.GrepOptions{Timeout: limit})}
	if rg, err := exec.LookPath("rg"); err == nil {
		tools["ripgrep"] = search.NewGrep(w, search.GrepOptions{Timeout: limit, Ripgrep: func() string { return rg }})
	}
	return tools
}
