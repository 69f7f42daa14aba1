package file

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/google/go-cmp/cmp"
)

// The hunks lead from one text to the other: the numbers in their headers are right, and git
// and patch accept them.
func FuzzDiffHunks(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc\n", 1)
	f.Add("", "a", 3)
	f.Add("a\na\na\na\n", "a\na\n", 0)
	f.Add("a\nb", "a\nb\n", 5)
	f.Add("x\n\n\n\n\n\n\n\ny\n\n\n\n\nz", "x\n\n\n\n\n\n\n\nY\n\n\n\n\nz", 3)
	f.Add("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n", "1\n2\nx\n4\n5\ny\n7\n8\n9\n10\n11\n12\n13\n14\nz\n16\n", 3)
	f.Fuzz(func(t *testing.T, before, after string, context int) {
		if len(before)+len(after) > 1<<12 || context < 0 || context > 8 || strings.ToValidUTF8(before+after, "") != before+after {
			return
		}
		hunks := diffHunks(before, after, context)
		if got := applyHunks(before, hunks); got != after {
			t.Errorf("%q to %q: the hunks make %q\n%s", before, after, got, unified("f", proposedLabels, hunks))
		}
		c := countHunks(hunks)
		if lines := func(s string) int { return len(splitLines(s)) }; c.added-c.removed != lines(after)-lines(before) {
			t.Errorf("%q to %q: %+v", before, after, c)
		}
	})
}

// applyHunks applies hunks by their line numbers alone. It returns "?" if their old lines are
// not there, or if the new lines get other numbers than in the hunk.
func applyHunks(before string, hunks []*udiff.Hunk) string {
	lines := strings.SplitAfter(before, "\n")
	var out []string
	at := 0
	for _, h := range hunks {
		for at < h.FromLine-1 && at < len(lines) {
			out = append(out, lines[at])
			at++
		}
		if len(out) != h.ToLine-1 {
			return "?"
		}
		for _, l := range h.Lines {
			if l.Kind != udiff.Insert {
				if at >= len(lines) || lines[at] != l.Content {
					return "?"
				}
				at++
			}
			if l.Kind != udiff.Delete {
				out = append(out, l.Content)
			}
		}
	}
	return strings.Join(append(out, lines[min(at, len(lines)):]...), "")
}

// TestDiffsApply checks with git and patch that a diff can be applied as it is.
func TestDiffsApply(t *testing.T) {
	t.Parallel()
	for i := range 40 {
		r := rand.New(rand.NewPCG(uint64(i), 5))
		l := &languages[r.IntN(len(languages))]
		lines := l.block(r, 0, 60)
		before := strings.Join(lines, "\n") + "\n"
		for range 1 + r.IntN(8) {
			at := r.IntN(len(lines))
			lines = slices.Replace(lines, at, min(len(lines), at+r.IntN(3)), []string{"x", "y"}[:r.IntN(3)]...)
		}
		after := strings.Join(lines, "\n") + []string{"\n", ""}[i%2]
		patch := unified("f", proposedLabels, diffHunks(before, after, 3))
		for _, command := range [][]string{{"git", "apply", "--whitespace=nowarn", "-p0", "p"}, {"patch", "--fuzz=0", "-s", "f", "p"}} {
			program, err := exec.LookPath(command[0])
			if err != nil {
				continue
			}
			dir := t.TempDir()
			put(t, filepath.Join(dir, "f"), before)
			put(t, filepath.Join(dir, "p"), patch)
			c := exec.Command(program, command[1:]...)
			c.Dir = dir
			c.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
			out, err := c.CombinedOutput()
			if got := get(t, filepath.Join(dir, "f")); err != nil || got != after || len(out) > 0 {
				t.Errorf("%v: %v %s\n%s", command, err, out, patch)
			}
		}
	}
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
