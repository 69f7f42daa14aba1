package window

import (
	"strings"
	"testing"
)

func TestLink(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"https://example.com/a?b=c#d":       "https://example.com/a?b=c#d",
		"HTTP://example.com":                "HTTP://example.com",
		"file:///tmp/a b.go#12":             "file:///tmp/a%20b.go#12",
		"file://host/tmp/é":                 "file://host/tmp/%C3%A9",
		"mailto:a@b.c":                      "mailto:a@b.c",
		"https://example.com/100%25":        "https://example.com/100%25",
		"https:///path":                     "",
		"https:example.com":                 "",
		"file:":                             "",
		"mailto:":                           "",
		"javascript:alert(1)":               "",
		"ssh://host/":                       "",
		"//example.com":                     "",
		"a.html":                            "",
		"":                                  "",
		"https://example.com/\x1b]52;c;a\a": "",
		"https://example.com/\x7f":          "",
		"https://example.com/\n":            "",
		"https://example.com/%zz":           "",
		" https://example.com":              "",
		"https://example.com/" + strings.Repeat("x", 2063): "https://example.com/" + strings.Repeat("x", 2063),
		"https://example.com/" + strings.Repeat("x", 2064): "",
		"https://example.com/" + strings.Repeat("é", 344):  "",
	} {
		if got := Link(target); got != want {
			t.Errorf("%.80q: %.80q, not %.80q", target, got, want)
		}
	}
}

// FuzzLink checks that a link has only printable ASCII, and that it is its own link.
func FuzzLink(f *testing.F) {
	f.Add("https://example.com/\u009c\xff a")
	f.Fuzz(func(t *testing.T, target string) {
		got := Link(target)
		for i := range len(got) {
			if got[i] <= ' ' || got[i] >= 0x7f {
				t.Errorf("%q becomes %q", target, got)
			}
		}
		if Link(got) != got {
			t.Errorf("%q becomes %q, and that %q", target, got, Link(got))
		}
	})
}
