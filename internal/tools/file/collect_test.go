package file

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/workspace"
)

func TestCollect(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{
		"b.txt": "bee\n", "a.txt": "ay", "long.txt": lines(1, 2001), "logo.png": "\x89PNG", ".geminiignore": "hidden.txt\n", "hidden.txt": "h",
		"wide.txt": strings.Repeat("w", 2001) + "\nx\n",
	})
	got, err := Collect(t.Context(), w, Selection{Include: []string{"b.txt", "*.TXT", "logo.*"}, Filter: w.DefaultFilter()})
	if err != nil {
		t.Fatal(err)
	}
	var files []string // sorted by path: logo.png is before long.txt
	for _, f := range got.Files {
		text := f.Text
		if f.Media != nil {
			text = f.Media.MIMEType
		}
		files = append(files, w.Rel(f.Path)+": "+text)
	}
	want := []string{
		"a.txt: ay", "b.txt: bee\n", "logo.png: image/png",
		"long.txt: [WARNING: This is not all of the file, but lines 1-2000 of 2001. Read the rest of it with read_file.]\n\n" + lines(1, 2000),
		"wide.txt: [WARNING: " + shortenedNote + "]\n\n" + strings.Repeat("w", 2000) + cutMark + "\nx\n",
	}
	if !slices.Equal(files, want) {
		t.Errorf("files = %.2000q, want %.2000q", files, want)
	}
}

func TestCollectSkips(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{
		"logo.png": "\x89PNG", "dir/a.txt": "a", "dir/b.zip": "PK", "dir/node_modules/x.txt": "x", "dir/GEMINI.md": "m", "dir/.hidden": "h",
		".geminiignore": "hidden.txt\n", "hidden.txt": "h",
	})
	got, err := Collect(t.Context(), w, Selection{
		Include: []string{"*", "dir/**", "hidden.txt", "/etc/passwd", "dir", "none", "[", "../**"},
		Filter:  w.DefaultFilter(),
	})
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, f := range got.Files {
		files = append(files, w.Rel(f.Path))
	}
	if want := []string{".geminiignore", "dir/.hidden", "dir/a.txt"}; !slices.Equal(files, want) {
		t.Errorf("files = %q, want %q", files, want)
	}
	skipped := map[string]string{}
	for _, s := range got.Skipped {
		skipped[w.Rel(s.Path)] = s.Reason
		if s.Err != nil {
			t.Errorf("%s: %v", s.Path, s.Err)
		}
	}
	for path, reason := range map[string]string{
		"logo.png":   "asset file (image/pdf/audio) was not explicitly requested by name or extension",
		"hidden.txt": "ignored by the project's ignore files",
	} {
		if skipped[path] != reason {
			t.Errorf("%s: %q, want %q", path, skipped[path], reason)
		}
	}
	if len(skipped) != 3 { // and /etc/passwd
		t.Errorf("skipped = %q", skipped)
	}
}

// Names that look like globs are names first.
func TestCollectLiteralNames(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"[id].tsx": "literal", "i.tsx": "glob", "a b/[x]/{y}.txt": "deep"})
	got, err := Collect(t.Context(), w, Selection{Include: []string{"[id].tsx", `a b/\[x\]/**`, "none"}})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, f := range got.Files {
		text += f.Text + "\n"
	}
	if !strings.Contains(text, "literal") || !strings.Contains(text, "deep") || strings.Contains(text, "glob\n") {
		t.Errorf("text = %q", text)
	}
}

func TestCollectGlobs(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"d/a1.txt": "a", "d/b2.txt": "b", "d/c3.txt": "c"})
	for pattern, want := range map[string]int{"d/@(a|b)[[:digit:]].txt": 2, "d//?{2..3}.txt": 2, "d/!(a*).txt": 2, "**/!(d|e)": 3} {
		got, err := Collect(t.Context(), w, Selection{Include: []string{pattern}})
		if err != nil || len(got.Files) != want {
			t.Errorf("%s: %+v, %v", pattern, got, err)
		}
	}
}

func TestCollectLinks(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"real/a.txt": "a"})
	out := t.TempDir()
	put(t, filepath.Join(out, "secret.txt"), "s")
	for name, target := range map[string]string{
		"in.txt": "real/a.txt", "out.txt": filepath.Join(out, "secret.txt"), "dir.txt": "real", "gone.txt": "nowhere", "loop.txt": "loop.txt",
	} {
		if err := os.Symlink(target, filepath.Join(w.Root(), name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	got, err := Collect(t.Context(), w, Selection{Include: []string{"**/*.txt"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Files) != 2 || len(got.Skipped) != 1 || got.Skipped[0].Path != filepath.Join(w.Root(), "out.txt") {
		t.Errorf("%+v", got)
	}
}

// All of it is no more than a bounded amount.
func TestCollectIsBounded(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	text := strings.Repeat(strings.Repeat("x", 1999)+"\n", 2000)
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		files[name] = text
	}
	w := newWorkspace(t, files)
	got, err := Collect(t.Context(), w, Selection{Include: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Files) != 9 || len(got.Skipped) != 1 || got.Skipped[0].Reason != "more than 32MB in all" {
		t.Errorf("%d files, skipped %v", len(got.Files), got.Skipped)
	}
}

func TestCollectCancelled(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"a": "a"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, pattern := range []string{"**", "a"} {
		_, err := Collect(ctx, w, Selection{Include: []string{pattern}, Filter: workspace.Filter{}})
		if err == nil && pattern == "**" {
			t.Error("walked to the end")
		}
	}
}

// TestCollectInOddDirectory checks that no character in the path of the workspace means anything in a pattern.
func TestCollectInOddDirectory(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"[a]", "{x}", "{x,y}", "b*c", "q?", `back\slash`, "@(a)", "!(a)", "p(1)", "{1..3}", "Upper[B]"} {
		parent := t.TempDir()
		root := filepath.Join(parent, name, "w")
		for _, dir := range []string{root, filepath.Join(parent, "a", "w"), filepath.Join(parent, "x", "w"), filepath.Join(parent, "bbc", "w")} {
			put(t, filepath.Join(dir, "src", "one.txt"), "1")
			put(t, filepath.Join(dir, "two.md"), "2")
		}
		w, warnings := workspace.New(workspace.Options{Root: root, GitIgnore: true, GeminiIgnore: true})
		if len(warnings) > 0 {
			t.Fatal(warnings)
		}
		for pattern, want := range map[string]string{
			"**/*.txt":          "src/one.txt",
			"*.{md,txt}":        "two.md",
			"**/!(two).*":       "src/one.txt",
			"src/**":            "src/one.txt",
			"./src/../*.md":     "two.md",
			"two.md":            "two.md",
			root + "/**/*.txt":  "src/one.txt",
			root + "/!(one).md": "two.md",
			workspace.EscapeGlob(root) + "/**/on?.txt": "src/one.txt",
			root + "-not/**": "",
		} {
			got, err := Collect(t.Context(), w, Selection{Include: []string{pattern}, Filter: w.DefaultFilter()})
			if err != nil {
				t.Fatal(err)
			}
			var files []string
			for _, f := range got.Files {
				files = append(files, w.Rel(f.Path))
			}
			if text := strings.Join(files, " "); text != want {
				t.Errorf("in %s: %s is %q, not %q", name, pattern, text, want)
			}
		}
	}
}
