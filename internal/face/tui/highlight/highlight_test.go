package highlight

import (
	"fmt"
	"strings"
	"testing"
)

// notation writes tokens as kind(text), plain ones without a kind.
func notation(list []Token) string {
	var b strings.Builder
	for _, t := range list {
		if t.Kind == Plain {
			b.WriteString(t.Text)
			continue
		}
		fmt.Fprintf(&b, "%s(%s)", t.Kind, t.Text)
	}
	return b.String()
}

func TestLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ language, code, want string }{
		{"go", "func f(x int) { return \"a\\\"b\" } // c", `keyword(func) function(f)(x type(int)) { keyword(return) string("a\"b") } comment(// c)`},
		{"GoLang", "x := `a\nb` + 0x1F", "x operator(:=) string(`a)\nstring(b`) operator(+) number(0x1F)"},
		{"go", "a /* b\nc */ d", "a comment(/* b)\ncomment(c */) d"},
		{"go", "'a' 'b", "string('a') string('b)"},
		{"rust", "/* a /* b */ c */ let", "comment(/* a /* b */ c */) keyword(let)"},
		{"c", "/* a /* b */ int", "comment(/* a /* b */) type(int)"},
		{"rust", "fn f<'a>(c: &'a str) { 'x'; '\\n'; '\\u{1F600}' }", `keyword(fn) foperator(<)'aoperator(>)(coperator(:) operator(&)'a type(str)) { string('x'); string('\n'); string('\u{1F600}') }`},
		{"rust", "#[derive(Debug)]\nr#\"a\nb\"#", "meta(#[derive(Debug)])\nstring(r#\"a)\nstring(b\"#)"},
		{"python", "@app.route\ndef f(x):\n  '''a\n  b''' + rb'c'", "meta(@app.route)\nkeyword(def) function(f)(x)operator(:)\n  string('''a)\nstring(  b''') operator(+) string(rb'c')"},
		{"python", "'a\nb", "string('a)\nb"},
		{"js", "`a ${b}\nc` == 1.5e+3;", "string(`a ${b})\nstring(c`) operator(==) number(1.5e+3);"},
		{"c", "  #include <a>\nx # y", "  meta(#include) operator(<)aoperator(>)\nx # y"},
		{"cpp", `R"(a"b)" x`, `string(R"(a"b)") x`},
		{"csharp", `var s = @"a\" + $"b";`, `keyword(var) s operator(=) string(@"a\") operator(+) string($"b");`},
		{"ruby", "a = :b if @c::D", "a operator(=) number(:b) keyword(if) variable(@c)operator(::)type(D)"},
		{"php", "$a = 1; # x", "variable($a) operator(=) number(1); comment(# x)"},
		{"bash", "echo \"a\nb\" $X ${Y} $? a#b # c", "function(echo) string(\"a)\nstring(b\") variable($X) variable(${Y}) variable($?) a#b comment(# c)"},
		{"sql", "Select 'it''s' FROM t -- x", "keyword(Select) string('it''s') keyword(FROM) t comment(-- x)"},
		{"batch", "REM x\nremove", "comment(REM x)\nremove"},
		{"html", "<a href=\"x\">b &amp; c</a><!-- d\ne --> f", "keyword(<a) variable(href)operator(=)string(\"x\")keyword(>)b number(&amp;) ckeyword(</a>)comment(<!-- d)\ncomment(e -->) f"},
		{"html", "<a\n b='c'>1 < 2", "keyword(<a)\n variable(b)operator(=)string('c')keyword(>)1 < 2"},
		{"css", "a { color-x: #fff; margin: 3px } /* b */", "a { variable(color-x)operator(:) number(#fff); variable(margin)operator(:) number(3px) } comment(/* b */)"},
		{"json", `{"a": "b", "c": [1, true]} // d`, `{variable("a")operator(:) string("b"), variable("c")operator(:) [number(1), number(true)]} comment(// d)`},
		{"yaml", "- a-b: http://x # c\n  d: yes", "operator(-) variable(a-b)operator(:) httpoperator(:/)/x comment(# c)\n  variable(d)operator(:) number(yes)"},
		{"toml", "[a.b]\nc = 1 == 2", "meta([a.b])\nvariable(c) operator(=) number(1) operator(==) number(2)"},
		{"toml", `a = "b" = "c"`, `variable(a) operator(=) string("b") operator(=) string("c")`},
		{"dockerfile", "FROM a AS run\nRUN run", "keyword(FROM) a AS run\nkeyword(RUN) run"},
		{"makefile", "all: $(X)\n\techo", "variable(all)operator(:) variable($(X))\n\techo"},
		{"lua", "--[[ a\nb ]] local -- c", "comment(--[[ a)\ncomment(b ]]) keyword(local) comment(-- c)"},
		{"elixir", "x = %{a: :b, c: 1}", "x operator(=) operator(%){aoperator(:) number(:b), coperator(:) number(1)}"},
		{"haskell", "{- a {- b -} c -} f' = 'x'", "comment({- a {- b -} c -}) f' operator(=) string('x')"},
		{"diff", "--- a\n+++ b\n@@ 1\n+c\n-d\n e", "comment(--- a)\ncomment(+++ b)\nmeta(@@ 1)\nnumber(+c)\nvariable(-d)\n e"},
		{"markdown", "# a\n- b `c`\n```\nd\n```\n> e", "keyword(# a)\noperator(-) b string(`c`)\nstring(```)\nstring(d)\nstring(```)\ncomment(> e)"},
		{"zig", "@import(\"a\")", "meta(@import)(string(\"a\"))"},
		{"hcl", `resource "a" "b" { c = 1 }`, `keyword(resource) string("a") string("b") { variable(c) operator(=) number(1) }`},
		{"unknown", "func 'a", "func 'a"},
		{"", "func", "func"},
	} {
		var got []string
		for _, l := range Lines(tt.language, tt.code) {
			got = append(got, notation(l))
		}
		if got := strings.Join(got, "\n"); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.language, got, tt.want)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	count := func(lines [][]Token) (n int) {
		for _, l := range lines {
			for _, t := range l {
				if t.Kind != Plain {
					n++
				}
			}
		}
		return n
	}
	for _, tt := range []struct {
		name, code string
		want       int
	}{
		{"lines", strings.Repeat("if\n", MaxLines), MaxLines},
		{"too many lines", strings.Repeat("if\n", MaxLines+1), 0},
		{"columns", strings.Repeat("é", MaxColumns-3) + " if", 1},
		{"too many columns", strings.Repeat("é", MaxColumns-2) + " if", 0},
		{"after a long line", strings.Repeat(" ", MaxColumns+1) + "\nif", 1},
	} {
		if got := count(Lines("go", tt.code)); got != tt.want {
			t.Errorf("%s: %d tokens, want %d", tt.name, got, tt.want)
		}
	}
	s := NewScanner("go")
	for range MaxLines {
		s.Line("x")
	}
	if got := notation(s.Line("if")); got != "if" {
		t.Error("line after the limit of a stream:", got)
	}
}

// TestScannerCopy checks that a copy of a scanner continues by itself.
func TestScannerCopy(t *testing.T) {
	t.Parallel()
	s := NewScanner("go")
	s.Line("/* a")
	c := s
	if got := notation(c.Line("b */ if")); got != "comment(b */) keyword(if)" {
		t.Error(got)
	}
	if got := notation(s.Line("c")); got != "comment(c)" {
		t.Error(got)
	}
	var zero Scanner
	if got := notation(zero.Line("if")); got != "if" {
		t.Error(got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a.go": "go", "/x/y.PY": "python", `C:\a\b.ts`: "typescript", "Dockerfile": "dockerfile", "Dockerfile.dev": "dockerfile", "CMakeLists.txt": "cmake",
		"Makefile": "makefile", "GNUmakefile": "makefile", ".bashrc": "bash", "x.tar.gz": "", "x": "", "": "", "a.h": "c", "main.tf": "hcl", ".": "", "go": "",
	} {
		if got := ForFile(name); got != want {
			t.Errorf("ForFile(%q) = %q, want %q", name, got, want)
		}
	}
	for line, want := range map[string]string{
		"#!/bin/sh": "bash", "#!/usr/bin/env python3.12 -u": "python", "#!/usr/bin/env -S A=1 node --x": "javascript", "#! /usr/bin/perl -w": "perl",
		"#!": "", "#!/usr/bin/env": "", "/bin/sh": "", "#!/opt/other": "",
	} {
		if got := ForShebang(line); got != want {
			t.Errorf("ForShebang(%q) = %q, want %q", line, got, want)
		}
	}
	if got := ForName("TSX"); got != "typescript" {
		t.Error(got)
	}
}

// TestRows checks that each row can be prepared, and that no name or file belongs to two of them.
func TestRows(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for i := range rows {
		r := &rows[i]
		for _, w := range strings.Fields(r.names) {
			if seen[w] != "" || w != strings.ToLower(w) {
				t.Errorf("%s: name %q is in %s as well, or has capitals", r.names, w, seen[w])
			}
			seen[w] = r.names
		}
		for _, w := range strings.Fields(r.files) {
			if seen["file "+w] != "" || w != strings.ToLower(w) {
				t.Errorf("%s: file %q is in %s as well, or has capitals", r.names, w, seen["file "+w])
			}
			seen["file "+w] = r.names
		}
		if len(strings.Fields(r.block))%2 != 0 {
			t.Errorf("%s: half a comment", r.names)
		}
		for _, spec := range strings.Fields(r.quotes) {
			if at := strings.LastIndexByte(spec, ':'); at < 1 || strings.Trim(spec[at+1:], "emc") != "" {
				t.Errorf("%s: quote %q", r.names, spec)
			}
		}
		l := prepare(r)
		for _, k := range strings.Fields(r.keywords) {
			if got := l.words[k]; !r.isFolded && got != Keyword {
				t.Errorf("%s: %q is %s", r.names, k, got)
			}
		}
	}
	for _, k := range Kinds() {
		if (k.String() == "plain") != (k == Plain) {
			t.Errorf("kind %d has no name", k)
		}
	}
}

// FuzzLines checks that no row changes the text, and that no token is empty or beside one of its own kind.
func FuzzLines(f *testing.F) {
	for i := range rows {
		f.Add(uint8(i), "a /* b\n*/ \"c\\\" 'd' `e\n$x ${y @z #w :v <a b='c'>&amp; 0x1.5e+3 [k] = é\xff\\")
	}
	f.Fuzz(func(t *testing.T, i uint8, code string) {
		name := nameOf(int(i) % len(rows))
		lines := strings.Split(code, "\n")
		for n, list := range Lines(name, code) {
			var b strings.Builder
			for k, token := range list {
				if token.Text == "" || k > 0 && list[k-1].Kind == token.Kind {
					t.Fatalf("%s: token %d of %q: %v", name, k, lines[n], list)
				}
				b.WriteString(token.Text)
			}
			if b.String() != lines[n] {
				t.Fatalf("%s: %q became %q", name, lines[n], b.String())
			}
		}
	})
}

// BenchmarkLine measures hostile and usual lines. All must take about the same time per byte.
func BenchmarkLine(b *testing.B) {
	for _, tt := range []struct{ name, language, unit string }{
		{"usual", "go", "if err := f(x, 12); err != nil { return \"a\" } "},
		{"quotes", "rust", "'a"},
		{"dollars", "makefile", "$("},
		{"tags", "html", "<a '"},
		{"ticks", "markdown", "`"},
		{"comments", "rust", "/*"},
		{"brackets", "toml", "["},
	} {
		b.Run(tt.name, func(b *testing.B) {
			line := strings.Repeat(tt.unit, MaxColumns/len(tt.unit))
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				s := NewScanner(tt.language)
				s.Line(line)
			}
		})
	}
}
