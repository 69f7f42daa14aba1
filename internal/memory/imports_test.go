package memory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/memory"
)

// project returns the text of the one memory file of a project, DIR standing
// for its directory.
func project(t *testing.T, p *place, m *memory.Memory) string {
	t.Helper()
	files := m.Files()
	if len(files) != 1 {
		t.Fatalf("files = %v, warnings %q", p.names(m), p.said)
	}
	return strings.ReplaceAll(files[0].Text, p.at("p"), "DIR")
}

func TestImportTree(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string // in p; "" is GEMINI.md
		want  string
		said  string
	}{
		"in place": {
			map[string]string{"": "See @./a.md, then\n@b.md.\n\n@sub/c.md end", "a.md": "A\n", "b.md.": "dot", "b.md": "no", "sub/c.md": "C"},
			"See <!-- Imported from: ./a.md -->\nA\n\n<!-- End of import from: ./a.md -->, then\n" +
				"<!-- Imported from: b.md. -->\ndot\n<!-- End of import from: b.md. -->\n\n" +
				"<!-- Imported from: sub/c.md -->\nC\n<!-- End of import from: sub/c.md --> end", "",
		},
		"relative to the file": {
			map[string]string{"": "@sub/a.md", "sub/a.md": "@b.md @../c.md", "sub/b.md": "B", "c.md": "C"},
			"<!-- Imported from: sub/a.md -->\n<!-- Imported from: b.md -->\nB\n<!-- End of import from: b.md --> " +
				"<!-- Imported from: ../c.md -->\nC\n<!-- End of import from: ../c.md -->\n<!-- End of import from: sub/a.md -->", "",
		},
		"itself": {
			map[string]string{"": "me: @GEMINI.md"},
			"me: <!-- File already processed: GEMINI.md -->", "",
		},
		"a circle": {
			map[string]string{"": "@a.md", "a.md": "@b.md", "b.md": "@./a.md"},
			"<!-- Imported from: a.md -->\n<!-- Imported from: b.md -->\n<!-- File already processed: ./a.md -->\n<!-- End of import from: b.md -->\n<!-- End of import from: a.md -->", "",
		},
		"twice, but no circle": {
			map[string]string{"": "@a.md @a.md", "a.md": "A"},
			"<!-- Imported from: a.md -->\nA\n<!-- End of import from: a.md --> <!-- Imported from: a.md -->\nA\n<!-- End of import from: a.md -->", "",
		},
		"deep": {
			map[string]string{"": "@f1.md", "f1.md": "@f2.md", "f2.md": "@f3.md", "f3.md": "@f4.md", "f4.md": "@f5.md", "f5.md": "@f6.md", "f6.md": "no"},
			"<!-- Imported from: f1.md -->\n<!-- Imported from: f2.md -->\n<!-- Imported from: f3.md -->\n<!-- Imported from: f4.md -->\n<!-- Imported from: f5.md -->\n@f6.md\n" +
				"<!-- End of import from: f5.md -->\n<!-- End of import from: f4.md -->\n<!-- End of import from: f3.md -->\n<!-- End of import from: f2.md -->\n<!-- End of import from: f1.md -->", "",
		},
		"people, packages, addresses": {
			map[string]string{"": "@someone me@example.com @angular/core @types/node (@./a.md) @. @.. @.gitignore @1.md @\n@", "a.md": "A"},
			"@someone me@example.com @angular/core @types/node (@./a.md) @. @.. @.gitignore @1.md @\n@", "",
		},
		"missing": {
			map[string]string{"": "@./gone @gone.md"},
			"<!-- Import failed: ./gone - no such file or directory --> <!-- Import failed: gone.md - no such file or directory -->",
			"Warning: Failed imports in /p/GEMINI.md: @./gone (no such file or directory), @gone.md (no such file or directory).",
		},
		"outside": {
			map[string]string{"": "@../secret.md @/etc/passwd @../../../../etc/passwd"},
			"<!-- Import failed: ../secret.md - Path traversal attempt --> <!-- Import failed: /etc/passwd - Path traversal attempt --> " +
				"<!-- Import failed: ../../../../etc/passwd - Path traversal attempt -->",
			"Warning: Failed imports in /p/GEMINI.md: @../secret.md (Path traversal attempt), @/etc/passwd (Path traversal attempt), @../../../../etc/passwd (Path traversal attempt).",
		},
		"addresses": {
			map[string]string{"": "@https://example.com/a.md @file:///etc/passwd"},
			"<!-- Import failed: https://example.com/a.md - Path traversal attempt --> <!-- Import failed: file:///etc/passwd - Path traversal attempt -->",
			"Warning: Failed imports in /p/GEMINI.md: @https://example.com/a.md (Path traversal attempt), @file:///etc/passwd (Path traversal attempt).",
		},
		"no files": {
			map[string]string{"": "@./dir/ @.env.md @./.env @./bin.md", "dir/x": "", ".env": "KEY=1", ".env.md": "E", "bin.md": "\x00\x01"},
			"<!-- Import failed: ./dir/ - is a directory --> <!-- Imported from: .env.md -->\nE\n<!-- End of import from: .env.md --> " +
				"<!-- Import failed: ./.env - tools cannot access it --> <!-- Import failed: ./bin.md - it is not a text file -->",
			"Warning: Failed imports in /p/GEMINI.md: @./dir/ (is a directory), @./.env (tools cannot access it), @./bin.md (it is not a text file).",
		},
		"code": {
			map[string]string{"": "`@a.md` ``x ` @a.md`` @a.md\n```sh\n@a.md\n```\n~~~\n@a.md\n~~~\n- one\n\n      ````\n      @a.md\n      ```\n      ````\nlone ` @a.md\n\nlone ` @a.md", "a.md": "A"},
			"`@a.md` ``x ` @a.md`` <!-- Imported from: a.md -->\nA\n<!-- End of import from: a.md -->\n```sh\n@a.md\n```\n~~~\n@a.md\n~~~\n- one\n\n      ````\n      @a.md\n      ```\n      ````\n" +
				"lone ` <!-- Imported from: a.md -->\nA\n<!-- End of import from: a.md -->\n\nlone ` <!-- Imported from: a.md -->\nA\n<!-- End of import from: a.md -->", "",
		},
		"open code": {map[string]string{"": "```\n@a.md\n``\n``` x\n", "a.md": "A"}, "```\n@a.md\n``\n``` x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{"p/.git/": "", "secret.md": "secret"})
			for name, text := range c.files {
				if name == "" {
					name = "GEMINI.md"
				}
				p.write("p/"+name, text)
			}
			if diff := cmp.Diff(c.want, project(t, p, memory.New(p.options()))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c.said == "" {
				p.wantSaid()
			} else {
				p.wantSaid(c.said)
			}
		})
	}
}

func TestImportFlat(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"p/.git/": "", "p/GEMINI.md": "top @a.md @b.md @gone.md @../out.md @GEMINI.md\n", "p/a.md": "A @b.md", "p/b.md": "\nB @c.md\n", "out.md": "no",
		"p/c.md": "C @1.md @a1.md", "p/a1.md": "@a2.md", "p/a2.md": "@a3.md", "p/a3.md": "@a4.md", "p/a4.md": "@a5.md", "p/a5.md": "deep",
	})
	o := p.options()
	o.Flat = true
	m := memory.New(o)
	var want []string
	for _, f := range [][2]string{
		{"GEMINI.md", "top @a.md @b.md @gone.md @../out.md @GEMINI.md"},
		{"b.md", "B @c.md"},
		{"c.md", "C @1.md @a1.md"},
		{"a1.md", "@a2.md"},
		{"a2.md", "@a3.md"},
		{"a3.md", "@a4.md"},
		{"a4.md", "@a5.md"},
		{"a5.md", "deep"},
		{"a.md", "A @b.md"},
	} {
		want = append(want, fmt.Sprintf("--- File: DIR/%s ---\n%s\n--- End of File: DIR/%[1]s ---", f[0], f[1]))
	}
	if diff := cmp.Diff(strings.Join(want, "\n\n"), project(t, p, m)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := len(m.Files()[0].Imports); n != 8 {
		t.Errorf("%d imports", n)
	}
	p.wantSaid()
}

// The project begins at its marker, not at the file.
func TestImportRoot(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"p/.git/": "", "p/shared.md": "shared", "p/s/GEMINI.md": "@../shared.md", "p/m/.git/": "", "p/m/GEMINI.md": "@../shared.md",
		"q/x.md": "x", "q/s/GEMINI.md": "@../x.md",
	})
	m := memory.New(p.options("p", "q"))
	for path, want := range map[string]string{"p/s": "\nshared\n", "p/m": "Path traversal", "q/s": "\nx\n"} {
		if got := m.Discover(p.at(path)); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestImportLinks(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"secret.md": "secret", "out/x.md": "secret", "p/.git/": "", "p/.git/config.md": "url", "p/real/in.md": "inside", "p/d/": "",
		"p/GEMINI.md": "1 @./in.md\n2 @./out.md\n3 @./way/x.md\n4 @./round.md\n5 @./git.md\n6 @./real/../../secret.md\n7 @d/up/secret.md",
	})
	p.link("p/in.md", "real/in.md")
	p.link("p/out.md", "../secret.md")
	p.link("p/way", "../out")
	p.link("p/round.md", "round.md")
	p.link("p/git.md", ".git/config.md")
	p.link("p/d/up", "../..")
	got := project(t, p, memory.New(p.options()))
	if strings.Contains(got, "secret\n") || strings.Contains(got, "url") || !strings.Contains(got, "\ninside\n") {
		t.Errorf("text = %q", got)
	}
	for i, want := range []string{"Imported from", "Path traversal attempt", "Path traversal attempt", "", "tools cannot access it", "Path traversal attempt", "Path traversal attempt"} {
		line := got[strings.Index(got, fmt.Sprint(i+1, " <!-- ")):]
		line, _, _ = strings.Cut(line, "-->")
		if !strings.Contains(line, want) || want != "Imported from" && !strings.Contains(line, "Import failed") {
			t.Errorf("%q, want %q", line, want)
		}
	}
}

// Neither fan-out nor size gets beyond the bounds.
func TestImportBounds(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"ten of ten of ten": {"": strings.Repeat("@f1.md\n", 10), "f1.md": strings.Repeat("@f2.md\n", 10), "f2.md": strings.Repeat("@f3.md\n", 10), "f3.md": strings.Repeat("@f4.md\n", 10), "f4.md": "\n"},
		"large ones":        {"": strings.Repeat("@f1.md\n", 100), "f1.md": strings.Repeat("x\n", 100<<10)},
		"missing ones":      {"": strings.Repeat("@./a\n", 40<<10)},
		"one of 5 MB":       {"": "@f1.md", "f1.md": strings.Repeat("0123456789abcde\n", 5<<16)},
	} {
		for _, flat := range []bool{false, true} {
			t.Run(fmt.Sprint(name, flat), func(t *testing.T) {
				t.Parallel()
				p := newPlace(t, map[string]string{"p/.git/": ""})
				for name, text := range files {
					if name == "" {
						name = "GEMINI.md"
					}
					p.write("p/"+name, text)
				}
				o := p.options()
				o.Flat = flat
				if got := project(t, p, memory.New(o)); len(got) > 1<<20+1000 {
					t.Errorf("%d bytes", len(got))
				}
			})
		}
	}
}

// Whatever a file contains, nothing outside of imports changes, and nothing from outside of the
// project gets in.
func FuzzImports(f *testing.F) {
	f.Add("See @./a.md and @../secret.md, `@a.md` and\n```\n@a.md\n```", "x @GEMINI.md", false)
	f.Add("@a.md @sub/link.md @/etc/hostname", "@a.md\n@../secret.md", true)
	f.Add("``a` @a.md ``` ~~~ @./a.md\n\n` @a.md", "A", false)
	f.Fuzz(func(t *testing.T, text, imported string, flat bool) {
		if strings.Contains(text+imported, "hunter2") {
			t.Skip()
		}
		dir := t.TempDir()
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		p := &place{t: t, dir: dir}
		p.write("p/.git/", "")
		p.write("p/GEMINI.md", text)
		p.write("p/a.md", imported)
		p.write("secret.md", "hunter2")
		p.write("p/sub/x.md", "x")
		p.link("p/sub/link.md", "../../secret.md")
		p.link("p/up", "..")
		o := p.options()
		o.Flat = flat
		files := memory.New(o).Files()
		if len(files) == 0 {
			return
		}
		got := files[0].Text
		if strings.Contains(got, "hunter2") {
			t.Fatalf("a secret got out: %q", got)
		}
		if flat || strings.ContainsRune(text, 0) || strings.ContainsRune(imported, 0) {
			return
		}
		// The words that do not begin with @ are still there, in order.
		rest := got
		for line := range strings.Lines(text) {
			for _, word := range strings.FieldsFunc(strings.ToValidUTF8(line, "\ufffd"), func(r rune) bool { return strings.ContainsRune(" \t\r\n\ufeff", r) }) {
				if strings.HasPrefix(word, "@") || strings.TrimSpace(word) != word {
					continue
				}
				_, after, ok := strings.Cut(rest, word)
				if !ok && len(files[0].Text) < 200<<10 {
					t.Fatalf("%q is gone from %q: %q", word, text, got)
				}
				rest = after
			}
		}
	})
}

func BenchmarkScan(b *testing.B) {
	p := newPlace(b, map[string]string{"p/.git/": ""})
	o := p.options()
	for name, text := range map[string]string{
		"prose":     strings.Repeat("Write to me@example.com or @someone about `code` like this.\n", 4000),
		"backticks": strings.Repeat("`` ` ``` ` @a.b ", 15000),
	} {
		b.Run(name, func(b *testing.B) {
			if err := os.WriteFile(p.at("p/GEMINI.md"), []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				memory.New(o).Files()
			}
		})
	}
}
