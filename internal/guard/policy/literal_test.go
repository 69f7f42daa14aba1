package policy

import (
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

func TestRequiredText(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]string{
		"rm .*":                    {"rm "},
		"git push.*--force":        {"git push", "--force"},
		`git push\b.*(--force|-f)`: {"git push"},
		"a|b":                      nil,
		"(?:a|b)cd":                {"cd"},
		"abc?":                     {"ab"},
		"abc*de":                   {"ab", "de"},
		"abc+d":                    {"abc", "d"},
		"ab{0,2}cd":                {"a", "cd"},
		"é?x":                      {"x"},
		"é+":                       {"é"},
		`a\.b\/c`:                  {"a.b/c"},
		`\x00"file_path":"x"\x00`:  {"\x00\"file_path\":\"x\"\x00"},
		`\u0041bc`:                 nil,
		`\xe9a`:                    nil,
		`a\1`:                      nil,
		"[abc]def":                 {"def"},
		"[^]abc]x":                 nil,
		"[]abc]x":                  nil,
		`[\]a]bc`:                  {"bc"},
		"(?i)abc":                  nil,
		"x(?i:abc)":                nil,
		"abc(?=d)":                 {"abc"},
		"(a(?i)b)c":                nil,
		"(abc":                     nil,
		"^abc$":                    {"abc"},
		`\d+px`:                    {"px"},
		`a\`:                       nil,
		"":                         nil,
		"a**":                      nil,
	} {
		if got := requiredTexts(source); !slices.Equal(got, want) {
			t.Errorf("%q requires %q, want %q", source, got, want)
		}
	}
}

// Each match of an expression contains its required text.
func FuzzRequiredText(f *testing.F) {
	for _, s := range [][2]string{
		{"ab?c", "ac"},
		{`a\.b`, "a.b"},
		{"(?:x|y)z{2}", "xzz"},
		{"[a-c]+d", "abd"},
		{`\x41+`, "AA"},
		{"é?x", "x"},
		{`\bgit\b`, "git"},
		{"a{2}b", "aab"},
		{"a{,2}b", "a{,2}b"},
		{"x*?y", "y"},
		{`[^"]*/a`, "b/a"},
		{"(?<n>a)b", "ab"},
		{"a(?!b)c", "ac"},
		{"a}b", "a}b"},
		{"a]b", "a]b"},
		{`\/\-\ `, "/- "},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, source, text string) {
		re, err := regexp2.Compile(source, regexp2.ECMAScript)
		if err != nil || len(source) > 100 || len(text) > 100 || !utf8.ValidString(text) {
			return
		}
		re.MatchTimeout = 100 * time.Millisecond
		m, err := re.FindStringMatch(text)
		if err != nil || m == nil {
			return
		}
		p, err := NewPattern(source)
		if err != nil {
			return
		}
		if found, err := p.found(text); err == nil && !found {
			t.Errorf("%q matches %q, and requires %q", source, text, p.required)
		}
	})
}
