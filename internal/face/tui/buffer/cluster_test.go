package buffer

import (
	"testing"

	"github.com/rivo/uniseg"

	"pollux/internal/terminal"
)

// TestIdeographs checks that the characters with a quick path are clusters of two columns.
func TestIdeographs(t *testing.T) {
	t.Parallel()
	found := 0
	for r := rune(0x80); r <= 0xFFFF; r++ {
		s := string(r)
		if ideograph([]byte(s)) == 0 {
			continue
		}
		found++
		if terminal.Width(s) != 2 || terminal.Text(s) != s || uniseg.GraphemeClusterCount(s+"世"+s+"a") != 4 {
			t.Errorf("%q is not as expected", s)
		}
	}
	if found < 20_000 {
		t.Errorf("%d characters", found)
	}
	b := filled("世\u0301か\u3099\u200d|")
	b.Left()
	expect(t, b, "世\u0301|か\u3099\u200d")
	b.Left()
	expect(t, b, "|世\u0301か\u3099\u200d")
}

// TestColumns checks the widths of clusters.
func TestColumns(t *testing.T) {
	t.Parallel()
	for cluster, want := range map[string]int{
		"a": 1, "\t": 4, "\n": 0, "世": 2, "e\u0301": 1, "🇩🇪": 2, "\u200b": 0, "\u00ad": 0, "\u202e": 0, "é": 1,
	} {
		if got := columns([]byte(cluster)); got != want {
			t.Errorf("%q: %d", cluster, got)
		}
	}
}
