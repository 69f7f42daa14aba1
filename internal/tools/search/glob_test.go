package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/internal/tools/search"
	"pollux/internal/workspace"
	"pollux/tool"
)

func TestGlob(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, name := range []string{
		"a.md", "B.MD", "src/c.md", "src/deep/d.md", "src/deep/e.ts", "src/x[1].md", "src/x1.md", "src/{y}.md", ".env", ".github/f.md",
		"node_modules/m/g.md", "out/h.md", "out/i.md", "skip.md", "sub/bower_components/j.md", "dist/k.md",
	} {
		files[name] = ""
	}
	files[".gitignore"] = "out/\n"
	files[".geminiignore"] = "skip.md\n"
	w := space(t, files)
	must(t, os.Symlink("a.md", filepath.Join(w.Root(), "link.md")))
	must(t, os.Symlink("src", filepath.Join(w.Root(), "linkdir.md")))
	must(t, os.Symlink("nowhere", filepath.Join(w.Root(), "dangling.md")))
	old := time.Now().Add(-48 * time.Hour)
	must(t, filepath.WalkDir(w.Root(), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "dangling.md" {
			return err
		}
		return os.Chtimes(path, old, old)
	}))
	for i, name := range []string{"src/c.md", "src/deep/d.md"} { // c is newer than d
		at := time.Now().Add(-time.Duration(i+1) * time.Hour)
		must(t, os.Chtimes(filepath.Join(w.Root(), name), at, at))
	}
	must(t, os.Remove(filepath.Join(w.Root(), "dangling.md")))
	glob := search.NewGlob(w)
	type args = map[string]any
	for _, tc := range []struct {
		name string
		args args
		want string // one line: the head; then the files
	}{
		{"everything", args{"pattern": "**/*.md"}, "Found 9 file(s) matching \"**/*.md\" within ROOT (3 additional files were ignored), sorted by modification time (newest first):\n" +
			"src/c.md src/deep/d.md .github/f.md B.MD a.md dist/k.md src/x1.md src/x[1].md src/{y}.md"},
		{"one directory", args{"pattern": "*.md", "case_sensitive": true}, "Found 1 file(s) matching \"*.md\" within ROOT (1 additional files were ignored), sorted by modification time (newest first):\na.md"},
		{"in a directory", args{"pattern": "deep/*", "dir_path": "src"}, "Found 2 file(s) matching \"deep/*\" within ROOT/src, sorted by modification time (newest first):\nsrc/deep/d.md src/deep/e.ts"},
		{"case", args{"pattern": "SRC/**/*.TS"}, "Found 1 file(s) matching \"SRC/**/*.TS\" within ROOT, sorted by modification time (newest first):\nsrc/deep/e.ts"},
		{"case counts", args{"pattern": "SRC/**/*.TS", "case_sensitive": true}, "No files found matching pattern \"SRC/**/*.TS\" within ROOT"},
		{"a name that is a pattern", args{"pattern": "src/x[1].md"}, "Found 1 file(s) matching \"src/x[1].md\" within ROOT, sorted by modification time (newest first):\nsrc/x[1].md"},
		{"a name with braces", args{"pattern": "src/{y}.md"}, "Found 1 file(s) matching \"src/{y}.md\" within ROOT, sorted by modification time (newest first):\nsrc/{y}.md"},
		{"braces", args{"pattern": "src/{c,deep/d}.md"}, "Found 2 file(s) matching \"src/{c,deep/d}.md\" within ROOT, sorted by modification time (newest first):\nsrc/c.md src/deep/d.md"},
		{"options", args{"pattern": "src/**/@(c|d|x{0..2}).?(m)d"}, "Found 3 file(s) matching \"src/**/@(c|d|x{0..2}).?(m)d\" within ROOT, sorted by modification time (newest first):\nsrc/c.md src/deep/d.md src/x1.md"},
		{"all but options", args{"pattern": "src//!(c|x*).md"}, "Found 1 file(s) matching \"src//!(c|x*).md\" within ROOT, sorted by modification time (newest first):\nsrc/{y}.md"},
		{"named classes", args{"pattern": "src/[[:alpha:]][[:digit:]].md"}, "Found 1 file(s) matching \"src/[[:alpha:]][[:digit:]].md\" within ROOT, sorted by modification time (newest first):\nsrc/x1.md"},
		{"secret names are listed", args{"pattern": ".env"}, "Found 1 file(s) matching \".env\" within ROOT, sorted by modification time (newest first):\n.env"},
		{"absolute", args{"pattern": w.Root() + "/src/*.md"}, "Found 4 file(s) matching \"ROOT/src/*.md\" within ROOT, sorted by modification time (newest first):\nsrc/c.md src/x1.md src/x[1].md src/{y}.md"},
		{"git's rules off", args{"pattern": "out/*", "respect_git_ignore": false}, "Found 2 file(s) matching \"out/*\" within ROOT, sorted by modification time (newest first):\nout/h.md out/i.md"},
		{"own rules off", args{"pattern": "skip.md", "respect_gemini_ignore": false}, "Found 1 file(s) matching \"skip.md\" within ROOT, sorted by modification time (newest first):\nskip.md"},
		{"all ignored", args{"pattern": "out/*"}, "No files found matching pattern \"out/*\" within ROOT (2 files were ignored)"},
		{"in directories below", args{"pattern": "d.m?"}, "No files found matching pattern \"d.m?\" within ROOT. \"**/d.m?\" matches 1 file."},
		{"directories are no files", args{"pattern": "src"}, "No files found matching pattern \"src\" within ROOT"},
		{"upwards", args{"pattern": "../*"}, "No files found matching pattern \"../*\" within ROOT"},
		{"in a link to a directory", args{"pattern": "linkdir.md/*.md"}, "No files found matching pattern \"linkdir.md/*.md\" within ROOT"},
		{"malformed", args{"pattern": "a[b"}, "glob_execution_error: Error during glob search operation: the pattern is malformed: a bracket or brace is not closed, or it ends in a backslash"},
		{"explosive", args{"pattern": strings.Repeat("{a,b,c}", 30)}, "glob_execution_error: Error during glob search operation: the pattern has too many alternatives in braces"},
		{"slow", args{"pattern": strings.Repeat("**/*a*/", 40) + "b"}, "No files found matching pattern \"" + strings.Repeat("**/*a*/", 40) + "b\" within ROOT"},
		{"empty", args{"pattern": "  "}, "invalid: The 'pattern' parameter cannot be empty."},
		{"no such directory", args{"pattern": "*", "dir_path": "gone"}, "invalid: Search path does not exist ROOT/gone"},
		{"a file", args{"pattern": "*", "dir_path": "a.md"}, "invalid: Search path is not a directory: ROOT/a.md"},
		{"missing", args{}, "invalid: params must have required property 'pattern'"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := run(t, w, glob, tc.args)
			head, list, _ := strings.Cut(got, "\n")
			list = strings.ReplaceAll(list, "\n", " ")
			if list != "" {
				head += "\n" + list
			}
			if head != tc.want {
				t.Errorf("got\n%s\nwant\n%s", head, tc.want)
			}
		})
	}
}

// TestGlobLinks checks that glob lists no links, whatever they lead to, as Gemini CLI does.
func TestGlobLinks(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	write(t, out, map[string]string{"x": ""})
	w := space(t, map[string]string{"dir/file": ""})
	for name, target := range map[string]string{
		"to-file": "dir/file", "to-link": "to-file", "to-dir": "dir", "to-nothing": "gone", "to-self": "to-self", "out": filepath.Join(out, "x"), "out-dir": out,
	} {
		must(t, os.Symlink(target, filepath.Join(w.Root(), name)))
	}
	got := run(t, w, search.NewGlob(w), map[string]any{"pattern": "**/*"})
	_, list, _ := strings.Cut(got, "\n")
	lines := strings.Split(list, "\n")
	slices.Sort(lines)
	if want := []string{"dir/file"}; !slices.Equal(lines, want) {
		t.Errorf("got %q, want %q", lines, want)
	}
}

// TestGlobOrder checks that files of the same age are sorted by path and that no file is
// listed twice.
func TestGlobOrder(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	var want []string
	for i := range 40 {
		name := fmt.Sprintf("d%d/%02d", i/10, i)
		files[name] = ""
		want = append(want, name)
	}
	w := space(t, files, func(o *workspace.Options) { o.Include = []string{"d1"} })
	now := time.Now()
	for age, at := range map[string]time.Time{"new": now.Add(-time.Hour), "old": now.Add(-48 * time.Hour)} {
		for name := range files {
			must(t, os.Chtimes(filepath.Join(w.Root(), name), at, at))
		}
		for range 5 {
			_, list, _ := strings.Cut(run(t, w, search.NewGlob(w), map[string]any{"pattern": "**/[0-9]*"}), "\n")
			if got := strings.Split(list, "\n"); !slices.Equal(got, want) {
				t.Fatalf("%s: got %q", age, got)
			}
		}
	}
}

func TestGlobAcrossDirectories(t *testing.T) {
	t.Parallel()
	second := t.TempDir()
	write(t, second, map[string]string{"b.txt": ""})
	w := space(t, map[string]string{"a.txt": ""}, func(o *workspace.Options) { o.Include = []string{second} })
	got := run(t, w, search.NewGlob(w), map[string]any{"pattern": "*.txt"})
	lines := strings.Split(got, "\n")
	if want := `Found 2 file(s) matching "*.txt" across 2 workspace directories, sorted by modification time (newest first):`; lines[0] != want {
		t.Errorf("got %q, want %q", lines[0], want)
	}
	want := []string{"a.txt", w.Dirs()[1] + "/b.txt"}
	slices.Sort(want)
	got2 := lines[1:]
	slices.Sort(got2)
	if fmt.Sprint(got2) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got2, want)
	}
}

// TestGlobLimit lists more files than the result may have bytes: the others are named with their
// directories.
func TestGlobLimit(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("d%d/%02d.txt", i%2, i)] = ""
	}
	w := space(t, files)
	inv, err := tool.Build(search.NewGlob(w), []byte(`{"pattern":"**/*.txt"}`))
	must(t, err)
	got := inv.Run(t.Context(), tool.Host{Limit: 100}).Content[0].Text
	want := regexp.MustCompile(`\n---\nNot listed: 30 files, in d\d/ \(\d+\), d\d/ \(\d+\)\. To see them, narrow the search with dir_path or a more precise pattern\.$`)
	if !strings.HasPrefix(got, "Found 40 file(s)") || !want.MatchString(got) || strings.Count(got, ".txt\n") != 10 {
		t.Errorf("got %s", got)
	}
}

// TestOddDirectory checks that no character in the path of the workspace means anything in a pattern.
func TestOddDirectory(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"[a]", "{x}", "{x,y}", "b*c", "q?", `back\slash`, "@(a)", "!(a)", "{1..3}"} {
		parent := t.TempDir()
		root := filepath.Join(parent, name, "w")
		for _, dir := range []string{root, filepath.Join(parent, "a", "w"), filepath.Join(parent, "x", "w"), filepath.Join(parent, "bbc", "w")} {
			write(t, dir, map[string]string{".git/": "", "src/[1].txt": "owl\n", "src/two.md": "owl\n"})
		}
		w, warnings := workspace.New(workspace.Options{Root: root, GitIgnore: true, GeminiIgnore: true})
		if len(warnings) > 0 {
			t.Fatal(warnings)
		}
		for _, dir := range []string{"", root, "src", filepath.Join(root, "src")} {
			for pattern, want := range map[string]string{
				"**/*.txt": "src/[1].txt", "**/*[!a-z].txt": "src/[1].txt", root + "/src/*.md": "src/two.md",
				workspace.EscapeGlob(root) + "/src/t*.md": "src/two.md", root + "/src/!(two).*": "src/[1].txt", root + "-not/**": "",
			} {
				args := map[string]any{"pattern": pattern}
				if dir != "" {
					args["dir_path"] = dir
				}
				got := run(t, w, search.NewGlob(w), args)
				if _, files, _ := strings.Cut(got, ":\n"); files != want {
					t.Errorf("in %s: glob %s in %q: %s", name, pattern, dir, got)
				}
				if strings.Contains(pattern, "!(") {
					continue // is no glob of ripgrep
				}
				args["include_pattern"], args["pattern"], args["names_only"] = pattern, "owl", true
				for engine, tl := range engines(t, w) {
					got := run(t, w, tl, args)
					if _, files, _ := strings.Cut(got, ":\n"); files != want {
						t.Errorf("in %s: %s: include %s in %q: %s", name, engine, pattern, dir, got)
					}
				}
			}
		}
	}
}
