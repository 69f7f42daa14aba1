package workspace_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pollux/internal/workspace"
)

// bigRepo makes a repository of 50,000 small files, 5,000 of them ignored.
var bigRepo = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pollux-bench-")
	if err != nil {
		return "", err
	}
	text := strings.Repeat("The heron stands in the shallow water until the fish forgets it.\n", 3)
	for d := range 500 {
		sub := filepath.Join(dir, "src", fmt.Sprintf("group%02d", d/25), fmt.Sprintf("dir%03d", d))
		if d >= 450 {
			sub = filepath.Join(dir, "out", fmt.Sprintf("dir%03d", d))
		}
		if err := os.MkdirAll(sub, 0o755); err != nil {
			return dir, err
		}
		for f := range 100 {
			ext := []string{"go", "ts", "py", "md", "txt"}[f%5]
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("file%02d.%s", f, ext)), []byte(text), 0o644); err != nil {
				return dir, err
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("out/\n*.log\n"), 0o644); err != nil {
		return dir, err
	}
	return dir, exec.Command("git", "-C", dir, "init", "-q").Run()
})

func TestMain(m *testing.M) {
	made := false
	make := bigRepo
	bigRepo = func() (string, error) { made = true; return make() }
	code := m.Run()
	if made {
		dir, _ := make()
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

func benchRepo(b *testing.B) *workspace.Workspace {
	b.Helper()
	dir, err := bigRepo()
	if err != nil {
		b.Fatal(err)
	}
	w, warnings := workspace.New(workspace.Options{Root: dir, GitIgnore: true, GeminiIgnore: true})
	if len(warnings) > 0 {
		b.Fatal(warnings)
	}
	return w
}

// BenchmarkWalk lists 45,000 files; BenchmarkWalkRipgrep has rg do it.
func BenchmarkWalk(b *testing.B) {
	w := benchRepo(b)
	for b.Loop() {
		var n atomic.Int64
		err := w.Walk(b.Context(), w.Root(), workspace.WalkOptions{Filter: w.DefaultFilter(), SkipHidden: true}, func(workspace.Entry) error {
			n.Add(1)
			return nil
		})
		if err != nil || n.Load() != 45_000 {
			b.Fatal(n.Load(), err)
		}
	}
}

func BenchmarkWalkRipgrep(b *testing.B) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		b.Skip("no rg on PATH")
	}
	w := benchRepo(b)
	for b.Loop() {
		cmd := exec.Command(rg, "--files")
		cmd.Dir = w.Root()
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}
