package file

import (
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/google/go-cmp/cmp"
)

// The hunks lead from one text to the other, and are those of the whole texts.
func FuzzDiffHunks(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc\n", 1)
	f.Add("", "a", 3)
	f.Add("a\na\na\na\n", "a\na\n", 0)
	f.Add("a\nb", "a\nb\n", 5)
	f.Add("x\n\n\n\n\n\n\n\ny\n\n\n\n\nz", "x\n\n\n\n\n\n\n\nY\n\n\n\n\nz", 3)
	f.Fuzz(func(t *testing.T, before, after string, context int) {
		if len(before)+len(after) > 1<<12 || context < 1 || context > 8 || strings.ToValidUTF8(before+after, "") != before+after {
			return
		}
		hunks := diffHunks(before, after, context)
		patch := udiff.UnifiedDiff{From: "a", To: "b", Hunks: hunks}.String()
		got, err := udiff.ApplyUnified(patch, before)
		if err == nil && got != after {
			t.Errorf("%q to %q: the patch makes %q\n%s", before, after, got, patch)
		}
		c := countHunks(hunks)
		if lines := func(s string) int { return len(splitLines(s)) }; c.added-c.removed != lines(after)-lines(before) {
			t.Errorf("%q to %q: %+v", before, after, c)
		}
	})
}

func TestDiffHunksOfALargeFile(t *testing.T) {
	t.Parallel()
	before := strings.Repeat("line\n", 1000)
	at := len(before) / 2
	after := before[:at] + "new\n" + before[at:]
	got := unified("f", proposedLabels, diffHunks(before, after, 3))
	_, got, _ = strings.Cut(got, "Proposed\n")
	if d := cmp.Diff("@@ -498,6 +498,7 @@\n line\n line\n line\n+new\n line\n line\n line\n", got); d != "" {
		t.Error(d)
	}
}

// Files of nothing but lines cost little more than their size.
func TestDiffHunksOfTooManyLines(t *testing.T) {
	t.Parallel()
	hunks := diffHunks(strings.Repeat("\n", maxLines), strings.Repeat("x\n", 10), 3)
	if c := countHunks(hunks); len(hunks) != 1 || len(hunks[0].Lines) != 2 || c.removed != maxLines || c.added != 10 {
		t.Errorf("%+v", c)
	}
	if m, _ := find(strings.Repeat("\n", maxLines+1), "something that is not there", "", never); m.count != 0 {
		t.Error(m.count)
	}
}
