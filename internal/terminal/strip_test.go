package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func strip(chunks ...string) string {
	var t Stripper
	var out strings.Builder
	for _, c := range chunks {
		out.WriteString(t.Strip(c))
	}
	out.WriteString(t.Flush())
	return out.String()
}

func TestStrip(t *testing.T) {
	t.Parallel()
	link := "https://example.org/" + strings.Repeat("x", 2000)
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "tabs\tand\r\nlines\f, é 日本 😀", "tabs\tand\r\nlines\f, é 日本 😀"},
		{"colour", "a\x1b[31;1mb\x1b[0mc\x1b[38:2::1:2:3md", "abcd"},
		{"private mode", "a\x1b[?1049hb\x1b[>4;1mc\x1b[ qd", "abcd"},
		{"title", "a\x1b]0;title\x07b\x1b]2;title\x1b\\c", "abc"},
		{"link", "a\x1b]8;;" + link + "\x1b\\b\x1b]8;;\x1b\\c", "abc"},
		{"device control", "a\x1bP1$r0m\x1b\\b\x1b_app\x1b\\c\x1b^pm\x1b\\d\x1bXsos\x1b\\e", "abcde"},
		{"short escapes", "a\x1b7b\x1b=c\x1bMd\x1b(Be\x1b#8f\x1bcg", "abcdefg"},
		{"C1 as UTF-8", "a\u009b31mb\u009d0;t\u009cc\u0090q\u009cde\u0084f", "abcdef"},
		{"next line", "one\u0085two\x1b]0;t\u0085three", "one\ntwo\nthree"},
		{"C1 as bytes", "a\x9b31mb", "a\uFFFD31mb"},
		{"control characters", "a\x00b\x07c\x08d\x0ee\x7ff", "abcdef"},
		{"not UTF-8", "a\xffb\xe6\x97c", "a\uFFFDb\uFFFD\uFFFDc"},
		{"ends in an escape", "a\x1b", "a"},
		{"ends in a rune", "a\xe6\x97", "a\uFFFD\uFFFD"},
		{"ends in a lead of C1", "a\xc2", "a\uFFFD"},
		{"sequence cut by another", "a\x1b[31\x1b[0mb\x1b]0;x\x1b[1mc", "abc"},
		{"string cut by C1", "a\x1b]0;x\u009b1mb", "ab"},
		{"string cut by CAN", "a\x1b]0;x\x18b", "ab"},
		{"sequence cut by a line", "a\x1b[31\nb", "a\nb"},
		{"escape before text", "a\x1béb\x1b\nc", "aéb\nc"},
		{"never ends, short", "a\x1b]0;all the rest", "a]0;all the rest"},
		{"never ends, long", "a\x1b]" + strings.Repeat("x", 10000), "a]" + strings.Repeat("x", 10000)},
		{"never ends, parameters", "a\x1b[" + strings.Repeat("1", 5000), "a[" + strings.Repeat("1", 5000)},
		{"never ends, nested", "a\u009d" + strings.Repeat("\u009d", 10), "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strip(tt.in); got != tt.want {
				t.Errorf("strip(%.80q) = %.80q, want %.80q", tt.in, got, tt.want)
			}
			if got := strip(strings.Split(tt.in, "")...); utf8.ValidString(tt.in) && got != tt.want {
				t.Errorf("character by character: %.80q, want %.80q", got, tt.want)
			}
		})
	}
}

// Text after an unfinished sequence comes out long before the stream ends.
func TestStripLetsGo(t *testing.T) {
	t.Parallel()
	var s Stripper
	s.Strip("\x1b]0;")
	for n := range 2 * longest {
		if s.Strip("x") != "" {
			return
		} else if n > longest {
			t.Fatalf("%d bytes are held back", len(s.held))
		}
	}
}

// Wherever the stream is cut the result is the same, valid text without
// anything a terminal acts on; text that is only text is not changed.
func FuzzStrip(f *testing.F) {
	for _, s := range []string{
		"plain", "a\x1b[31mb", "\x1b]0;t\x07x", "\x1bP\x1b\\", "\u009b1m", "\xc2", "\xc2\x9b", "\xe6\x97", "é\x1b", "\x1b\x1b[", "\x1b(", "\x1b]\xc2\x9d\x1b",
	} {
		f.Add(s, uint(1), uint(2))
	}
	f.Fuzz(func(t *testing.T, s string, i, j uint) {
		whole := strip(s)
		a := int(i % uint(len(s)+1))
		b := a + int(j%uint(len(s)-a+1))
		if cut := strip(s[:a], s[a:b], s[b:]); cut != whole {
			t.Errorf("%q whole: %q; cut at %d and %d: %q", s, whole, a, b, cut)
		}
		if !utf8.ValidString(whole) {
			t.Errorf("%q became invalid UTF-8: %q", s, whole)
		}
		bad := func(r rune) bool { return r < ' ' && !isKept(r) || 0x7F <= r && r <= 0x9F }
		if strings.ContainsFunc(whole, bad) {
			t.Errorf("%q became %q", s, whole)
		}
		if utf8.ValidString(s) && !strings.ContainsFunc(s, bad) && whole != s {
			t.Errorf("text %q became %q", s, whole)
		}
	})
}

func BenchmarkStrip(b *testing.B) {
	for _, tt := range []struct{ name, chunk string }{
		{"plain", "a word or two, "},
		{"accents", "ein Wort, oder größer zwei, "},
		{"colour", "\x1b[1ma word\x1b[0m or two, "},
		{"prose", strings.Repeat("a word or two, ", 100)},
	} {
		b.Run(tt.name, func(b *testing.B) {
			var s Stripper
			b.SetBytes(int64(len(tt.chunk)))
			b.ReportAllocs()
			for b.Loop() {
				s.Strip(tt.chunk)
			}
		})
	}
}
