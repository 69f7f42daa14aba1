package buffer

import (
	"slices"
	"testing"
)

// stops returns the results of a motion that is repeated until it stays where it is.
func stops(from int, move func(at int) int) (found []int) {
	for at := move(from); at != from; from, at = at, move(at) {
		found = append(found, at)
	}
	return found
}

func TestWordMotions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text             string
		w, b, e, W, B, E []int
	}{
		{text: ""},
		{
			"foo.bar  b-z",
			[]int{3, 4, 9, 10, 11, 12},
			[]int{11, 10, 9, 4, 3, 0},
			[]int{2, 3, 6, 9, 10, 11},
			[]int{9, 12},
			[]int{9, 0},
			[]int{6, 11},
		},
		{
			"a\n\n  b\n",
			[]int{2, 5, 7},
			[]int{5, 2, 0},
			[]int{5, 6},
			[]int{2, 5, 7},
			[]int{5, 2, 0},
			[]int{5, 6},
		},
		{"e\u0301x 日_1", []int{5, 10}, []int{5, 0}, []int{3, 9}, []int{5, 10}, []int{5, 0}, []int{3, 9}},
	} {
		b := filled(tt.text)
		for _, m := range []struct {
			name string
			from int
			want []int
			move func(int) int
		}{
			{"w", 0, tt.w, func(at int) int { return b.NextWord(at, false) }},
			{"b", b.Len(), tt.b, func(at int) int { return b.PrevWord(at, false) }},
			{"e", 0, tt.e, func(at int) int { return b.WordEnd(at, false) }},
			{"W", 0, tt.W, func(at int) int { return b.NextWord(at, true) }},
			{"B", b.Len(), tt.B, func(at int) int { return b.PrevWord(at, true) }},
			{"E", 0, tt.E, func(at int) int { return b.WordEnd(at, true) }},
		} {
			if got := stops(m.from, m.move); !slices.Equal(got, m.want) {
				t.Errorf("%q %s: %v, want %v", tt.text, m.name, got, m.want)
			}
		}
	}
}

// TestWordMotionsWithPlaceholders checks that a placeholder is a word.
func TestWordMotionsWithPlaceholders(t *testing.T) {
	t.Parallel()
	b := filled("a|")
	b.Paste(lines(6))
	b.Paste(lines(6))
	b.Insert("b")
	one, two := len("[Pasted Text: 6 lines]"), len("[Pasted Text: 6 lines #2]")
	want := []int{1, 1 + one, 1 + one + two, b.Len()}
	if got := stops(0, func(at int) int { return b.NextWord(at, false) }); !slices.Equal(got, want) {
		t.Errorf("w: %v, want %v", got, want)
	}
	want = []int{1 + one + two, 1 + one, 1, 0}
	if got := stops(b.Len(), func(at int) int { return b.PrevWord(at, false) }); !slices.Equal(got, want) {
		t.Errorf("b: %v, want %v", got, want)
	}
	if got := b.NextWord(0, true); got != b.Len() {
		t.Errorf("W: %v", got)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	b := filled("ab\n\t cd\n\nx|")
	for _, isLaidOut := range []bool{false, true} {
		if isLaidOut {
			b.Rows(10, 10)
		}
		for n, want := range []Range{{0, 2}, {3, 7}, {8, 8}, {9, 10}, {9, 10}} {
			got := b.Line(n)
			if got != want || b.LineStart(got.End) != got.Start || b.LineEnd(got.Start) != got.End {
				t.Errorf("line %d: %v", n, got)
			}
			if number := b.LineNumber(got.End); number != min(n, 3) {
				t.Errorf("line %d has the number %d", n, number)
			}
		}
	}
	if b.Line(-1) != (Range{0, 2}) || b.LineCount() != 4 {
		t.Error(b.Line(-1), b.LineCount())
	}
	for at, want := range map[int]int{0: 0, 1: 0, 3: 5, 7: 5, 8: 8, 10: 9} {
		if got := b.FirstNonBlank(at); got != want {
			t.Errorf("first of %d: %d", at, got)
		}
	}
	if got := b.Text(Range{3, 6}); got != "\t c" {
		t.Errorf("%q", got)
	}
}

func TestFindInLine(t *testing.T) {
	t.Parallel()
	b := filled("x\nabcabc\nc|")
	for _, tt := range []struct {
		at      int
		cluster string
		n       int
		want    int
		ok      bool
	}{
		{2, "c", 1, 4, true},
		{2, "c", 2, 7, true},
		{2, "c", 3, 0, false},
		{4, "c", 1, 7, true},
		{2, "x", 1, 0, false},
		{7, "a", -1, 5, true},
		{7, "a", -2, 2, true},
		{7, "x", -1, 0, false},
		{2, "a", 0, 2, false},
		{9, "c", 1, 0, false},
	} {
		if got, ok := b.FindInLine(tt.at, tt.cluster, tt.n); got != tt.want || ok != tt.ok {
			t.Errorf("%+v: %d, %v", tt, got, ok)
		}
	}
}
