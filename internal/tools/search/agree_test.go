package search_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/tools/search"
	"pollux/internal/workspace"
)

// TestEnginesAgree searches random trees with random ignore rules and patterns on both engines.
func TestEnginesAgree(t *testing.T) {
	t.Parallel()
	if len(engines(t, space(t, nil))) < 2 {
		t.Skip("no rg on PATH")
	}
	piece := rapid.SampledFrom([]string{"a", "b", "k", "s", "x1", "_", "é", "ſ", ".", "*", "+", "?", "|", "(", ")", "[ab]", "[^a]", `\w`, `\d`, `\s`, `\b`, `\B`, `\W`, "^", "$", "{2}", `\.`, `\/`, "-"})
	pattern := rapid.Custom(func(r *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 1, 6).Draw(r, "pieces"), "")
	})
	word := rapid.SampledFrom([]string{"a", "b", "ab", "K", "\u212a", "S", "ſ", "x1", "_", "é", "É", " ", "\t", "\n", "\n", "\r\n", ".", "-", "/", "\xff", "日本"})
	text := rapid.Custom(func(r *rapid.T) string {
		s := strings.Join(rapid.SliceOfN(word, 0, 30).Draw(r, "words"), "")
		return rapid.SampledFrom([]string{"", "", "", "", "\ufeff", "\x00"}).Draw(r, "start") + s
	})
	name := rapid.SampledFrom([]string{"a.txt", "b.go", "c.log", "d/e.go", "d/f.txt", "d/build/g.go", ".h.go", ".i/j.go", "k/l/m.txt", "n.TXT"})
	include := rapid.SampledFrom([]string{"", "", "*.go", "*.{go,txt}", "!*.go", "d/*", "d/**", "**/*.txt", ".*", "d", "!d", "[a-c].*", ".i/*", "/a.txt", "k/**/*.txt", "*.log", "*", "**/*", "*.*", "d/build/**", "**/build/*.go", "{build,k}/**", "build", "c*"})
	rule := rapid.SampledFrom([]string{"", "*.go", "d/", "/a.txt", "!b.go", "k/*", "**/m.txt", "d/**/g.go"})
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp("", "pollux-agree-")
		must(t, err)
		defer os.RemoveAll(dir)
		write(t, dir, rapid.MapOfN(name, text, 1, 6).Draw(r, "files"))
		write(t, dir, map[string]string{".git/": "", ".gitignore": strings.Join(rapid.SliceOfN(rule, 0, 3).Draw(r, "rules"), "\n")})
		w, _ := workspace.New(workspace.Options{Root: filepath.Clean(dir), GitIgnore: true})
		args := map[string]any{"pattern": pattern.Draw(r, "pattern"), "context": 0}
		if in := include.Draw(r, "include"); in != "" {
			args["include_pattern"] = in
		}
		for _, flag := range []string{"case_sensitive", "fixed_strings", "no_ignore", "names_only"} {
			args[flag] = rapid.Bool().Draw(r, flag)
		}
		got := map[string]string{}
		for engine, tl := range engines(t, w) {
			got[engine] = run(t, w, tl, args)
		}
		if got["here"] != got["ripgrep"] {
			r.Fatalf("here:\n%s\nripgrep:\n%s", got["here"], got["ripgrep"])
		}
	})
}

// FuzzGlob checks that the files which a pattern finds exist, and that no pattern takes too long.
func FuzzGlob(f *testing.F) {
	for _, p := range []string{"**/*.md", "{a,{b,c}}/*", "[!a-z]?", `\*`, "a/**/b/../c", "//", "**", "***/**a", "{", "}", "[", "[]", "a{,}"} {
		f.Add(p, true)
	}
	w := space(f, map[string]string{"a": "", "b/c.md": "", "b/{x}": "", "[a]": "", "d/e/f.md": ""})
	f.Fuzz(func(t *testing.T, pattern string, caseSensitive bool) {
		got := run(t, w, search.NewGlob(w), map[string]any{"pattern": pattern, "case_sensitive": caseSensitive})
		if !strings.HasPrefix(got, "Found ") {
			return
		}
		_, list, _ := strings.Cut(got, "(newest first):\n")
		for path := range strings.SplitSeq(list, "\n") {
			if fi, err := os.Stat(strings.Replace(path, "ROOT", w.Root(), 1)); err != nil || fi.IsDir() {
				t.Errorf("%q finds %q", pattern, path)
			}
		}
	})
}
