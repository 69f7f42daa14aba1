package workspace

import (
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

func TestExpandGlob(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ glob, want, except string }{
		{"**/*.{ts,tsx}", "**/*.{ts,tsx}", ""},
		{"*.@(ts|tsx)", "*.{ts,tsx}", ""},
		{"a?(b|c@(d|e)).go", "a{,b,c{d,e}}.go", ""},
		{"@(a,b|c)", `{a\,b,c}`, ""},
		{"f{1..3}.txt", "f{1,2,3}.txt", ""},
		{"f{03..1}{a..c}{0..8..4}", "f{03,02,01}{a,b,c}{0,4,8}", ""},
		{"{1..x}{1..100000}{a..}{..}{1..2", "{1..x}{1..100000}{a..}{..}{1..2", ""},
		{"[[:alpha:]_][![:digit:]x][[:odd:]]", "[A-Za-z_][!0-9x][[:odd:]]", ""},
		{`sub//x///y\{1..2\}`, `sub/x/y\{1..2\}`, ""},
		{"src/!(a|b).js", "src/*.js", "src/{a,b}.js"},
		{"!(a)*.js", "*.js", "{a}*.js"},
		{"app/(group)/page.tsx", "app/(group)/page.tsx", ""},
		{"+(a)*(b)@(c", "+(a)*(b)@(c", ""},
		{`\@(a)\!(b)`, `\@(a)\!(b)`, ""},
		{"[a", "[a", ""},
	} {
		if got, except := ExpandGlob(tt.glob); got != tt.want || except != tt.except {
			t.Errorf("%s: %s, except %s", tt.glob, got, except)
		}
	}
}

func FuzzExpandGlob(f *testing.F) {
	f.Add(`a/@(b|?(c)){1..3}[[:alpha:]]//!(d)\x`)
	f.Fuzz(func(t *testing.T, glob string) {
		expanded, except := ExpandGlob(glob)
		for _, g := range []string{expanded, except} {
			if doublestar.ValidatePattern(g) && len(g) < 1000 {
				_, _ = doublestar.Match(g, "a/b/c") // returns
			}
		}
	})
}
