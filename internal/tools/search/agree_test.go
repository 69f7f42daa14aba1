package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
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
		t.Skip("NOT TESTED: rg is not installed")
	}
	piece := rapid.SampledFrom([]string{"a", "b", "k", "s", "x1", "_", "é", "ſ", ".", "*", "+", "?", "|", "(", ")", "[ab]", "[^a]", `\w`, `\d`, `\s`, `\b`, `\B`, `\W`, "^", "$", "{2}", `\.`, `\/`, "-"})
	pattern := rapid.Custom(func(r *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 1, 6).Draw(r, "pieces"), "")
	})
	word := rapid.SampledFrom([]string{"a", "b", "ab", "K", "\u212a", "S", "ſ", "x1", "_", "é", "É", " ", "\t", "\n", "\n", "\r\n", ".", "-", "/", "\xff", "日本", "\xca\xfd\xbe\xdd", "\xce\xc4\xbc\xfe", "caf\xe9"}) // the last ones in GBK and Latin-1
	text := rapid.Custom(func(r *rapid.T) string {
		s := strings.Join(rapid.SliceOfN(word, 0, 30).Draw(r, "words"), "")
		return rapid.SampledFrom([]string{"", "", "", "", "\ufeff", "\x00"}).Draw(r, "start") + s
	})
	name := rapid.SampledFrom([]string{"a.txt", "b.go", "c.log", "d/e.go", "d/f.txt", "d/build/g.go", ".h.go", ".i/j.go", ".ssh/k.go", ".npmrc", "k/.env", "k/.git/l.go", ".pollux-undo-0/n.go", ".cache/m.go", "k/l/m.txt", "n.TXT"})
	include := rapid.SampledFrom([]string{"", "", "*.go", "*.{go,txt}", "!*.go", "d/*", "d/**", "**/*.txt", ".*", "d", "!d", "[a-c].*", ".i/*", "!.i", ".n*", "**/.ssh/*", "/a.txt", "./a.txt", "./*.go", "!./*.txt", "./d/**", "./**/*.go", "k/**/*.txt", "*.log", "*", "**/*", "*.*", "d/build/**", "**/build/*.go", "{build,k}/**", "build", "c*"})
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
		if rapid.Bool().Draw(r, "limited") {
			args["total_max_matches"] = rapid.IntRange(1, 8).Draw(r, "limit")
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

// TestSharedLimit searches random trees on both engines: each file with matches is shown or
// named, with the right counts, and no file has two matches more than another one that lacks some.
func TestSharedLimit(t *testing.T) {
	t.Parallel()
	header := regexp.MustCompile(`^Found (\d+) match(?:es)?(?: in (\d+) files?)? for pattern`)
	file := regexp.MustCompile(`(?m)^File: (\S+)(?: \(\d+ of (\d+) matches\))?\n((?:L\d+: .*\n)+)---`)
	rest := regexp.MustCompile(`(?m)^Not shown: (\d+) match`)
	named := regexp.MustCompile(`(d\d/\d\d\.txt) \((\d+)\)`)
	more := regexp.MustCompile(`and (\d+) more files`)
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp("", "pollux-shares-")
		must(t, err)
		defer os.RemoveAll(dir)
		want, total := map[string]int{}, 0
		files := map[string]string{".git/": ""}
		for i, n := range rapid.SliceOfN(rapid.IntRange(1, 12), 1, 40).Draw(r, "matches") {
			name := fmt.Sprintf("d%d/%02d.txt", i%3, i)
			want[name], files[name] = n, strings.Repeat("hay\nneedle\n", n)
			total += n
		}
		write(t, dir, files)
		w, _ := workspace.New(workspace.Options{Root: dir})
		limit := rapid.IntRange(1, 150).Draw(r, "limit")
		for engine, tl := range engines(t, w) {
			got := run(t, w, tl, map[string]any{"pattern": "needle", "context": 0, "total_max_matches": limit}) + "\n"
			if h := header.FindStringSubmatch(got); h == nil || h[1] != strconv.Itoa(total) || h[2] != "" && h[2] != strconv.Itoa(len(want)) {
				r.Fatalf("%s: %.100s", engine, got)
			}
			shown, least, most, isNamed := 0, limit, 0, map[string]bool{} // least of the files that lack some
			for _, f := range file.FindAllStringSubmatch(got, -1) {
				n := strings.Count(f[3], "\n")
				if f[2] == "" && n != want[f[1]] || f[2] != "" && f[2] != strconv.Itoa(want[f[1]]) {
					r.Fatalf("%s: %s has %d: %s", engine, f[1], want[f[1]], f[0])
				}
				if shown, most = shown+n, max(most, n); n < want[f[1]] {
					least = min(least, n)
				}
				isNamed[f[1]] = true
			}
			unnamed := 0
			if _, list, ok := strings.Cut(got, "Not shown: "); ok {
				for _, f := range named.FindAllStringSubmatch(list, -1) {
					if f[2] != strconv.Itoa(want[f[1]]) || isNamed[f[1]] {
						r.Fatalf("%s: %s", engine, got)
					}
					isNamed[f[1]], least = true, 0
				}
				if m := more.FindStringSubmatch(list); m != nil {
					unnamed, _ = strconv.Atoi(m[1])
				}
				if m := rest.FindStringSubmatch(got); m == nil || m[1] != strconv.Itoa(total-shown) {
					r.Fatalf("%s: %d not shown: %s", engine, total-shown, got)
				}
			}
			if shown != min(limit, total) || len(isNamed)+unnamed != len(want) || least < most-1 {
				r.Fatalf("%s: limit %d, %d shown of %d, %d files named of %d, from %d to %d: %s", engine, limit, shown, total, len(isNamed)+unnamed, len(want), least, most, got)
			}
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
			if fi, err := os.Stat(filepath.Join(w.Root(), path)); err != nil || fi.IsDir() {
				t.Errorf("%q finds %q", pattern, path)
			}
		}
	})
}

// TestGlobsFromHere checks globs that begin with "./" on both engines.
func TestGlobsFromHere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{".git/": "", "a.go": "owl", "b.txt": "owl", "d/c.go": "owl"})
	w, _ := workspace.New(workspace.Options{Root: dir})
	for glob, want := range map[string]string{"./a.go": "a.go", "./*.go": "a.go", "./d/*.go": "d/c.go", "./**/*.go": "a.go d/c.go", "!./*.go": "b.txt d/c.go"} {
		for engine, tl := range engines(t, w) {
			_, files, _ := strings.Cut(run(t, w, tl, map[string]any{"pattern": "owl", "include_pattern": glob, "names_only": true}), ":\n")
			if got := strings.Join(strings.Fields(files), " "); got != want {
				t.Errorf("%s, %s: %q, want %q", engine, glob, got, want)
			}
		}
	}
}
