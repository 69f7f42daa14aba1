package buffer

import (
	"strings"
	"testing"
)

// megabyte returns a text of 1 MB in lines of 100 bytes.
func megabyte() string { return strings.Repeat(strings.Repeat("some words ", 9)+"\n", 10_000) }

func BenchmarkInsertKey(b *testing.B) {
	for name, text := range map[string]string{
		"lines": megabyte(), "one line": strings.ReplaceAll(megabyte(), "\n", " "), "wide": strings.Repeat("世", 1<<20/3),
	} {
		b.Run(name, func(b *testing.B) {
			var buffer Buffer
			buffer.SetText(text, len(text)/2)
			buffer.Rows(80, 10)
			b.ResetTimer()
			for i := range b.N {
				buffer.Insert("ab cd ef "[i%9 : i%9+1])
				buffer.Rows(80, 10)
			}
		})
	}
}

func BenchmarkPaste(b *testing.B) {
	text := megabyte()
	for b.Loop() {
		var buffer Buffer
		buffer.Paste(text)
		buffer.Rows(80, 10)
	}
}

func BenchmarkPasteExpanded(b *testing.B) {
	text := megabyte()
	for b.Loop() {
		var buffer Buffer
		buffer.Paste(text)
		buffer.Expand()
		buffer.Rows(80, 10)
	}
}

// BenchmarkLayout lays out 10,000 lines after a change of one.
func BenchmarkLayout(b *testing.B) {
	var buffer Buffer
	buffer.SetText(megabyte(), 500_000)
	buffer.Rows(80, 100_000)
	b.ResetTimer()
	for range b.N {
		buffer.Insert("x")
		buffer.DeleteLeft()
		buffer.Rows(80, 100_000)
	}
}

func BenchmarkTokens(b *testing.B) {
	var buffer Buffer
	buffer.SetText(megabyte(), 500_000)
	for b.Loop() {
		buffer.hasTokens = false
		buffer.Tokens()
	}
}
