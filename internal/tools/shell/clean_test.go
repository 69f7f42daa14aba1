package shell

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pollux/tool"
)

// cleaned cleans text in pieces of n bytes.
func cleaned(text string, n int) string {
	var c cleaner
	var out strings.Builder
	for p := []byte(text); len(p) > 0; {
		k := min(n, len(p))
		piece := bytes.Clone(p[:k])
		out.Write(c.clean(piece))
		p = p[k:]
	}
	out.Write(c.finish())
	return out.String()
}

func TestClean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a\nb\r\nc\td", "a\nb\r\nc\td"},
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"colon parameters", "\x1b[38:2::1:2:3mx", "x"},
		{"private", "\x1b[?25lx\x1b[?2004h", "x"},
		{"cursor", "a\x1b[2K\x1b[1Gb\x1b[Gc\x1b[60Gd\x1b[11Ge\x1b[1;1Gf", "a\x14\rb\rcdef"},
		{"up and down", "a\x1b[Ab\x1b[2Ac\x1b[Bd\x1b[0Ae\x1b[1;2Af\x1b[?1Ag\x1b[999999999999Ah\x1b[Fi\x1b[Ej", "a\x11b\x11\x11c\x12d\x11efgh\x11\ri\x12\rj"},
		{"far up", "\x1b[900A", strings.Repeat("\x11", maxFrame)},
		{"erase", "a\x1b[Kb\x1b[0Kc\x1b[1Kd\x1b[2Ke\x1b[Jf\x1b[2Jg", "a\x13b\x13cd\x14e\x15fg"},
		{"two bytes", "\x1b7a\x1b8\x1b=", "a"},
		{"charset", "\x1b(Ba\x1b)0", "a"},
		{"title, BEL", "\x1b]0;title\aa", "a"},
		{"title, ST", "\x1b]2;t\x1b\\a", "a"},
		{"link", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"DCS", "a\x1bPq#0;2\nmore\x1b\\b", "ab"},
		{"title that does not end", "\x1b]0;evil\nnot hidden", "\nnot hidden"},
		{"string that is broken off", "\x1bPabc\x18seen", "seen"},
		{"string and another sequence", "\x1b]0;a\x1b[31mseen", "seen"},
		{"8-bit CSI", "\u009b31mred", "red"},
		{"8-bit ST", "\x1b]0;é\u009cseen", "seen"},
		{"other C1", "a\u0085b", "ab"},
		{"ESC at the end", "a\x1b", "a"},
		{"ESC and a newline", "\x1b\nx", "\nx"},
		{"newline in CSI", "\x1b[3\n1mx", "\nx"},
		{"wide", "日本\x1b[1m語😀", "日本語😀"},
		{"invalid", "a\xffb\xc3", "a\uFFFDb\uFFFD"},
		{"surrogate", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
	} {
		for _, n := range []int{1, 2, 3, 1000} {
			if got := cleaned(c.in, n); got != c.want {
				t.Errorf("%s, by %d: %q, want %q", c.name, n, got, c.want)
			}
		}
	}
	if got := cleaned("\x1bP"+strings.Repeat("x", maxStringLen)+"seen", 4096); !strings.HasSuffix(got, "seen") {
		t.Errorf("a string without end hides the text after it: %d bytes", len(got))
	}
}

// FuzzClean checks that the text is valid UTF-8 without escapes, and the same however the
// output is split.
func FuzzClean(f *testing.F) {
	f.Add("plain \x1b[31mred\x1b[0m\r\n", 3)
	f.Add("\x1b]0;t\x07\x1bPq\x1b\\ 日本\xff\u009b1m\u009d\xc2", 1)
	f.Fuzz(func(t *testing.T, text string, n int) {
		n = max(1, n%64)
		got := cleaned(text, n)
		if whole := cleaned(text, len(text)+1); got != whole {
			t.Fatalf("by %d %q, whole %q", n, got, whole)
		}
		if !utf8.ValidString(got) || strings.ContainsRune(got, 0x1B) {
			t.Fatalf("not clean: %q", got)
		}
		if !strings.ContainsAny(text, "\x1b") && utf8.ValidString(text) && !hasC1([]byte(text)) && got != text {
			t.Fatalf("plain text changed: %q", got)
		}
	})
}

// FuzzModelText checks that the text is trimmed, except for an indentation, and has no closing
// tag, and that it is the same however the output is split.
func FuzzModelText(f *testing.F) {
	f.Add(" \n a </untrusted_context> b \n", 3)
	f.Add("<<</untrusted_context></untrusted_contex", 1)
	f.Fuzz(func(t *testing.T, text string, n int) {
		n = max(1, n%64)
		c := tool.NewCollector(0, nil)
		m := modelText{to: c}
		for p := []byte(text); len(p) > 0; {
			k := min(n, len(p))
			m.write(p[:k])
			p = p[k:]
		}
		m.finish()
		got, _ := c.Text()
		want := strings.ReplaceAll(trim(text), string(closingTag), string(closingTagOut))
		if want != "" && strings.IndexByte(whiteSpace, want[0]) >= 0 {
			want = indentedBegin + want
		}
		if got != want {
			t.Fatalf("%q by %d: %q, want %q", text, n, got, want)
		}
	})
}

func BenchmarkClean(b *testing.B) {
	for _, c := range []struct{ name, line string }{
		{"plain", "all work and no play makes a dull log\n"},
		{"cjk", "日本語の長い出力の一行です\n"},
		{"colour", "\x1b[32mok\x1b[0m  pollux/internal/tools/shell \x1b[2m0.531s\x1b[22m\n"},
		{"hostile", "\u009bm"},
	} {
		b.Run(c.name, func(b *testing.B) {
			chunk := []byte(strings.Repeat(c.line, (256<<10)/len(c.line)))
			b.SetBytes(int64(len(chunk)))
			var cl cleaner
			for range b.N {
				cl.clean(chunk)
			}
		})
	}
}
