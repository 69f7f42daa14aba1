package fuzzy

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, yes, no string
	}{
		{"*.go", "a.go src/B.GO a.gox", "ago go"},
		{"src/*.go", "src/a.go x/src/b.go", "src/a/b.go"},
		{"src/**.go", "src/a.go src/a/b.go", "a.go"},
		{"a?c", "abc aéc xa日cx", "ac a/c abbc"},
		{"a*b*c", "abc axbxc aabbcc", "acb ab/c"},
		{"*", "x a/b", ""},
		{"foo", "foo xFOOx", "fo"},
		{"?é", "xé", "é"},
		{"a**", "a/b ab", "b"},
		{strings.Repeat("?", 60) + "*", strings.Repeat("x", 60), strings.Repeat("x", 59)},
	} {
		g, ok := NewGlob(c.pattern)
		if !ok {
			t.Errorf("%q is too long", c.pattern)
			continue
		}
		for _, s := range strings.Fields(c.yes) {
			if text := NewText(s); !g.Match(&text) {
				t.Errorf("%q does not match %q", c.pattern, s)
			}
		}
		for _, s := range strings.Fields(c.no) {
			if text := NewText(s); g.Match(&text) {
				t.Errorf("%q matches %q", c.pattern, s)
			}
		}
	}
	if _, ok := NewGlob(strings.Repeat("?", 64)); ok {
		t.Error("a pattern of 64 steps fits")
	}
	if _, ok := NewGlob(strings.Repeat("?", 63)); !ok {
		t.Error("a pattern of 63 steps does not fit")
	}
	if _, ok := NewGlob(strings.Repeat("a", 100)); !ok {
		t.Error("a long pattern without wildcards does not fit")
	}
}

// slowGlob reports whether a prefix of s matches the pattern.
func slowGlob(pattern, s string) bool {
	switch {
	case pattern == "":
		return true
	case strings.HasPrefix(pattern, "**"):
		return slowGlob(pattern[2:], s) || s != "" && slowGlob(pattern, s[1:])
	case pattern[0] == '*':
		return slowGlob(pattern[1:], s) || s != "" && s[0] != '/' && slowGlob(pattern, s[1:])
	case s == "":
		return false
	case pattern[0] == '?':
		_, n := utf8.DecodeRuneInString(s)
		return s[0] != '/' && utf8.RuneStart(s[0]) && slowGlob(pattern[1:], s[n:])
	}
	return pattern[0] == s[0] && slowGlob(pattern[1:], s[1:])
}

func TestGlobsLikeSlowGlobs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab/*?é]{0,6}`).Draw(t, "pattern")
		s := rapid.StringMatching(`[ab/é]{0,8}`).Draw(t, "text")
		want := false
		for i := range len(s) + 1 {
			want = want || slowGlob(pattern, s[i:])
		}
		g, _ := NewGlob(pattern)
		if text := NewText(s); g.Match(&text) != want {
			t.Fatalf("%q on %q: %v", pattern, s, !want)
		}
	})
}
