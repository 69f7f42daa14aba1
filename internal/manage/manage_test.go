package manage

import (
	"testing"

	"pollux/internal/config"
)

func TestPath(t *testing.T) {
	t.Parallel()
	paths := config.NewPaths(config.NewEnv("HOME=/home/me"), "/dir")
	for typed, want := range map[string]string{
		" a/b ":       "/dir/a/b",
		`"a b"`:       "/dir/a b",
		`'a b'`:       "/dir/a b",
		`a\ b`:        "/dir/a b",
		"~/x":         "/home/me/x",
		"/abs/../top": "/top",
		`"`:           `/dir/"`,
	} {
		if got := Path(paths, typed); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

func TestCutWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{"": {}, "a": {"a", ""}, "a\t b c ": {"a", "b c"}, "a\nb": {"a", "b"}} {
		if word, rest := CutWord(text); want != [2]string{word, rest} {
			t.Errorf("%q: %q, %q", text, word, rest)
		}
	}
}

// Values of flags that are not set, or of another type, are empty.
func TestFlags(t *testing.T) {
	t.Parallel()
	c := &Call{Flags: map[string]any{"on": true, "text": "x", "n": 3, "list": List{"a", "b"}}, Words: []string{"word"}}
	if !c.Is("on") || c.Is("text") || c.Value("text") != "x" || c.Value("on") != "" || c.Number("n") != 3 || c.Number("none") != 0 {
		t.Errorf("%+v", c)
	}
	if got := c.Values("list"); len(got) != 2 || got[1] != "b" || c.Values("none") != nil {
		t.Errorf("%v", got)
	}
	if c.Name() != "word" {
		t.Error(c.Name())
	}
}

func TestFirst(t *testing.T) {
	t.Parallel()
	one := First(func(typed string) []string { return []string{typed + "x"} })
	if values, offer := one(nil, "a"); len(values) != 1 || values[0] != "ax" || offer != Nothing {
		t.Errorf("%q %v", values, offer)
	}
	if values, offer := one([]string{"word"}, "a"); values != nil || offer != Nothing {
		t.Errorf("%q %v", values, offer)
	}
}
