package terminal

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"short", "one two", "one two"},
		{"words", "one two three four five six", "one two three four\nfive six"},
		{"exact", "12345678901234567890 x", "12345678901234567890\nx"},
		{"long word", "see https://example.org/a/long/path for more", "see\nhttps://example.org/a/long/path\nfor more"},
		{"lines", "one two three four five\n\nsix\n", "one two three four\nfive\n\nsix\n"},
		{"indented", "  one two three four five", "  one two three four\n  five"},
		{"list", "- one two three four five\n- six", "- one two three four\n  five\n- six"},
		{"numbers", "10. one two three four five", "10. one two three\n    four five"},
		{"nested", "- a\n  * one two three four five", "- a\n  * one two three\n    four five"},
		{"paragraph in a list", "- a\n\n    one two three four five", "- a\n\n    one two three\n    four five"},
		{"item with a long word", "- https://example.org/a/long/path", "- https://example.org/a/long/path"},
		{"fence", "```go\nfunc main() { println(\"hello\") }\n```\none two three four five six", "```go\nfunc main() { println(\"hello\") }\n```\none two three four\nfive six"},
		{"longer fence", "````\n```\none two three four five six\n````", "````\n```\none two three four five six\n````"},
		{"tildes", "~~~\none two three four  five six  \n~~~", "~~~\none two three four  five six  \n~~~"},
		{"inline code", "```one``` two three four five", "```one``` two three\nfour five"},
		{"indented code", "Run:\n\n    one two three four five", "Run:\n\n    one two three four five"},
		{"tab", "one\ttwo\tfour", "one\ttwo\tfour"},
		{"third tab", "one\ttwo\tthree", "one\ttwo\nthree"},
		{"wide", "日本語日本語日本語日本語。", "日本語日本語日本語日\n本語。"},
		{"wide, punctuation", "日本語日本語日本語日。本語", "日本語日本語日本語\n日。本語"},
		{"wide and narrow", "one two three 日本語日本語", "one two three 日本語\n日本語"},
		{"combining", strings.Repeat("e\u0301", 20) + " x", strings.Repeat("e\u0301", 20) + "\nx"},
		{"emoji", "one two three four 👩‍👩‍👧 x", "one two three four\n👩‍👩‍👧 x"},
		{"spaces at the end", "one two three four   \nfive  ", "one two three four\nfive  "},
		{"two spaces", "one  two  three  four  five", "one  two  three\nfour  five"},
		{"no-break space", "one two three four\u00a0five", "one two three\nfour\u00a0five"},
		{"quotes", "Run one or 'pollux auth', or two (`a b`).", "Run one or\n'pollux auth', or\ntwo (`a b`)."},
		{"quotes in two lines", "Set 'one two\nthree four five six'", "Set 'one two\nthree four five six'"},
		{"quotes that do not fit", "Set 'one two three four five'", "Set 'one two three\nfour five'"},
		{"quotes in a list", "- Run or 'pollux auth' or", "- Run or\n  'pollux auth' or"},
		{"apostrophes", "It's a user's file, and four users' files", "It's a user's file,\nand four users'\nfiles"},
		{"fence in quotes", "```\nls 'one two three four' five six\n```", "```\nls 'one two three four' five six\n```"},
	} {
		if got := Wrap(tt.in, 20); got != tt.want {
			t.Errorf("%s: Wrap(%q) =\n%s\nwant\n%s", tt.name, tt.in, got, tt.want)
		}
		if got := Wrap(tt.in, 0); got != tt.in {
			t.Errorf("%s: without a width: %q became %q", tt.name, tt.in, got)
		}
	}
}

func TestHang(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ prefix, text, want string }{
		{"key: ", "one two three four", "key: one two three\n     four"},
		{"key: ", "one\ntwo", "key: one\n     two"},
		{"a long key of it: ", "one two three four", "a long key of it:\n    one two three\n    four"},
	} {
		if got := Hang(tt.prefix, tt.text, 20); got != tt.want {
			t.Errorf("Hang(%q, %q) =\n%s\nwant\n%s", tt.prefix, tt.text, got, tt.want)
		}
		if got := Hang(tt.prefix, tt.text, 0); strings.ReplaceAll(got, "\n"+strings.Repeat(" ", len(tt.prefix)), "\n") != tt.prefix+tt.text {
			t.Errorf("Hang(%q, %q) without a width = %q", tt.prefix, tt.text, got)
		}
	}
}

func TestWrapBelow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"Error: one two three four\n\nfive six seven eight nine", "Error: one two three\n  four\n\n  five six seven\n  eight nine"},
		{"x\n- one two three four five", "x\n  - one two three\n    four five"},
		{"x\n```\none two three four five\n```", "x\n  ```\n  one two three four five\n  ```"},
		{"https://example.org/a/long/path\nhttps://example.org/a/long/path", "https://example.org/a/long/path\n  https://example.org/a/long/path"},
		{"日本語日本語日本語日本語。", "日本語日本語日本語日\n  本語。"},
	} {
		if got := WrapBelow(tt.text, 20, 2); got != tt.want {
			t.Errorf("WrapBelow(%q) =\n%s\nwant\n%s", tt.text, got, tt.want)
		}
		if got, want := WrapBelow(tt.text, 0, 2), strings.ReplaceAll(strings.ReplaceAll(tt.text, "\n", "\n  "), "\n  \n", "\n\n"); got != want {
			t.Errorf("WrapBelow(%q) without a width = %q, want %q", tt.text, got, want)
		}
	}
}

// A flushed part of a word is not written again, and its rest follows on the same line.
func TestWrapperFlush(t *testing.T) {
	t.Parallel()
	var w Wrapper
	got := w.Add("one two three fo", 20) + w.Flush(20) + w.Add("urteen and", 20) + w.Flush(20)
	if want := "one two three fourteen\nand"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Other text between two words begins a new line of the paragraph.
func TestWrapperRestart(t *testing.T) {
	t.Parallel()
	var w Wrapper
	w.Label("Model: ")
	got := w.Add("one two thr", 20)
	w.Restart()
	got += "|" + w.Add("ee four five six", 20) + w.Flush(20)
	if want := "one two|three four five six"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func wrapChunks(width int, chunks ...string) string {
	var w Wrapper
	var out strings.Builder
	for _, c := range chunks {
		out.WriteString(w.Add(c, width))
	}
	out.WriteString(w.Flush(width) + string(w.spaces))
	return out.String()
}

// Wrapped text has the same characters in the same order, does not change when it is wrapped
// again, has no line that is too wide and could be broken, and does not depend on how a stream
// is split.
func FuzzWrap(f *testing.F) {
	for _, s := range []string{
		"one two three four five six seven", "- one two three four five six\n  more", "```\ncode code code code code\n```\nx", "日本語、日本語（日本語）日本語日本語",
		"run 'one two three', or `four five`; 'six seven eight nine' (`ten`)", "- don't 'a b\n  c d' `e f`", "12. a b c d e f g h i j k l m n o p", "\t\ta b\tc", "e\u0301e\u0301 👩‍👩‍👧👩‍👩‍👧 🇩🇪🇫🇷🇩🇪", "a\n\n    code code code code code code", "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\nx",
		"                    x  ", "#            1234567890123456789012.) x", "\u0301a", "क्षि क्षि क्षि क्षि क्षि क्षि क्षि",
	} {
		f.Add(s, uint8(20), uint16(1), uint16(7))
		f.Add(s, uint8(33), uint16(3), uint16(2))
	}
	f.Fuzz(func(t *testing.T, s string, columns uint8, i, j uint16) {
		if len(s) > longestCharacter {
			t.Skip() // a longer character may be broken
		}
		if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			t.Skip()
		}
		width := MinWidth + int(columns)%100
		got := new(Wrapper).wrapWords(s, width)
		whole := Wrap(s, width)
		for _, wrapped := range []string{got, whole} {
			if squeeze(wrapped) != squeeze(s) {
				t.Fatalf("%q, %d columns: characters changed: %q", s, width, wrapped)
			}
		}
		a := int(i) % (len(s) + 1)
		b := a + int(j)%(len(s)-a+1)
		for a > 0 && a < len(s) && !utf8.RuneStart(s[a]) {
			a--
		}
		for b > a && b < len(s) && !utf8.RuneStart(s[b]) {
			b--
		}
		if cut := wrapChunks(width, s[:a], s[a:b], s[b:]); cut != got {
			t.Errorf("%q, %d columns, cut at %d and %d:\n%q\nwant\n%q", s, width, a, b, cut, got)
		}
		if each := wrapChunks(width, strings.Split(s, "")...); each != got {
			t.Errorf("%q, %d columns, character by character:\n%q\nwant\n%q", s, width, each, got)
		}
		if strings.Contains(s, "```") || strings.Contains(s, "~~~") || strings.Contains(s, "    ") || strings.Contains(s, "\t") {
			return // code is not wrapped
		}
		for line := range strings.Lines(got + "\n" + whole) {
			line = strings.TrimRight(line, " \n")
			words := strings.Fields(line)
			if len(words) > 0 && isMarker(words[0]) {
				words = words[1:]
			}
			if Width(line) > width && len(words) > 1 {
				t.Errorf("%q, %d columns: the line %q has %d", s, width, line, Width(line))
			}
		}
	})
}

// squeeze removes all white space.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\t' {
			return -1
		}
		return r
	}, s)
}

// The time for hostile text grows in proportion to its length.
func TestWrapLong(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"\u0301", " ", "\t", "x\u0301", "日", "`", "a"} {
		s = strings.Repeat(s, 1<<15)
		if got := wrapChunks(80, strings.Split(s, "")...); squeeze(got) != squeeze(s) {
			t.Errorf("%.10q: characters changed", s)
		}
	}
}

func BenchmarkWrap(b *testing.B) {
	for _, tt := range []struct{ name, text string }{
		{"prose", strings.Repeat("a word or two, and then some more of them. ", 100)},
		{"accents", strings.Repeat("ein Wort, oder größer zwei, und dann noch mehr. ", 100)},
		{"wide", strings.Repeat("日本語の文章です。", 200)},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(tt.text)))
			b.ReportAllocs()
			for b.Loop() {
				Wrap(tt.text, 80)
			}
		})
	}
}

func BenchmarkWrapper(b *testing.B) {
	var w Wrapper
	b.ReportAllocs()
	for b.Loop() {
		w.Add("a word or two, and then so", 80)
	}
}
