package workspace_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/workspace"
)

// git runs git without the user's configuration.
func git(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	bin, err := exec.LookPath("git")
	if err != nil {
		t.Skip("NOT TESTED: git is not installed")
	}
	cmd := exec.Command(bin, append([]string{"-C", dir}, args...)...)
	cmd.Env = []string{"HOME=" + dir, "XDG_CONFIG_HOME=" + dir + "/.none", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 { // 1: nothing is ignored
		t.Fatalf("git %v: %v: %s", args, err, stderr.Bytes())
	}
	return stdout.String()
}

// write makes files; a name that ends in a slash is a directory.
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

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// compare checks that Ignored and Walk agree with git about all that is in dir.
func compare(t testing.TB, dir string) {
	t.Helper()
	w, warnings := workspace.New(workspace.Options{Root: dir})
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	filter := workspace.Filter{Git: true}
	var paths []string
	isDir := map[string]bool{}
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if rel == "." || err != nil {
			return err
		}
		if rel == ".git" {
			return filepath.SkipDir
		}
		paths = append(paths, rel)
		isDir[rel] = d.IsDir()
		return nil
	}))
	out := git(t, dir, strings.Join(paths, "\x00")+"\x00", "check-ignore", "--no-index", "--stdin", "-z")
	ignored := strings.Split(out, "\x00")
	for _, p := range paths {
		want := slices.Contains(ignored, p)
		if got := w.Ignored(filepath.Join(w.Root(), p), isDir[p], filter); got != want {
			t.Errorf("Ignored(%q) = %v, git says %v", p, got, want)
		}
	}
	walked := walk(t, w, w.Root(), workspace.WalkOptions{Filter: filter})
	var want []string
	for _, p := range paths {
		if !isDir[p] && !slices.Contains(ignored, p) {
			want = append(want, p)
		}
	}
	slices.Sort(want)
	if !slices.Equal(walked, want) {
		t.Errorf("Walk found %q, git says %q", walked, want)
	}
}

// TestLikeGit judges a tree of awkward names by one pattern at a time.
func TestLikeGit(t *testing.T) {
	t.Parallel()
	names := []string{
		"a", "b", "ab", "abc", "A", "a.log", "b.log", "a.log.txt", ".log", "x-1", "x_9", "x!", "x^", "x]", "x[", "x\\y", "#x", "!x",
		"x ", "x  y", " x", "x*", "x?", "é", "a b", "foobar", "foo/bar", "z/foo", "z/foobar", "lib/foo/bar", "lib/x/foo/bar", "foo/baz/bar", "foo/a/b/c", "bar/foo/bar", "build/out.o",
		"src/build/x", "src/build.go", "src/lib/foo.go", "src/lib/deep/er/foo.go", "doc/a.txt", "doc/sub/a.txt", "doc/sub/sub/a.txt",
		"a-b", "a--b", "z/.hidden", "z/[a]", "z/[ab", "tail\\", "dir.d/f", "fooX/bar", "foo/x/bar", "fooa/b/bar",
	}
	patterns := []string{
		"a", "/a", "a/", "foo", "foo/", "/foo/", "foo/bar", "/foo/bar", "foo/*", "foo/**", "**/bar", "**/foo/bar", "foo/**/bar", "foo/**/c",
		"**", "*", "/*", "/**", "**/", "*/", "*/*", "*.log", "*.l?g", "*.txt", "a*", "*b", "*a*", "a**", "**a", "foo**", "foo**bar", "foo**/bar", "**foo/bar", "fo*/b*",
		"[ab]", "[!a]", "[^a]", "[a-c]", "[c-a]", "[a", "[]", "[]]", "[!]]", "x[]]", "x[[]", "x[!-]1", "x[-_]?", "x[_-]?", `x[\]]`, `x[\\]y`, `x[a-\]]`, "[[:alpha:]]", "[[:digit:]]*", "x[[:punct:]]", "x[[:punct:]]*", "[[:nope:]]", "[[:alpha:]", "[[:]", "[[::]]", "x[[:space:]]*",
		`\#x`, "#x", `\!x`, "!x", `x\ `, "x ", "x   ", `x\  `, `x\\y`, `x\y`, `x\*`, `x\?`, `x\[`, `tail\`, `tail\\`, `\a`, `\foo/bar`, `foo\/bar`, `foo/**\/bar`,
		"é", "?", "??", "???", "a b", "a\tb", " x", "x*", "doc/*.txt", "doc/**/*.txt", "/doc/*/*.txt", "doc/sub", "sub/", "/sub", "**/sub/**", "src/*/foo.go", "src/**/foo.go", "src/**/**/foo.go", "**/**/foo.go", "src/***/foo.go",
		"//", "///a", "a//", "/", "!", "!/", ".", "..", "./a", "../a", "foo/../a", "foo/./bar", ".*", "*.*", ".log", "x!", "x]", "*[*", "*]*", "[!a-z]*", "A", "foo[/]bar", "foo?bar", "foo*bar", "foo[!a]bar",
	}
	const trees = 4
	for n := range trees {
		t.Run(fmt.Sprint("tree ", n+1), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			git(t, dir, "", "init", "-q")
			for _, n := range names {
				path := filepath.Join(dir, n)
				if fi, err := os.Stat(filepath.Dir(path)); err == nil && !fi.IsDir() {
					continue
				}
				_ = os.MkdirAll(filepath.Dir(path), 0o755)
				_ = os.WriteFile(path, nil, 0o644) // fails where a directory is: as good
			}
			for i := n; i < len(patterns); i += trees {
				t.Run(patterns[i], func(t *testing.T) {
					write(t, dir, map[string]string{".gitignore": patterns[i] + "\n"})
					compare(t, dir)
					// The negation of a pattern shows the files that the pattern hides.
					write(t, dir, map[string]string{".gitignore": "*\n!*/\n!" + patterns[i] + "\n"})
					compare(t, dir)
				})
			}
		})
	}
}

func TestIgnoreFilesLikeGit(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"CRLF":                  {".gitignore": "*.log\r\nbuild/\r\n", "a.log": "", "build/x": "", "a\r": "", "b": ""},
		"BOM":                   {".gitignore": "\ufeffa\nb\n", "a": "", "b": "", "c": ""},
		"BOM on second line":    {".gitignore": "b\n\ufeffa\n", "a": "", "b": "", "\ufeffa": ""},
		"no newline at the end": {".gitignore": "a\nb", "a": "", "b": "", "c": ""},
		"CR at the end":         {".gitignore": "a\nb\r", "b": "", "b\r": ""},
		"CR inside":             {".gitignore": "a\rb\n", "a\rb": "", "a": ""},
		"NUL":                   {".gitignore": "a\x00b\nc\n", "a": "", "ab": "", "c": ""},
		"empty":                 {".gitignore": "", "a": ""},
		"blank lines":           {".gitignore": "\n\n   \n\t\na\n", "a": "", "b": "", "\t": ""},
		"comments":              {".gitignore": "# a\n #b\na # c\n", "a": "", " #b": "", "a # c": "", "# a": ""},
		"last rule wins":        {".gitignore": "*.log\n!keep.log\nkeep.*\n!keep.log\n", "keep.log": "", "a.log": "", "keep.txt": ""},
		"nested": {
			".gitignore": "*.o\n/top\n", "top": "", "sub/top": "", "a.o": "", "sub/.gitignore": "!a.o\n/only\nx/y\n",
			"sub/a.o": "", "sub/only": "", "sub/deep/only": "", "sub/x/y": "", "sub/deep/x/y": "", "sub/deep/a.o": "", "x/y": "",
		},
		"ignored ancestor":       {".gitignore": "build/\n!build/keep\n", "build/keep": "", "build/.gitignore": "!*\n", "build/sub/keep": ""},
		"ancestor shown again":   {".gitignore": "build/*\n!build/keep/\n", "build/keep/a": "", "build/b": "", "build/sub/c": ""},
		"everything but one":     {".gitignore": "/*\n!/src\n/src/*\n!/src/go\n", "a": "", "src/b": "", "src/go/c": "", "src/go/d/e": ""},
		"info/exclude":           {".git/info/exclude": "secret\n*.tmp\n/here\n", ".gitignore": "!b.tmp\n", "secret": "", "sub/secret": "", "a.tmp": "", "b.tmp": "", "here": "", "sub/here": ""},
		"nested against exclude": {".git/info/exclude": "a\n", "sub/.gitignore": "!a\n", "a": "", "sub/a": ""},
		"directory as file":      {".gitignore/x": "", "a": ""},
		"dir rule and file":      {".gitignore": "target/\n", "target": "", "sub/target/x": ""},
		"many rules":             {".gitignore": strings.Repeat("nothing\n*.nothing\nno/thing\n", 5000) + "a\n", "a": "", "b": "", "sub/a": ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			git(t, dir, "", "init", "-q")
			write(t, dir, files)
			compare(t, dir)
		})
	}
}

// TestLikeGitRandom draws trees and ignore files from a small alphabet, where
// patterns hit often, and asks git about every path.
func TestLikeGitRandom(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"a", "b", "c", "ab", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[a-b]", `\a`, `\`, "[", "]", ".", "a.b", " ", `\ `, "!", "#"})
	line := rapid.Custom(func(r *rapid.T) string {
		p := strings.Join(rapid.SliceOfN(piece, 1, 6).Draw(r, "pieces"), "")
		return rapid.SampledFrom([]string{"", "", "!", "/"}).Draw(r, "start") + p + rapid.SampledFrom([]string{"", "", "/", " ", "\r"}).Draw(r, "end")
	})
	file := rapid.Custom(func(r *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line, 0, 5).Draw(r, "lines"), "\n")
	})
	name := rapid.SampledFrom([]string{"a", "b", "c", "ab", "ba", "a.b", "a b", "cab", "[", "]"})
	path := rapid.Custom(func(r *rapid.T) string {
		return strings.Join(rapid.SliceOfN(name, 1, 4).Draw(r, "names"), "/")
	})
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp("", "pollux-ignore-")
		must(t, err)
		defer os.RemoveAll(dir)
		git(t, dir, "", "init", "-q")
		for _, p := range rapid.SliceOfN(path, 1, 12).Draw(r, "paths") {
			p = filepath.Join(dir, p)
			if os.MkdirAll(filepath.Dir(p), 0o755) == nil {
				_ = os.WriteFile(p, nil, 0o644) // fails where a directory is
			}
		}
		must(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(file.Draw(r, "root")), 0o644))
		must(t, os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte(file.Draw(r, "exclude")), 0o644))
		if fi, err := os.Stat(filepath.Join(dir, "a")); err == nil && fi.IsDir() {
			must(t, os.WriteFile(filepath.Join(dir, "a", ".gitignore"), []byte(file.Draw(r, "nested")), 0o644))
		}
		compare(reporter{t, r}, dir)
	})
}

// reporter lets a helper fail a rapid check.
type reporter struct {
	testing.TB
	r *rapid.T
}

func (r reporter) Helper()                   {}
func (r reporter) Errorf(f string, a ...any) { r.r.Errorf(f, a...) }
func (r reporter) Fatal(a ...any)            { r.r.Fatal(fmt.Sprint(a...)) }

func walk(t testing.TB, w *workspace.Workspace, dir string, o workspace.WalkOptions) []string {
	t.Helper()
	found := make(chan string, 1<<16)
	must(t, w.Walk(t.Context(), dir, o, func(e workspace.Entry) error {
		found <- e.Rel()
		return nil
	}))
	close(found)
	var out []string
	for f := range found {
		out = append(out, f)
	}
	slices.Sort(out)
	return out
}
