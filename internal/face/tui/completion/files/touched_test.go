package files

import (
	"fmt"
	"slices"
	"testing"
)

func TestTouched(t *testing.T) {
	t.Parallel()
	var touched Touched
	for _, path := range []string{"a", "b", "c", "a"} {
		touched.Note(path)
	}
	if got := touched.Paths(); !slices.Equal(got, []string{"a", "c", "b"}) {
		t.Errorf("%q", got)
	}
	for i := range 3 * maxFiles {
		touched.Note(fmt.Sprint(i))
	}
	if got := touched.Paths(); len(got) != maxFiles || got[0] != fmt.Sprint(3*maxFiles-1) {
		t.Errorf("%q", got)
	}
}
