package markdown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkAnswer measures an answer of 100 KB in chunks of 20 bytes, with its rendering.
func BenchmarkAnswer(b *testing.B) {
	source, err := os.ReadFile(filepath.Join("testdata", "rich.md"))
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat(string(source)+"\n", 100<<10/len(source)+1)
	r := &Renderer{Width: 100, Theme: testPalette()}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var s Splitter
		for rest := text; rest != ""; {
			n := min(20, len(rest))
			for _, block := range s.Add(rest[:n]) {
				r.Render(block)
			}
			rest = rest[n:]
		}
		for _, block := range s.End() {
			r.Render(block)
		}
	}
}

// BenchmarkItems measures a list of 100,000 items.
func BenchmarkItems(b *testing.B) {
	text := strings.Repeat("- an item of a *list*\n", 100_000)
	r := &Renderer{Width: 100, Theme: testPalette()}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		render(r, text)
	}
}

// BenchmarkHostile measures texts that are expensive for parsers. All take about the same time per byte.
func BenchmarkHostile(b *testing.B) {
	for _, tt := range []struct{ name, unit string }{
		{"words", "word "},
		{"quotes", ">"},
		{"quote lines", "> > > > > > > > > > > > > > > > > > > > a\n"},
		{"items", "- "},
		{"numbers", "1. "},
		{"brackets", "["},
		{"bracket pairs", "[a]("},
		{"stars", "*"},
		{"openers", "*a "},
		{"closers", "**a_ "},
		{"ticks", "`a``"},
		{"dollars", "$a "},
		{"colons", "http:"},
		{"angles", "<a:"},
		{"entities", "&amp;"},
		{"backslashes", "\\"},
		{"pipes", "|"},
		{"Chinese", "中文，"},
		{"combining", "e\u0301\u0301"},
		{"tabs", "\t"},
		{"spaces", " "},
		{"escapes", "\x1b["},
		// Paragraphs with almost too many marks.
		{"many openers", strings.Repeat("*a ", 900) + "\n\n"},
		{"many closers", strings.Repeat("**a_ ", 450) + "\n\n"},
		{"many brackets", strings.Repeat("[a", 450) + strings.Repeat("]", 450) + "\n\n"},
		{"many links", strings.Repeat("[a](<b ", 300) + "\n\n"},
		{"many titles", strings.Repeat("[a](b \"c", 300) + "\n\n"},
		{"many dollars", strings.Repeat("$a ", 900) + "\n\n"},
		{"many cells", "|a|b|c|\n|-|-|-|\n" + strings.Repeat("|1|2|3|\n", 500) + "\n"},
		{"many columns", strings.Repeat("|a", 4000) + "\n" + strings.Repeat("|-", 4000) + "\n" + strings.Repeat("|1", 4000) + "\n\n"},
		{"nested emphasis", strings.Repeat("*a ", 450) + strings.Repeat("b* ", 450) + "\n\n"},
	} {
		b.Run(tt.name, func(b *testing.B) {
			text := strings.Repeat(tt.unit, (1<<20)/len(tt.unit))
			r := &Renderer{Width: 100, Theme: testPalette()}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				render(r, text)
			}
		})
	}
}
