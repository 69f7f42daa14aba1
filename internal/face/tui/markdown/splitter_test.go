package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pollux/internal/face/tui/styled"
)

// outline writes blocks as kind(source) with marks: ~ continues, ^ has a gap.
func outline(blocks []Block) string {
	var list []string
	for _, b := range blocks {
		mark := ""
		if b.Continues {
			mark += "~"
		}
		if b.HasGap {
			mark += "^"
		}
		list = append(list, fmt.Sprintf("%s%s(%s)", mark, b.Kind, strings.ReplaceAll(b.Source, "\n", "/")))
	}
	return strings.Join(list, " ")
}

func TestSplitter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"\n\n", "~blank(//)"},
		{"a", "paragraph(a)"},
		{"\n\na\nb\n\n\nc\n", "paragraph(//a/b/) ^paragraph(//c/)"},
		{"# a\nb\n## c ##\n", "heading(# a/) paragraph(b/) heading(## c ##/)"},
		{"#a\n####### b", "paragraph(#a/####### b)"},
		{"a\nb\n---\nc\n===", "heading(a/b/---/) heading(c/===)"},
		{"a\n\n---\nb\n***", "paragraph(a/) ^rule(/---/) paragraph(b/) rule(***)"},
		{"```go\na\n\nb\n```\nc", "code(```go/a/) ~code(/) ~code(b/) paragraph(```/c)"},
		{"a\n~~~\n```\n~~~~\nb", "paragraph(a/) code(~~~/```/) paragraph(~~~~/b)"},
		{"```\n```\n\na", "paragraph(```/```//a)"},
		{"```a`b\n", "paragraph(```a`b/)"},
		{"````\n```\n````", "code(````/```/) ~blank(````)"},
		{"    a\n\n    b\n\nc", "code(    a/) ~code(/    b/) ^paragraph(/c)"},
		{"a\n    b", "paragraph(a/    b)"},
		{"- a\n- b\n\n- c\nd\n\ne", "paragraph(- a/) paragraph(- b/) ^paragraph(/- c/d/) ^paragraph(/e)"},
		{"- a\n  - b\n    c\n\n  d\n", "paragraph(- a/) paragraph(  - b/    c/) ^paragraph(/  d/)"},
		{"-\n- a\n-\n\n  b", "paragraph(-/) paragraph(- a/) paragraph(-/) ^paragraph(/  b)"},
		{"-\n  a", "paragraph(-/  a)"},
		{"a\n2. b\n1. c\n3) d", "paragraph(a/2. b/) paragraph(1. c/) paragraph(3) d)"},
		{"a\n-\n", "heading(a/-/)"},
		{"- - -\n- - a", "rule(- - -/) paragraph(- - a)"},
		{"1. ```\n   a\n   ```\n2. b", "code(1. ```/   a/) paragraph(   ```/2. b)"},
		{"- ```\n  a\nb", "code(- ```/  a/) paragraph(b)"},
		{"> a\nb\n> - c\n>   d\n\n> e\nf", "paragraph(> a/b/) paragraph(> - c/>   d/) ^paragraph(/> e/f)"},
		{"> ```\n> a\nb", "code(> ```/> a/) paragraph(b)"},
		{">\n> a\n>\n> b", "paragraph(>/> a/) ^paragraph(>/> b)"},
		{"<div>\n*a*\n\nb\n<b>c</b>\n<!-- d\n\n-->\ne", "html(<div>/) ~html(*a*/) ^paragraph(/b/<b>c</b>/) html(<!-- d/) ~html(/) ~html(-->/) paragraph(e)"},
		{"<x a=\"b\">\nc", "html(<x a=\"b\">/) ~html(c)"},
		{"a | b\n--|--\n1 | 2\nc", "table(a | b/--|--/1 | 2/) paragraph(c)"},
		{"x\n|a|\n|-|\n|1|\n\n|2|", "paragraph(x/) table(|a|/|-|/|1|/) ^paragraph(/|2|)"},
		{"|a|b|\n|-|\n", "paragraph(|a|b|/|-|/)"},
		{"a\n|-|\n", "paragraph(a/|-|/)"},
		{"|a|\n|-|\n- |b|", "table(|a|/|-|/) paragraph(- |b|)"},
		{"a\r\n\r\n# b\r\n", "paragraph(a\r/) ^heading(\r/# b\r/)"},
		{"-      a\n  b", "code(-      a/) paragraph(  b)"},
		{"-\ta\n\n\tb", "paragraph(-\ta/) ^paragraph(/\tb)"},
	} {
		if got := outline(split(tt.text)); got != tt.want {
			t.Errorf("%q:\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// TestSplitterAtOnce checks when a block comes out, and that the rest is the open source.
func TestSplitterAtOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, done, open string }{
		{"# a\n", "heading(# a/)", ""},
		{"# a", "", "# a"},
		{"---\n", "rule(---/)", ""},
		{"a\n", "", "a\n"},
		{"a\nb", "", "a\nb"},
		{"a\n\n", "paragraph(a/)", "\n"},
		{"a\n\n\nb", "paragraph(a/)", "\n\nb"},
		{"- a\n- b", "", "- a\n- b"},
		{"- a\n- b\n", "paragraph(- a/)", "- b\n"},
		{"- a\n  - b\n", "paragraph(- a/)", "  - b\n"},
		{"```\na\nb", "code(```/a/)", "b"},
		{"```\n", "", "```\n"},
		{"|a|\n|-|\n|1|\n", "", "|a|\n|-|\n|1|\n"},
		{"|a|\n|-|\n|1|\n\n", "table(|a|/|-|/|1|/)", "\n"},
		{"x\n|a|\n|-|\n", "paragraph(x/)", "|a|\n|-|\n"},
		{"    a\n\n", "code(    a/)", "\n"},
	} {
		var s Splitter
		if got := outline(s.Add(tt.text)); got != tt.done || s.Open() != tt.open {
			t.Errorf("%q: done %s, open %q; want %s, %q", tt.text, got, s.Open(), tt.done, tt.open)
		}
	}
}

// TestPreview checks that a preview shows the open part as its end would, and changes nothing.
func TestPreview(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join("testdata", "rich.md"))
	if err != nil {
		t.Fatal(err)
	}
	r := &Renderer{Width: 80, Theme: testPalette()}
	var s Splitter
	var done, preview strings.Builder
	for i := range source {
		for _, b := range s.Add(string(source[i : i+1])) {
			done.WriteString(notation(r.Render(b)))
		}
		preview.Reset()
		for _, b := range s.Preview() {
			preview.WriteString(notation(r.Render(b)))
		}
		if i%97 == 0 {
			if got, want := done.String()+preview.String(), notation(render(r, string(source[:i+1]))); got != want {
				t.Fatalf("after %q:\ngot\n%s\nwant\n%s", source[max(i-30, 0):i+1], got, want)
			}
		}
	}
	if got, want := done.String()+preview.String(), notation(render(r, string(source))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPieces checks the limits of open text.
func TestPieces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		pieces     int // at least
		open       int // bytes at most
	}{
		{"words", strings.Repeat("word ", 100_000), 30, maxPiece},
		{"a word", strings.Repeat("é", 100_000), 12, maxPiece},
		{"lines", strings.Repeat("a line\n", 50_000), 21, maxPiece},
		{"lines of an item", "- a\n" + strings.Repeat("  a line\n", 50_000), 21, maxPiece + maxPiece/2},
		{"items", strings.Repeat("- a\n", 1000), 999, 10},
		{"items of an item", "- a\n" + strings.Repeat("  - b\n", 1000), 1000, 10},
		{"code", "```\n" + strings.Repeat("x\n", 5000), 5000, 0},
		{"rows", "|a|\n|-|\n" + strings.Repeat("|1|\n", 1000), 800, 4},
		{"a long row", "|a|\n|-|\n" + strings.Repeat("|1", 50_000), 6, maxPiece},
		{"a heading", "# " + strings.Repeat("word ", 10_000), 3, maxPiece},
		{"HTML", "<div>\n" + strings.Repeat("word ", 10_000), 4, maxPiece},
	} {
		var s Splitter
		blocks := s.Add(tt.text)
		if len(blocks) < tt.pieces || len(s.Open()) > tt.open {
			t.Errorf("%s: %d blocks, %d bytes open", tt.name, len(blocks), len(s.Open()))
		}
		for i, b := range blocks {
			if i > 0 && tt.name == "words" && (!b.Continues || !strings.HasSuffix(b.Source, " ")) || !utf8.ValidString(b.Source) {
				t.Errorf("%s: piece %d: %.20q, %t", tt.name, i, b.Source, b.Continues)
			}
		}
	}
}

// TestLongLine checks that the pieces of a long line are paragraphs, whatever they begin with.
func TestLongLine(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", "x", "xx", "xxx"} {
		blocks := split(before + strings.Repeat("a # ", maxPiece) + "\n")
		for i, b := range blocks {
			if b.Kind != Paragraph || b.Continues != (i > 0) {
				t.Errorf("%q: piece %d: %s %.20q, continues: %t", before, i, b.Kind, b.Source, b.Continues)
			}
		}
		if len(blocks) < 4 {
			t.Errorf("%q: %d pieces", before, len(blocks))
		}
	}
}

// FuzzSplitter checks that the chunks do not matter, that no source is lost, and that everything can be rendered.
func FuzzSplitter(f *testing.F) {
	source, err := os.ReadFile(filepath.Join("testdata", "rich.md"))
	if err != nil {
		f.Fatal(err)
	}
	for i, part := range strings.Split(string(source), "\n\n") {
		f.Add(part, uint8(i+1))
	}
	f.Add("- > 1. a\n\tb\r\n\x1b[31mred\x1b]8;;x\x07 &#27;[0m \xff\u202e $\\frac{a}{", uint8(3))
	f.Add(strings.Repeat("*a _b [c](", 300)+strings.Repeat("\n\n> ", 50), uint8(200))
	f.Add(strings.Repeat("long ", 4000)+"\n===\n", uint8(0))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		want := split(text)
		var s Splitter
		var got []Block
		var sources strings.Builder
		for rest, n := text, int(size); rest != ""; n = n*7%61 + 1 {
			n = min(max(n, 1), len(rest))
			got = append(got, s.Add(rest[:n])...)
			rest = rest[n:]
			s.Preview()
		}
		open := s.Open()
		for _, b := range got {
			sources.WriteString(b.Source)
		}
		if sources.String()+open != text {
			t.Fatalf("done %q, open %q", sources.String(), open)
		}
		got = append(got, s.End()...)
		sources.Reset()
		for _, b := range got {
			sources.WriteString(b.Source)
		}
		if sources.String() != text {
			t.Fatalf("sources are %q", sources.String())
		}
		if outline(got) != outline(want) {
			t.Fatalf("got  %s\nwant %s", outline(got), outline(want))
		}
		for _, r := range []*Renderer{{Width: int(size)}, {Links: true, LineNumbers: true}} {
			r.Theme = testPalette()
			for i, b := range got {
				lines := r.Render(b)
				if notation(lines) != notation(r.Render(want[i])) {
					t.Fatalf("block %d differs", i)
				}
				checkLines(t, r, b, lines)
			}
		}
	})
}

// checkLines checks that lines have no control characters, no spaces at their end, and the width, unless they are
// code.
func checkLines(t *testing.T, r *Renderer, b Block, lines []styled.Line) {
	t.Helper()
	for i, l := range lines {
		text := l.String()
		if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || 0x7F <= c && c < 0xA0 || c == '\u202e' }) {
			t.Fatalf("control character in %q", text)
		}
		if b.Kind == Code {
			continue
		}
		if r.Width >= 12 && l.Width() > r.Width {
			t.Fatalf("%s line %d is wider than %d: %q", b.Kind, i, r.Width, text)
		}
		if strings.HasSuffix(text, " ") {
			t.Fatalf("space at the end of %s line %q", b.Kind, text)
		}
	}
}
