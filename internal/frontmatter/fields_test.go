package frontmatter

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestFields(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]map[string]any{
		"a: b\nn: 5\nl: [x, y]\n": {"a": "b", "n": 5, "l": []any{"x", "y"}},
		"":                        nil,
		"hint: [a] [b]\ndescription: 'Use it: now'\n# no\ntools: Read, Edit\n": {"hint": "[a] [b]", "description": "Use it: now", "tools": "Read, Edit"},
		"description: Use it. For example: so\n  <example>user: x</example>\nother:\n": {
			"description": "Use it. For example: so <example>user: x</example>", "other": "",
		},
		"description: >-\n  one: two\n  three: {\nbad: ]": {"description": "one: two three: {", "bad": "]"},
		"  lost\nno key\n": {},
	} {
		if diff := cmp.Diff(want, Fields(text)); diff != "" && !(len(want) == 0 && len(Fields(text)) == 0) {
			t.Errorf("%q: %s", text, diff)
		}
	}
	if got := Fields("a: " + string(make([]byte, maxFields))); got != nil {
		t.Error("too large front matter is read")
	}
}

// TestBounds checks that front matter which a parser of YAML works on for long is read in lines.
func TestBounds(t *testing.T) {
	t.Parallel()
	list := "[" + strings.TrimSuffix(strings.Repeat("x,", 1000), ",") + "]"
	aliases := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("*a, ", n), ", ") + "]" }
	for text, isYAML := range map[string]bool{
		"a: &a " + list + "\nb: " + aliases(maxAliases):                                              true,
		"a: &a " + list + "\nb: " + aliases(maxAliases+1):                                            false,
		"a: &a {b: c}\nb:\n" + strings.Repeat("  - <<: *a\n", maxAliases+1):                          false,
		"a: [1]\nb: " + strings.Repeat("[", maxBrackets-1) + strings.Repeat("]", maxBrackets-1):      true,
		"a: [1]\nb: " + strings.Repeat("[", maxBrackets) + strings.Repeat("]", maxBrackets):          false,
		"a: [1]\nb: " + strings.Repeat("{a: ", maxBrackets) + "x" + strings.Repeat("}", maxBrackets): false,
	} {
		if _, isList := Fields(text)["a"].([]any); isList != isYAML && !strings.HasPrefix(text, "a: &a {") {
			t.Errorf("%.40q is YAML: %v", text, !isYAML)
		}
		if _, ok := parse(text); ok != isYAML {
			t.Errorf("%.40q is parsed: %v", text, ok)
		}
	}
}

// FuzzQuote checks that Fields reads each quoted text as it was.
func FuzzQuote(f *testing.F) {
	f.Add("it's: \"odd\"\n\x7f\u2028\t---")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || len(text) > 1000 {
			return
		}
		if got := Fields("a: " + Quote(text))["a"]; got != text {
			t.Errorf("%q is read as %q", text, got)
		}
	})
}

// FuzzFields checks that no front matter makes it panic.
func FuzzFields(f *testing.F) {
	for _, s := range []string{"a: b", "a: [", "&a [*a]", "a: &x [1]\nb: *x", " : :\n- x", "? a\n: b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { _ = Fields(text) })
}
