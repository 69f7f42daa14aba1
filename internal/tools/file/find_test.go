package file

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

func never() bool { return false }

// find makes one edit of a text.
func find(text, old, replacement string, stop func() bool) (match, error) {
	return (&query{text: text, old: old, new: replacement, stop: stop}).find()
}

// The formula, computed without any of the shortcuts.
func slowScore(window, old string) float64 {
	bareWindow, bareOld := strings.Join(strings.Fields(window), ""), strings.Join(strings.Fields(old), "")
	length := float64(utf8.RuneCountInString(old))
	if d := utf8.RuneCountInString(window) - utf8.RuneCountInString(old); float64(abs(d)) > length {
		return 1
	}
	raw, bare := float64(levenshtein.ComputeDistance(window, old)), float64(levenshtein.ComputeDistance(bareWindow, bareOld))
	return (bare + (raw-bare)*0.1) / length
}

// Lines that the fuzzy strategy skips could not be near enough.
func FuzzFuzzy(f *testing.F) {
	f.Add("the quick brown fox\njumps over", "the quick brown fix\njumps over")
	f.Add("  a  b  c  d  e  f  ", "a b c d e f")
	f.Add("𝄞𝄞𝄞𝄞𝄞𝄞𝄞𝄞𝄞𝄞𝄞", "𝄞𝄞𝄞𝄞𝄞𝄞𝄞𝄞𝄞𝄞x")
	f.Fuzz(func(t *testing.T, window, old string) {
		// As many lines in both, not empty, no space at their ends.
		if len(window) > 500 || len(old) > 500 || !utf8.ValidString(window) || !utf8.ValidString(old) {
			return
		}
		clean := func(s string) string {
			var lines []string
			for _, l := range strings.Split(s, "\n") {
				lines = append(lines, strings.TrimRightFunc(l, func(r rune) bool { return strings.TrimSpace(string(r)) == "" })+".")
			}
			return strings.Join(lines, "\n")
		}
		window, old = clean(window), clean(old)
		if strings.Count(window, "\n") != strings.Count(old, "\n") || utf8.RuneCountInString(old) < fuzzyMin {
			return
		}
		want := slowScore(window, old) <= fuzzyThreshold
		places, _ := (&query{text: window, old: old, new: "x", stop: never}).similar()
		if got := len(places) == 1; got != want {
			t.Errorf("found = %v, score %v of %q for %q", got, slowScore(window, old), window, old)
		}
	})
}

// Whatever the texts are: text that an edit does not replace stays, places are in order and
// apart, and an exact match agrees with strings.Replace.
func FuzzFind(f *testing.F) {
	f.Add("a\nb\nc\n", "b", "x\n")
	f.Add("  if (x) {\n    y()\n  }\n", "if(x){\ny()\n}", "z")
	f.Add("the quick brown fox\r\n", "the quick brown fix", "")
	f.Add("\xff\xfe\x00", "\xff", "\n\n")
	f.Add("\n\n\n", "\n", " ")
	f.Add("00", "0 0", "0")
	f.Fuzz(func(t *testing.T, text, old, replacement string) {
		if len(text)+len(old)+len(replacement) > 1<<16 {
			return
		}
		for _, multiple := range []bool{false, true} {
			if old == "" {
				continue
			}
			m, err := (&query{text: text, old: old, new: replacement, multiple: multiple, stop: never}).find()
			if err != nil || m.count > 1 && !multiple {
				continue
			}
			name := m.how
			if !m.tooMuch() && m.count != len(m.changes) {
				t.Fatalf("%s: %d places, %d changes", name, m.count, len(m.changes))
			}
			at := 0
			for _, c := range m.changes {
				if c.start < at || c.end < c.start || c.end > len(text) {
					t.Fatalf("%s: %+v", name, m.changes)
				}
				at = c.end
			}
			d := newDocument([]byte(text))
			if d.enc.IsText() && !d.enc.IsUTF8() || d.text != text {
				continue
			}
			got, err := d.change(m.changes)
			if err != nil {
				return // its encoding lacks a character
			}
			if len(m.changes) > 0 {
				first, last := m.changes[0], m.changes[len(m.changes)-1]
				if !strings.HasPrefix(got.text, text[:first.start]) || !strings.HasSuffix(got.text, text[last.end:]) {
					t.Errorf("%s: %q became %q by %+v", name, text, got.text, m.changes)
				}
			}
			if name == "exact" && !m.tooMuch() && !strings.Contains(replacement, "\r") && got.text != strings.ReplaceAll(text, old, replacement) {
				t.Errorf("%q became %q", text, got.text)
			}
		}
	})
}

// Ends of lines outside of an edit stay unchanged.
func FuzzChangeKeepsTheRest(f *testing.F) {
	f.Add("a\r\nb\nc\r\n", 2, 3, "x\ny")
	f.Add("\r\n\r\n", 0, 1, "")
	f.Fuzz(func(t *testing.T, raw string, start, end int, insert string) {
		d := newDocument([]byte(raw))
		if start < 0 || end < start || end > len(d.text) || d.enc.IsText() && !d.enc.IsUTF8() {
			return
		}
		c := change{start, end, lf(insert)}
		got, err := d.change([]change{c})
		if err != nil {
			t.Fatal(err)
		}
		o := offsets{raw: d.raw}
		before, after := d.raw[:o.of(start)], d.raw[o.of(end):]
		if lf(before) != d.text[:start] && !strings.HasSuffix(before, "\r") || !strings.HasPrefix(got.raw, before) || !strings.HasSuffix(got.raw, after) {
			t.Errorf("%q became %q by %+v", raw, got.raw, c)
		}
	})
}

// Texts made to cost as much as they can stay within the budget: each would take hours without
// it.
func TestFindIsBounded(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("a\n", 1<<20)
	for name, old := range map[string]string{
		"lines that all match but the last":  strings.Repeat("a\n", 1<<19) + "b",
		"tokens that all match but the last": strings.Repeat("a ", 1<<19) + "b",
	} {
		if m, _ := find(many, old, "x", never); m.count != 0 {
			t.Errorf("%s: %d", name, m.count)
		}
	}
	q := &query{text: strings.Repeat("a", 1<<20), old: strings.Repeat("b", 1<<20), stop: never}
	if places, _ := q.similar(); len(places) != 0 {
		t.Error("fuzzy compared texts that are too long")
	}
	stopped := 0
	_, _ = find(strings.Repeat("line\n", 10_000), "not there at all", "x", func() bool { stopped++; return stopped > 3 })
	if stopped > 10 {
		t.Errorf("asked %d times whether to stop", stopped)
	}
}

// TestRivals checks that a block is not edited if another one is nearly as similar to old.
func TestRivals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"abcdefghijkX\nother\n":               1,
		"abcdefghijkX\nother\nabcdefghijkY\n": 0,
		"abcdefghijkX\nother\nabcdefghiXYZ\n": 0,
		"abcdefghijkX\nother\nabcdefgVWXYZ\n": 1,
	} {
		m, err := find(text, "abcdefghijkl", "x", never)
		if len(m.changes) != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v %v", text, m.changes, err)
		}
	}
}

// TestRivalsApart checks that the error for several similar places names none that overlaps a more similar one.
func TestRivalsApart(t *testing.T) {
	t.Parallel()
	const far = "other\nother\nother\n"
	for name, c := range map[string]struct{ text, want, reason string }{
		"one":     {"abcdefghijk 1\nabcdefghijk 2\nabcdefghijk 3\n", "[[1 2]]", "not the same"},
		"two":     {"abcdefghijk 1\nabcdefghijk 2\nabcdefghijk 3\n" + far + "abcdefghijk 1\nabcdefghijk 4\n", "[[1 2] [7 8]]", "the same as none of them"},
		"as good": {"abcdefghijk 3\nabcdefghijk 3\nabcdefghijk 3\n", "[[1 2] [2 3]]", "the same as none of them"},
	} {
		_, err := find(c.text, "abcdefghijk 1\nabcdefghijk 9", "x", never)
		var u *unclear
		if !errors.As(err, &u) || fmt.Sprint(u.places) != c.want || u.reason != c.reason || !strings.Contains(u.lines, "abcdefghijk 3") == (c.want == "[[1 2] [2 3]]") {
			t.Errorf("%s: %v, %+v", name, err, u)
		}
	}
}

// TestRivalsNearest checks that the error for many similar places begins with the most similar ones, wherever they are.
func TestRivalsNearest(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "handler number %04d gets its own buffer\n", i)
	}
	_, err := find(text.String(), "handler number 3456 gets its one buffer", "x", never)
	var u *unclear
	if !errors.As(err, &u) || len(u.places) != 4000 || u.places[0] != [2]int{3457, 3457} || !strings.HasPrefix(u.lines, "line 3457:\nhandler number 3456 gets") {
		t.Errorf("%v, %.300s", err, fmt.Sprintf("%+v", u))
	}
}

// TestBlankLines checks the places of texts that begin or end with blank lines.
func TestBlankLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, old, want string }{
		{"a \nb\n", "\na\nb", ""},
		{"x\n\na \nb\n", "\na\nb", "x\ny\n"},
		{"a \nb\n\nx\n", "a\nb\n\n", "y\nx\n"},
		{"a \nb\nx\n", "a\nb\n\n", ""},
		{"a \n\n\nb\nx\n", "a\n\nb\n", ""},
	} {
		got := ""
		if m, err := find(c.text, c.old, "y"+strings.Repeat("\n", strings.Count(c.old[len(c.old)-1:], "\n")), never); err == nil && len(m.changes) == 1 {
			e := m.changes[0]
			got = c.text[:e.start] + e.text + c.text[e.end:]
		}
		if got != c.want {
			t.Errorf("%q in %q: %q", c.old, c.text, got)
		}
	}
}
