package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func linear(chunks ...string) string {
	var l Linear
	var out strings.Builder
	for _, c := range chunks {
		out.WriteString(l.Strip(c))
	}
	out.WriteString(l.Flush())
	return out.String()
}

func TestLinear(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"text", "tabs\tand\nlines, é 日本 👩\u200d🚀 क्\u200dष", "tabs\tand\nlines, é 日本 👩\u200d🚀 क्\u200dष"},
		{"escapes", "a\x1b[2Jb\x1b]0;t\x07c", "abc"},
		{"line written over", "rm -rf /\rgit status\r\nok\r", "rm -rf /\ngit status\nok\n"},
		{"several returns", "a\r\rb\r\n\nc", "a\n\nb\n\nc"},
		{"other breaks", "a\vb\fc\u2028d\u2029e\u0085f", "a\nb\nc\nd\ne\nf"},
		{"turned around", "a\u202egpj.exe\u202c \u2066b\u2069\u200ec\u200f", "agpj.exe bc"},
		{"unseen", "a\u200bb\ufeffc\u00add\U000e0061\U000e0062e\u2060f", "abcdef"},
		{"number signs", "\u0600 12", "\u0600 12"},
		{"backspace", "abc\b\b\bxyz", "abcxyz"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := linear(tt.in); got != tt.want {
				t.Errorf("%q becomes %q, want %q", tt.in, got, tt.want)
			}
			if got := linear(strings.Split(tt.in, "")...); got != tt.want {
				t.Errorf("character by character: %q, want %q", got, tt.want)
			}
		})
	}
	if got := Line(" a\r\n\tb\x1b[1m  c\u202e\n"); got != `a b c\u202e` {
		t.Errorf("as a line: %q", got)
	}
}

// Wherever the stream is cut the result is the same, without sequences that move the cursor,
// and stays the same if it is made linear once more.
func FuzzLinear(f *testing.F) {
	for _, s := range []string{"plain", "a\r\nb\rc", "\r\x1b[1m\n", "\u202ea", "é\r", "\r\u200b\n"} {
		f.Add(s, uint(1))
	}
	f.Fuzz(func(t *testing.T, s string, i uint) {
		whole := linear(s)
		a := int(i % uint(len(s)+1))
		if cut := linear(s[:a], s[a:]); cut != whole {
			t.Errorf("%q whole: %q; cut at %d: %q", s, whole, a, cut)
		}
		if !utf8.ValidString(whole) || strings.ContainsAny(whole, "\r\v\f\x1b\u202e\u200b") {
			t.Errorf("%q became %q", s, whole)
		}
		if again := linear(whole); again != whole {
			t.Errorf("%q became %q, and that %q", s, whole, again)
		}
	})
}
