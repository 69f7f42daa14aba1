package shellcmd

import (
	"os/exec"
	"testing"
)

// A shell takes a quoted word as it is.
func TestQuote(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"a/b_c.D-1+": "a/b_c.D-1+", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)`y`\\": "'$(x)`y`\\'", "é": "'é'",
	} {
		got := Quote(word)
		if got != want {
			t.Errorf("%q: %s", word, got)
		}
		if out, err := exec.Command("sh", "-c", "printf %s "+got).Output(); err == nil && string(out) != word {
			t.Errorf("%q: the shell takes %q", word, out)
		}
	}
}
