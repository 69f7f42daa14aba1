package spelling

import (
	"slices"
	"strings"
	"testing"
)

func TestClosest(t *testing.T) {
	t.Parallel()
	names := []string{"mode", "model", "stats", "memory", "new", "theme", "checkpointing", "ünder"}
	for word, want := range map[string]string{
		"modle":                        "model", // a swap, not a deletion
		"modl":                         "mode",
		"moddel":                       "model",
		"MODLE":                        "model",
		"sttas":                        "stats",
		"memroy":                       "memory",
		"nwe":                          "new",
		"chekcpoining":                 "checkpointing",
		"unddr":                        "",
		"ündr":                         "ünder",
		"nw":                           "",
		"":                             "",
		"zzzzzz":                       "",
		"status":                       "stats",
		"checkingpoint":                "",
		strings.Repeat("model", 1<<20): "",
	} {
		if got := Closest(word, slices.Values(names)); got != want {
			t.Errorf("%.40q: %q, want %q", word, got, want)
		}
	}
	if got := Closest("abcdef", slices.Values([]string{"abcdeg", "abcdeh"})); got != "abcdeg" {
		t.Errorf("of equal names: %q, want the first", got)
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"abc", "acb", 1},
		{"abcd", "badc", 2},
		{"kitten", "sitting", 3},
		{"ca", "abc", 3}, // the letters of a swap are not edited again
		{"é", "e", 1},
		{"model", "modle", 1},
	} {
		if got := Distance(c.a, c.b); got != c.want || Distance(c.b, c.a) != got {
			t.Errorf("%q, %q: %d and %d, want %d", c.a, c.b, got, Distance(c.b, c.a), c.want)
		}
	}
}
