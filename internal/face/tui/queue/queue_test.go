package queue

import (
	"strings"
	"testing"

	"pollux/internal/face/tui/theme"
)

func TestLines(t *testing.T) {
	t.Parallel()
	long := "Explain how the parser of the configuration treats unknown keys,\n\tand whether it reports them to the user or only to the log"
	for _, c := range []struct {
		name, hint string
		texts      []string
		width      int
		want       string
	}{
		{"none", "↑", nil, 80, ""},
		{"one", "↑", []string{"fix it"}, 80, "Queued (press ↑ to edit):\n  fix it"},
		{"three", "↑", []string{"a", "b", "c"}, 80, "Queued (press ↑ to edit):\n  a\n  b\n  c"},
		{"five", "↑", []string{"a", "b", "c", "d", "e"}, 80, "Queued (press ↑ to edit):\n  a\n  b\n  c\n  ... (+2 more)"},
		{"without a key", "", []string{"a"}, 80, "Queued:\n  a"},
		{"hostile", "", []string{"\n\n a\x1b[31m\r\nb\u202e\tc\n"}, 80, "Queued:\n  a b c"},
		{"40", "↑", []string{long}, 40, "Queued (press ↑ to edit):\n  Explain how the parser of the configu…"},
		{"80", "↑", []string{long}, 80, "Queued (press ↑ to edit):\n  Explain how the parser of the configuration treats unknown keys, and whether …"},
		{"160", "↑", []string{long}, 160, "Queued (press ↑ to edit):\n  Explain how the parser of the configuration treats unknown keys, and whether it reports them to the user or only to the log"},
		{"narrow", "↑", []string{"a", "b", "c", "d"}, 5, "Queu…\n  a\n  b\n  c\n  ..…"},
		{"one column", "↑", []string{"中"}, 1, "…\n…"},
		{"no column", "↑", []string{"a"}, 0, ""},
	} {
		var got []string
		for _, l := range Lines(c.texts, c.hint, c.width, theme.NoColor()) {
			got = append(got, l.String())
		}
		if all := strings.Join(got, "\n"); all != c.want {
			t.Errorf("%s: %q, not %q", c.name, all, c.want)
		}
	}
}

func TestHeld(t *testing.T) {
	t.Parallel()
	want := []string{"Not sent, back in the input after this one:", "  a", "  b"}
	for i, l := range Held([]string{"a", "b"}, "", 80, theme.NoColor()) {
		if l.String() != want[i] {
			t.Errorf("%q", l)
		}
	}
	if got := Held([]string{"a"}, "↑", 80, theme.NoColor())[0].String(); got != "Not sent (press ↑ to edit):" {
		t.Error(got)
	}
	if Held(nil, "", 80, theme.NoColor()) != nil {
		t.Error("a heading of nothing")
	}
}

// TestLongPrompt checks that a long prompt costs no more than a short one.
func TestLongPrompt(t *testing.T) {
	t.Parallel()
	if got := preview(strings.Repeat("\n", 5000) + "text"); got != "text" {
		t.Errorf("%.20q", got)
	}
	if got := preview(strings.Repeat("x", 1<<20)); len(got) > 2100 {
		t.Error(len(got))
	}
}
