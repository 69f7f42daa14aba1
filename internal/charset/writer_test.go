package charset

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestWriter: a text in pieces of any size becomes the same text.
func TestWriter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain\n":                   "plain\n",
		"中文\n":                      "中文\n",
		"caf\xc3\xa9 \xff\xfe no\n": "café \uFFFD no\n",
		strings.Repeat("\xbc\xc6\xcb\xe3\xd0\xa3\xd1\xe9\n", 9): strings.Repeat("计算校验\n", 9),
		"": "",
	} {
		for size := 1; size < 9; size++ {
			var got strings.Builder
			w := Writer{To: &got}
			for at := 0; at < len(text); at += size {
				if n, err := w.Write([]byte(text[at:min(at+size, len(text))])); n == 0 || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if s := got.String(); strings.ReplaceAll(s, "\uFFFD\uFFFD", "\uFFFD") != want || !utf8.ValidString(s) {
				t.Errorf("in pieces of %d: got %q, want %q", size, s, want)
			}
		}
	}
}
