package kit

import (
	"strings"
	"testing"
)

// TestTail checks that a long text keeps its end, and no character is cut in two.
func TestTail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"short":                            "short",
		strings.Repeat("ü", MaxText):       "[32768 bytes left out]\n" + strings.Repeat("ü", MaxText/2),
		"x" + strings.Repeat("ü", MaxText): "[32769 bytes left out]\n" + strings.Repeat("ü", MaxText/2),
		strings.Repeat("x", MaxText) + "\n" + strings.Repeat("y", MaxText-5): "[32769 bytes left out]\n" + strings.Repeat("y", MaxText-5),
	} {
		if got := Tail(text, 0); got != want {
			t.Errorf("%.100q, want %q", got, want)
		}
	}
	if got := Tail("rest", 7); got != "[7 lines left out]\nrest" {
		t.Error(got)
	}
}
