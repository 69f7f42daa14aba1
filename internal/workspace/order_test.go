package workspace_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pollux/internal/workspace"
)

// The order is the one of Intl.Collator, which this list was sorted with.
func TestCompareNames(t *testing.T) {
	t.Parallel()
	want := []string{"_x", ".x", "10", "2", "a_b", "a-b", "ab", "c", "ç", "d", "e", "E", "é", "É", "éa", "eb", "n", "ñ", "naive", "naïve", "naivf", "o", "u", "ü", "u.txt", "uber", "Über", "ünï.txt", "utf16.txt", "v", "zebra", "Zoo"}
	got := slices.Clone(want)
	rand.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
	slices.SortFunc(got, workspace.CompareNames)
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}
