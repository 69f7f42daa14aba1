package workspace_test

import (
	"flag"
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

// benchDir is the repository of the benchmarks, "" until one runs.
var benchDir string

// The trees that are compared with other programs are the same each time, unless -rapid.seed or
// RAPID_SEED is set, as make fuzz does.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		_ = seed.Value.Set("1") // it takes any number
	}
	code := m.Run()
	if benchDir != "" {
		_ = os.RemoveAll(benchDir)
	}
	os.Exit(code)
}

// makeBench makes a repository of 50,000 small files, 5,000 of them ignored. Those of a directory are links to one file: the
// benchmarks only see their names, and ext4 without a journal takes a minute for that many new files soon after others
// were removed.
var makeBench = sync.OnceValue(func() error {
	dir, err := os.MkdirTemp("", "pollux-bench-")
	if err != nil {
		return err
	}
	benchDir = dir
	text := strings.Repeat("The heron stands in the shallow water until the fish forgets it.\n", 3)
	for d := range 500 {
		sub := filepath.Join(dir, "src", fmt.Sprintf("group%02d", d/25), fmt.Sprintf("dir%03d", d))
		if d >= 450 {
			sub = filepath.Join(dir, "out", fmt.Sprintf("dir%03d", d))
		}
		if err := os.MkdirAll(sub, 0o755); err != nil {
			return err
		}
		for f := range 100 {
			ext := []string{"go", "ts", "py", "md", "txt"}[f%5]
			path := filepath.Join(sub, fmt.Sprintf("file%02d.%s", f, ext))
			if f == 0 {
				err = os.WriteFile(path, []byte(text), 0o644)
			} else {
				err = os.Link(filepath.Join(sub, "file00.go"), path)
			}
			if err != nil {
				return err
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("out/\n*.log\n"), 0o644); err != nil {
		return err
	}
	return os.Mkdir(filepath.Join(dir, ".git"), 0o755)
})

func benchRepo(b *testing.B) *workspace.Workspace {
	b.Helper()
	if err := makeBench(); err != nil {
		b.Fatal(err)
	}
	w, warnings := workspace.New(workspace.Options{Root: benchDir, GitIgnore: true, GeminiIgnore: true})
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
		err := w.Walk(b.Context(), w.Root(), workspace.WalkOptions{Filter: w.DefaultFilter()}, func(e workspace.Entry) error {
			if e.Name[0] != '.' {
				n.Add(1)
			}
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

// BenchmarkIgnored judges one file, five directories deep.
func BenchmarkIgnored(b *testing.B) {
	w := benchRepo(b)
	path := filepath.Join(w.Root(), "src", "group01", "dir025", "file00.go")
	b.ReportAllocs()
	for b.Loop() {
		if w.Ignored(path, false, w.DefaultFilter()) {
			b.Fatal("the file is ignored")
		}
	}
}

// BenchmarkRules walks with a .gitignore as large projects have.
func BenchmarkRules(b *testing.B) {
	if err := makeBench(); err != nil {
		b.Fatal(err)
	}
	rules := filepath.Join(b.TempDir(), "rules")
	text := ""
	for i := range 50 {
		text += fmt.Sprintf("*.ext%d\nname%d\n/path/to/%d\n**/deep%d/*.x\nwild*%d?\n", i, i, i, i, i)
	}
	if err := os.WriteFile(rules, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	w, _ := workspace.New(workspace.Options{Root: benchDir, GitIgnore: true, GeminiIgnore: true, IgnoreFiles: []string{rules}})
	for b.Loop() {
		err := w.Walk(b.Context(), w.Root(), workspace.WalkOptions{Filter: w.DefaultFilter()}, func(workspace.Entry) error { return nil })
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTree draws the top of the repository.
func BenchmarkTree(b *testing.B) {
	w := benchRepo(b)
	b.ReportAllocs()
	for b.Loop() {
		if len(w.Tree(200)) < 1000 {
			b.Fatal(w.Tree(200))
		}
	}
}
