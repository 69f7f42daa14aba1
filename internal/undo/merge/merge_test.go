package merge

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/durable"
)

func TestLines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, base, ours, theirs, want string
		conflicts                      []Range
	}{
		{"nothing", "", "", "", "", nil},
		{"only ours", "a\nb\n", "a\nx\nb\n", "a\nb\n", "a\nx\nb\n", nil},
		{"only theirs", "a\nb\n", "a\nb\n", "b\n", "b\n", nil},
		{"both, apart", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n", nil},
		{"both alike", "a\nb\nc\n", "a\nx\nc\n", "a\nx\nc\n", "a\nx\nc\n", nil},
		{"both insert alike", "a\nc\n", "a\nx\nc\n", "a\nx\nc\n", "a\nx\nc\n", nil},
		{"both differently", "a\nb\nc\n", "a\nx\ny\nc\n", "a\nz\nc\n", "", []Range{{2, 3}}},
		{"neighbours", "a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\nb\nC\nd\n", "", []Range{{2, 3}}},
		{"one deletes what the other changes", "a\nb\nc\n", "a\nc\n", "a\nx\nc\n", "", []Range{{2, 1}}},
		{"both insert", "a\nb\n", "a\nx\nb\n", "a\ny\nb\n", "", []Range{{2, 2}}},
		{"both append", "a\n", "a\nx\n", "a\ny\n", "", []Range{{2, 2}}},
		{"one deletes all", "a\nb\nc\n", "", "a\nx\nc\n", "", []Range{{1, 0}}},
		{"several", "1\n2\n3\n4\n5\n6\n7\n8\n", "0\n1\nx\n3\n4\n5\n6\n7\ny\n", "1\nz\n3\n4\n5\n6\n7\n", "", []Range{{3, 3}, {9, 9}}},
		{"CRLF", "a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n", nil},
		{"CRLF is a change", "a\nb\nc\n", "a\nb\r\nc\n", "a\nx\nc\n", "", []Range{{2, 2}}},
		{"no newline at the end", "a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC", nil},
		{"one adds the newline", "a\nb\nc", "a\nb\nc\n", "A\nb\nc", "A\nb\nc\n", nil},
		{"one removes it", "a\nb\nc\n", "a\nb\nc", "A\nb\nc\n", "A\nb\nc", nil},
		{"no UTF-8", "\xff\nb\n\xfe\n", "\xff\xff\nb\n\xfe\n", "\xff\nb\n\xfd\n", "\xff\xff\nb\n\xfd\n", nil},
		{"moved", "a\nb\nc\nd\ne\n", "a\nc\nd\ne\nb\n", "A\nb\nc\nd\ne\n", "", []Range{{1, 1}}},
	} {
		got, conflicts := Lines(test.base, test.ours, test.theirs)
		if got != test.want || !slices.Equal(conflicts, test.conflicts) {
			t.Errorf("%s: %q, conflicts %v; want %q, %v", test.name, got, conflicts, test.want, test.conflicts)
		}
	}
}

// TestMany merges two texts with thousands of changes each. A diff that gives up would find a conflict.
func TestMany(t *testing.T) {
	t.Parallel()
	const n = 25_000
	var base, ours, theirs, want strings.Builder
	for i := range n {
		line := fmt.Sprintf("%d, of which there is more than one byte\n", i)
		x, y, z := line, line, line
		switch i % 10 {
		case 0:
			x = "ours " + line
			z = x
		case 5:
			y = "theirs " + line
			z = y
		}
		for b, text := range map[*strings.Builder]string{&base: line, &ours: x, &theirs: y, &want: z} {
			b.WriteString(text)
		}
	}
	if got, conflicts := Lines(base.String(), ours.String(), theirs.String()); got != want.String() {
		t.Errorf("%d bytes, conflicts %v", len(got), conflicts)
	}
}

// TestDisjoint merges random edits of two sides, each in lines of its own, with a line between them that neither
// changes. The lines are unique, so that there is one right result.
func TestDisjoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fresh := 0
		line := func() string { fresh++; return fmt.Sprintf("%d\n", fresh) }
		var base, ours, theirs, want []string
		for range rapid.IntRange(0, 20).Draw(t, "parts") {
			var was, is []string
			for range rapid.IntRange(0, 3).Draw(t, "was") {
				was = append(was, line())
			}
			for range rapid.IntRange(0, 3).Draw(t, "is") {
				is = append(is, line())
			}
			x, y, z := was, was, was
			switch rapid.IntRange(0, 3).Draw(t, "who") {
			case 0:
				x, z = is, is
			case 1:
				y, z = is, is
			case 2:
				x, y, z = is, is, is
			}
			between := line()
			base = append(append(base, was...), between)
			ours = append(append(ours, x...), between)
			theirs = append(append(theirs, y...), between)
			want = append(append(want, z...), between)
		}
		got, conflicts := Lines(strings.Join(base, ""), strings.Join(ours, ""), strings.Join(theirs, ""))
		if got != strings.Join(want, "") || conflicts != nil {
			t.Errorf("base %q, ours %q, theirs %q: %q, conflicts %v; want %q", base, ours, theirs, got, conflicts, want)
		}
	})
}

// TestReference compares with diff3 of the GNU diffutils, where it is there, over texts whose lines are unique, so that
// there is one way to align them.
func TestReference(t *testing.T) {
	t.Parallel()
	diff3, err := exec.LookPath("diff3")
	if err != nil {
		t.Skip(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	conflicting, clean := 0, 0
	for range 100 {
		var base []string
		for i := range 12 {
			base = append(base, fmt.Sprintf("%d\n", i))
		}
		texts := []string{change(random, base), strings.Join(base, ""), change(random, base)}
		var paths []string
		for i, text := range texts {
			path := filepath.Join(dir, fmt.Sprint(i))
			if err := durable.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		out, err := exec.Command(diff3, append([]string{"-m", "-E"}, paths...)...).Output()
		got, conflicts := Lines(texts[1], texts[0], texts[2])
		if (err != nil) != (conflicts != nil) || err == nil && string(out) != got {
			t.Errorf("ours %q, theirs %q: %q, conflicts %v; diff3 %q, error %v", texts[0], texts[2], got, conflicts, out, err)
		}
		if err == nil {
			clean++
		} else {
			conflicting++
		}
	}
	if clean < 20 || conflicting < 20 {
		t.Errorf("%d merges, %d conflicts", clean, conflicting)
	}
}

// change changes a text at two random places.
func change(random *rand.Rand, base []string) string {
	lines := slices.Clone(base)
	for range 2 {
		at := random.IntN(len(lines))
		switch random.IntN(3) {
		case 0:
			lines = slices.Delete(lines, at, at+1)
		case 1:
			lines = slices.Insert(lines, at, fmt.Sprintf("new %d\n", random.IntN(1000)))
		default:
			lines[at] = fmt.Sprintf("changed %d\n", random.IntN(1000))
		}
	}
	return strings.Join(lines, "")
}

// FuzzLines merges any texts. A merge with an unchanged side is the other, whatever the diff; the sides are
// interchangeable; and each line of the result is of one of the sides.
func FuzzLines(f *testing.F) {
	f.Add("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC")
	f.Add("", "\n", "\r\n")
	f.Add("a\na\na\n", "a\na\n", "a\na\na\na")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		if got, conflicts := Lines(base, ours, base); got != ours || conflicts != nil {
			t.Errorf("only ours: %q, conflicts %v", got, conflicts)
		}
		if got, conflicts := Lines(base, base, theirs); got != theirs || conflicts != nil {
			t.Errorf("only theirs: %q, conflicts %v", got, conflicts)
		}
		if got, conflicts := Lines(base, ours, ours); got != ours || conflicts != nil {
			t.Errorf("alike: %q, conflicts %v", got, conflicts)
		}
		got, conflicts := Lines(base, ours, theirs)
		again, others := Lines(base, theirs, ours)
		if got != again || len(conflicts) != len(others) {
			t.Errorf("%q, conflicts %v; the other way round %q, %v", got, conflicts, again, others)
		}
		for line := range strings.Lines(got) {
			if !slices.Contains(slices.Collect(strings.Lines(ours)), line) && !slices.Contains(slices.Collect(strings.Lines(theirs)), line) {
				t.Errorf("%q is in none of the texts", line)
			}
		}
		all := strings.Count(ours, "\n") + 1
		for _, c := range conflicts {
			if c.First < 1 || c.Last < c.First-1 || c.Last > all {
				t.Errorf("a conflict at %v of %d lines", c, all)
			}
		}
	})
}
