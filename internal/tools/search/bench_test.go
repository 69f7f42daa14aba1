package search_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pollux/internal/tools/search"
	"pollux/internal/workspace"
	"pollux/tool"
)

// benchDir is the repository that the benchmarks search; "" until one runs.
var benchDir string

// TestMain makes the random trees the same on each run, unless -rapid.seed or RAPID_SEED is set,
// as by make fuzz.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		_ = seed.Value.Set("1") // any number is valid
	}
	code := m.Run()
	if benchDir != "" {
		_ = os.RemoveAll(benchDir)
	}
	os.Exit(code)
}

// makeBench creates a repository of 50,000 small files, of which 5,000 are ignored. In every
// tenth directory, the name of one file ends in _target.md and one file contains a needle.
var makeBench = sync.OnceValue(func() error {
	var err error
	if benchDir, err = os.MkdirTemp("", "pollux-bench-"); err != nil {
		return err
	}
	text := strings.Repeat("The heron stands in the shallow water until the fish forgets it.\n", 3)
	for d := range 500 {
		sub := filepath.Join(benchDir, "src", fmt.Sprintf("group%02d", d/25), fmt.Sprintf("dir%03d", d))
		if d >= 450 {
			sub = filepath.Join(benchDir, "out", fmt.Sprintf("dir%03d", d))
		}
		if err := os.MkdirAll(sub, 0o755); err != nil {
			return err
		}
		for f := range 100 {
			name, body := fmt.Sprintf("file%02d.%s", f, []string{"go", "ts", "py", "md", "txt"}[f%5]), text
			if d%10 == 2 && f == 5 {
				name = "file05_target.md"
			}
			if d%10 == 2 && f == 7 {
				body += fmt.Sprintf("needle_%d_found\n", d)
			}
			if err := os.WriteFile(filepath.Join(sub, name), []byte(body), 0o644); err != nil {
				return err
			}
		}
	}
	if err := os.WriteFile(filepath.Join(benchDir, ".gitignore"), []byte("out/\n*.log\n"), 0o644); err != nil {
		return err
	}
	return os.Mkdir(filepath.Join(benchDir, ".git"), 0o755)
})

func benchSpace(b *testing.B) *workspace.Workspace {
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

func bench(b *testing.B, tl tool.Tool, want string, args map[string]any) {
	b.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		inv, err := tool.Build(tl, raw)
		if err != nil {
			b.Fatal(err)
		}
		res := inv.Run(b.Context(), tool.Host{})
		if res.Error != nil || !strings.HasPrefix(res.Content[0].Text, want) {
			b.Fatal(res)
		}
	}
}

func ripgrep(b *testing.B) string {
	b.Helper()
	rg, err := exec.LookPath("rg")
	if err != nil {
		b.Skip("no rg on PATH")
	}
	return rg
}

func command(b *testing.B, w *workspace.Workspace, name string, args ...string) {
	b.Helper()
	for b.Loop() {
		cmd := exec.Command(name, args...)
		cmd.Dir = w.Root()
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}

// The benchmarks search 45,000 files. For comparison, some run rg without the tool.

func BenchmarkGlob(b *testing.B) {
	w := benchSpace(b)
	bench(b, search.NewGlob(w), "Found 45 file(s)", map[string]any{"pattern": "**/*_target.md"})
}

func BenchmarkGlobRgAlone(b *testing.B) {
	rg := ripgrep(b)
	command(b, benchSpace(b), rg, "--files", "-g", "*_target.md")
}

func BenchmarkGrep(b *testing.B) {
	w := benchSpace(b)
	for _, p := range []struct{ name, pattern string }{
		{"literal", "needle_[0-9]+_found"},
		{"alternatives", "(nettle|needle_[0-9]+)_found"},
		{"free", "[a-e]{5}_[0-9]+|[m-o]ee[b-d]le"},
	} {
		args := map[string]any{"pattern": p.pattern}
		b.Run(p.name+"/here", func(b *testing.B) {
			bench(b, search.NewGrep(w, search.GrepOptions{}), "Found 45 matches", args)
		})
		b.Run(p.name+"/ripgrep", func(b *testing.B) {
			rg := ripgrep(b)
			bench(b, search.NewGrep(w, search.GrepOptions{Ripgrep: func() string { return rg }}), "Found 45 matches", args)
		})
		b.Run(p.name+"/rg alone", func(b *testing.B) {
			command(b, w, ripgrep(b), "-n", "-i", p.pattern)
		})
	}
}

// BenchmarkGrepCommon searches for words in all lines: the search stops counting at its bound.
func BenchmarkGrepCommon(b *testing.B) {
	w := benchSpace(b)
	for name, args := range map[string]map[string]any{
		"lines": {"pattern": "heron"},
		"names": {"pattern": "heron", "names_only": true},
	} {
		b.Run(name+"/here", func(b *testing.B) {
			bench(b, search.NewGrep(w, search.GrepOptions{}), "Found at least ", args)
		})
		b.Run(name+"/ripgrep", func(b *testing.B) {
			rg := ripgrep(b)
			bench(b, search.NewGrep(w, search.GrepOptions{Ripgrep: func() string { return rg }}), "Found at least ", args)
		})
	}
}
