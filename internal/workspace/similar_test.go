package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSimilar(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	for _, name := range []string{
		"cmd/main.go", "internal/search/grep.go", "internal/search/grep_test.go", "internal/file/read.ts", "internal/file/README.md", "web/app.jsx",
		"old/grep.go", "node_modules/x/grep.go", ".git/grep.go", "ignored/grep.go", ".env", "one/x", "two/x", "three/x", "four/x",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("ignored/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "elsewhere.py"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w, _ := New(Options{Root: dir, Include: []string{other}, GitIgnore: true})
	for _, c := range []struct {
		want string
		dirs bool
		like []string
	}{
		{"search/grep.go", false, []string{"internal/search/grep.go", "old/grep.go"}},
		{"internal/Search/grep.go", false, []string{"internal/search/grep.go", "old/grep.go"}},
		{"internal/file/readme.md", false, []string{"internal/file/README.md"}},
		{"internal/file/read.js", false, []string{"internal/file/read.ts"}},
		{"web/app.tsx", false, []string{"web/app.jsx"}},
		{"internal/search/grp.go", false, []string{"internal/search/grep.go", "old/grep.go"}},
		{"x", false, []string{"four/x", "one/x", "three/x"}},
		{"elsewere.py", false, []string{filepath.Join(w.Dirs()[1], "elsewhere.py")}},
		{".env", false, nil},
		{"quite/another.thing", false, nil},
		{"inernal/search", true, []string{"internal/search"}},
		{"serch", true, []string{"internal/search"}},
		{"Cmd", true, []string{"cmd"}},
		{"nowhere", true, nil},
		{"webs", true, []string{"web"}},
		{"grep_engine.go", false, []string{"old/grep.go", "internal/search/grep.go"}},
		{"internal/file/grep-x.py", false, nil},
		{"main_loop.go", false, []string{"cmd/main.go"}},
		{"mainframe.go", false, nil},
	} {
		if got := w.Similar(t.Context(), filepath.Join(w.Root(), c.want), c.dirs); !slices.Equal(got, c.like) {
			t.Errorf("%s: got %q, want %q", c.want, got, c.like)
		}
	}
}

func BenchmarkSimilar(b *testing.B) {
	dir := b.TempDir()
	for i := range 100 {
		sub := filepath.Join(dir, fmt.Sprint("dir", i))
		if err := os.Mkdir(sub, 0o755); err != nil {
			b.Fatal(err)
		}
		first := filepath.Join(sub, fmt.Sprintf("file%d_0.go", i))
		if err := os.WriteFile(first, nil, 0o644); err != nil {
			b.Fatal(err)
		}
		for k := 1; k < 200; k++ { // links are fast to make, see makeBench
			if err := os.Link(first, filepath.Join(sub, fmt.Sprintf("file%d_%d.go", i, k))); err != nil {
				b.Fatal(err)
			}
		}
	}
	w, _ := New(Options{Root: dir})
	for b.Loop() {
		if got := w.Similar(b.Context(), filepath.Join(dir, "fil7_7.go"), false); len(got) == 0 {
			b.Fatal(got)
		}
	}
}
