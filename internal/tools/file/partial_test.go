package file

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPartial checks edits whose old_string begins or ends in the middle of a line, and has other indentation than the file.
func TestPartial(t *testing.T) {
	t.Parallel()
	const file = "func f() {\n\tif x := g(\n\t\tone,\n\t\ttwo,\n\t); x {\n\t\treturn\n\t}\n}\n"
	for name, c := range map[string]struct{ text, old, new, want string }{
		"begins in a line": {file, "g(\n        one,\n        two,\n", "h(\n        one,\n        2,\n", strings.NewReplacer("g(", "h(", "two", "2").Replace(file)},
		"ends in a line":   {file, "        two,\n    ); x", "        two,\n        three,\n    ); y", strings.NewReplacer("two,", "two,\n\t\tthree,", "; x", "; y").Replace(file)},
		"both":             {file, "g(\n    one,\n    two,\n  ); x", "g(\n    one,\n  ); y", strings.NewReplacer("\t\ttwo,\n", "", "; x", "; y").Replace(file)},
		"in a word":        {"\tabc(\n\t\tone)\n", "bc(\n    one)", "x", ""},
		"ends in a word":   {"\tabc(\n\t\tones)\n", "abc(\n    one", "x", ""},
		"a line end":       {"\tabc(\n\t\tone)\n", "bc(\n    one\n", "x\n", ""},
		"blank line":       {"\ta(\n\t\tone)\n", "a(\n  ", "x", ""},
		"twice":            {"\tx = a(\n\t\tone)\n\ty = a(\n\t\tone)\n", "a(\n    one", "a(\n    two", ""},
		"other words":      {"\tx := long(\n\t\tone, two, three, four, five)\n\tabc\n", "longx(\n\t\tone, two, three, four, five)", "longx(\n\t\ttwo, three, four, five)", ""},
		"no common frame":  {file, "g(\n        one,", "h(\n\t\tzero,\n      one,", ""},
	} {
		got := ""
		if m, err := find(c.text, c.old, c.new, never); err == nil && len(m.changes) == 1 {
			e := m.changes[0]
			got = c.text[:e.start] + e.text + c.text[e.end:]
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestCutAsWhole makes the random edits of [TestSameAsExact] with texts that leave out the beginning of their first line. An
// edit without differences in words must have the same result.
func TestCutAsWhole(t *testing.T) {
	t.Parallel()
	accepted := 0
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(seed, 11))
		c := randomCase(r)
		if c == nil {
			continue
		}
		parts := elements(c.old[:strings.IndexByte(c.old+"\n", '\n')])
		if len(parts) < 3 {
			continue
		}
		head := strings.Join(parts[:2+r.IntN(len(parts)-2)], "")
		old, isOld := strings.CutPrefix(c.old, head)
		replacement, isNew := strings.CutPrefix(c.new, head)
		first, rest, isLong := strings.Cut(strings.TrimSuffix(old, "\n"), "\n")
		if !isOld || !isNew || !isLong || blank(head) || blank(first) || blank(rest) || isWithinWord(c.new, len(head)) || strings.Contains(c.text, old) {
			continue
		}
		m, err := find(c.text, old, replacement, never)
		if err != nil || len(m.changes) != 1 || m.how == "fuzzy" {
			continue
		}
		keepLastNewline(c.text, m.changes)
		after, err := newDocument([]byte(c.text)).change(m.changes)
		if err != nil {
			t.Fatal(err)
		}
		got := after.text
		if accepted++; got != c.want && got != c.text {
			t.Errorf("seed %d, %s, "+m.how+": old\n%s\nnew\n%s\ngot\n%s\nwant\n%s", seed, c.kind, visible(old), visible(replacement), around(visible(got), visible(c.want)), around(visible(c.want), visible(got)))
		}
	}
	if accepted < 100 {
		t.Errorf("only %d edits were made", accepted)
	}
	t.Logf("%d edits", accepted)
}
