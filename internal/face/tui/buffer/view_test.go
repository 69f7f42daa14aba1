package buffer

import (
	"slices"
	"strings"
	"testing"
)

func TestRows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text  string
		width       int
		rows        string // separated by "/"
		row, column int
	}{
		{"one row", "abc|", 10, "abc", 0, 3},
		{"two lines", "ab\n|c", 10, "ab/c", 1, 0},
		{"last line empty", "ab\n|", 10, "ab/", 1, 0},
		{"words", "one two three|", 8, "one two /three", 1, 5},
		{"space does not fit", "one twoo x|", 8, "one /twoo x", 1, 6},
		{"long word", "abcdefghij|", 4, "abcd/efgh/ij", 2, 2},
		{"long word behind another", "a bcdefghij|", 4, "a /bcde/fghi/j", 3, 1},
		{"full row, cursor", "abcd|", 4, "abcd/", 1, 0},
		{"full row, cursor elsewhere", "abc|d", 4, "abcd", 0, 3},
		{"full row before a line", "abcd|\nx", 4, "abcd//x", 1, 0},
		{"start of a row", "abcd|ef", 4, "abcd/ef", 1, 0},
		{"wide", "ab世界|", 5, "ab世/界", 1, 2},
		{"wide at the end", "abcd世|", 5, "abcd/世", 1, 2},
		{"wide behind words", "ab 世界世界|", 6, "ab 世/界世界/", 2, 0},
		{"wide before a space", "ab世界 c|", 6, "ab世/界 c", 1, 4},
		{"wider than the row", "a世|", 1, "a/世/", 2, 0},
		{"tab", "a\tb|", 20, "a\tb", 0, 6},
		{"tab breaks", "abc\td|", 6, "abc/\td", 1, 5},
		{"accents", "e\u0301e\u0301|", 2, "e\u0301e\u0301/", 1, 0},
		{"emoji", "👨‍👩‍👧👨‍👩‍👧|", 3, "👨‍👩‍👧/👨‍👩‍👧", 1, 2},
		{"invisible", "ab\u200bc|", 10, "ab\u200bc", 0, 3},
		{"soft hyphen", "ab\u00adc|", 10, "ab\u00adc", 0, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := filled(tt.text)
			v := b.Rows(tt.width, 100)
			var rows []string
			for _, r := range v.Rows {
				rows = append(rows, r.Text)
			}
			if got := strings.Join(rows, "/"); got != tt.rows || v.CursorRow != tt.row || v.CursorColumn != tt.column {
				t.Errorf("got %q with the cursor at %d, %d", got, v.CursorRow, v.CursorColumn)
			}
		})
	}
}

// TestPlaceholderRows checks that a placeholder is not broken at its spaces.
func TestPlaceholderRows(t *testing.T) {
	t.Parallel()
	b := filled("see |")
	b.Paste(lines(6))
	b.Insert(" end")
	v := b.Rows(24, 10)
	if len(v.Rows) != 2 || v.Rows[0].Text != "see " || v.Rows[1].Text != "[Pasted Text: 6 lines] " {
		if len(v.Rows) != 3 {
			t.Errorf("%+v", v.Rows)
		}
	}
	if v = b.Rows(12, 10); v.Rows[1].Text != "[Pasted Text" {
		t.Errorf("%+v", v.Rows)
	}
}

func TestViewport(t *testing.T) {
	t.Parallel()
	b := filled("0\n1\n2\n3\n4\n5\n6\n7\n8\n9|")
	check := func(first string, cursor int, above, below bool) {
		t.Helper()
		v := b.Rows(10, 3)
		if len(v.Rows) != 3 || v.Rows[0].Text != first || v.CursorRow != cursor || v.HasAbove != above || v.HasBelow != below {
			t.Errorf("%+v", v)
		}
	}
	check("7", 2, true, false)
	b.Up()
	check("7", 1, true, false)
	b.Up()
	check("7", 0, true, false)
	b.Up()
	check("6", 0, true, true)
	b.Down()
	check("6", 1, true, true)
	b.Replace(Range{0, 0}, "a\nb\n") // above the view
	b.MoveTo(strings.Index(b.Shown(), "7"))
	check("6", 1, true, true)
	b.ToStart()
	check("a", 0, false, true)
	b.ToEnd()
	check("7", 2, true, false)
	b.Replace(Range{b.Len() - 2, b.Len()}, "") // the view stays full
	check("6", 2, true, false)
	b.Undo()
	check("7", 2, true, false)
	b.MoveTo(4)
	check("0", 0, true, true)
	if v := b.Rows(10, 100); len(v.Rows) != 12 || v.HasAbove || v.HasBelow || v.CursorRow != 2 {
		t.Errorf("%+v", v)
	}
	if v := b.Rows(10, 1); len(v.Rows) != 1 || v.CursorRow != 0 || v.Rows[0].Text != "0" {
		t.Errorf("%+v", v)
	}
	b = filled("abcd|\nx")
	if v := b.Rows(4, 1); len(v.Rows) != 1 || v.Rows[0].Text != "" || !v.HasAbove || !v.HasBelow {
		t.Errorf("the row behind a full row: %+v", v)
	}
}

// TestLayoutCache checks that layouts of lines far from the view are dropped, and that a change keeps the others.
func TestLayoutCache(t *testing.T) {
	t.Parallel()
	b := filled("|" + strings.Repeat("line\n", 5000))
	b.Rows(20, 5000)
	if n := len(b.layouts); n < 4999 {
		t.Errorf("%d layouts", n)
	}
	kept := slices.Clone(b.layouts)
	b.MoveTo(10)
	b.Insert("x")
	b.Rows(20, 5000)
	for i, l := range b.layouts {
		if l != kept[i] || l.isStale {
			t.Fatalf("layout %d is a new one", i)
		}
	}
	if n := len(b.layouts); n != len(kept) {
		t.Errorf("%d layouts", n)
	}
	b.Rows(20, 5)
	if n := len(b.layouts); n > 2*5+spareLayouts {
		t.Errorf("%d layouts", n)
	}
}
