//go:build linux

package hostile

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const (
	page  = "../../docs/security.md"
	begin = "<!-- attacks, from acceptance/hostile -->\n\n"
	end   = "\n<!-- end of attacks -->\n"
)

// TestDocs checks that docs/security.md has the table of the attacks; -update writes it.
func TestDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks %q or %q", page, begin, end)
	}
	switch want := before + begin + table(readKinds(t)) + end + after; {
	case want == string(text):
	case *update:
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not have the table of the scenes: run make update", page)
	}
}

// table lists the kinds of attacks, with the number of attempts.
func table(kinds []*kind) string {
	var b strings.Builder
	total := 0
	fmt.Fprintln(&b, "| Attack | Attempts | What stops it |\n| --- | --- | --- |")
	for _, k := range kinds {
		n := 0
		for _, s := range k.Scenes {
			n += len(s.Attempts)
		}
		total += n
		fmt.Fprintf(&b, "| %s | %d | %s |\n", k.Kind, n, k.Stops)
	}
	fmt.Fprintf(&b, "| all | %d | none of these succeeds |\n", total)
	return b.String()
}
