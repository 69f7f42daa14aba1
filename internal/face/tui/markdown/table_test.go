package markdown

import (
	"slices"
	"strings"
	"testing"
)

func TestShrink(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		natural []int
		room    int
		want    []int
	}{
		{[]int{3, 10}, 13, []int{3, 10}},
		{[]int{3, 10}, 10, []int{3, 7}},
		{[]int{5, 20, 40}, 35, []int{5, 11, 19}},
		{[]int{5, 20, 40}, 15, []int{5, 5, 5}},
		{[]int{5, 20, 40}, 14, nil},
		{[]int{5, 5}, 9, nil},
	} {
		got := shrink(tt.natural, tt.room)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v in %d: %v, want %v", tt.natural, tt.room, got, tt.want)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		width      int
		want       string
	}{
		{"alignment", "|a|b|c|\n|:-|:-:|-:|\n|1|2|3|\n|long|long|long|", 40, `
┌──────┬──────┬──────┐
│ a    │  b   │    c │
├──────┼──────┼──────┤
│ 1    │  2   │    3 │
│ long │ long │ long │
└──────┴──────┴──────┘
`},
		{"missing and further cells", "a|b\n-|-\n|1\n|1|2|3|\n|x\\|y||", 40, `
┌─────┬───────┐
│ a   │ b     │
├─────┼───────┤
│ 1   │       │
│ 1   │ 2 | 3 │
│ x|y │       │
└─────┴───────┘
`},
		{"a header with an escape sequence that ends before a pipe", "a\x1b]52;c;eA==\x1b\\|b\n|-|-|\n|1|2|", 40, `
┌───┬───┐
│ a │ b │
├───┼───┤
│ 1 │ 2 │
└───┴───┘
`},
		{"in containers", "- > |a|\n  > |-|\n  > |1|", 40, `
- │ ┌───┐
  │ │ a │
  │ ├───┤
  │ │ 1 │
  │ └───┘
`},
		{"narrow terminal", "|a|b|\n|-|-|\n|1|x<br>y|\n|2||", 39, `
a: 1
b: x y

a: 2
b:
`},
		{"only a header", "|a|b|\n|-|-|\n", 30, "\na, b\n"},
		{"too many columns", strings.Repeat("|a", 12) + "\n" + strings.Repeat("|-", 12) + "\n" + strings.Repeat("|1", 12), 48, "\n" + strings.Repeat("a: 1\n", 12)},
		{"many columns", strings.Repeat("|a", 12) + "\n" + strings.Repeat("|-", 12), 49, `
┌───┬───┬───┬───┬───┬───┬───┬───┬───┬───┬───┬───┐
│ a │ a │ a │ a │ a │ a │ a │ a │ a │ a │ a │ a │
├───┼───┼───┼───┼───┼───┼───┼───┼───┼───┼───┼───┤
└───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┘
`},
	} {
		r := &Renderer{Width: tt.width}
		if got := "\n" + plain(render(r, tt.text)); got != tt.want {
			t.Errorf("%s:\ngot%s\nwant%s", tt.name, got, tt.want)
		}
	}
}

// TestLongTable checks that the pieces of a long table look like one table.
func TestLongTable(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{maxRows, maxRows + 1, 3 * maxRows} {
		text := "x\n\n|a|b|\n|-|-|\n" + strings.Repeat("|one|two|\n", rows) + "\ny"
		got := plain(render(&Renderer{Width: 40}, text))
		want := "x\n\n┌─────┬─────┐\n│ a   │ b   │\n├─────┼─────┤\n" + strings.Repeat("│ one │ two │\n", rows) + "└─────┴─────┘\n\ny\n"
		if got != want {
			t.Errorf("%d rows: %d bytes, want %d", rows, len(got), len(want))
		}
		got = plain(render(&Renderer{Width: 39}, text))
		want = "x\n\n" + strings.Repeat("a: one\nb: two\n\n", rows) + "y\n"
		if got != want {
			t.Errorf("list of %d rows: %d bytes, want %d", rows, len(got), len(want))
		}
	}
	// Widths come from the first rows. Later cells wrap.
	text := "|a|b|\n|-|-|\n" + strings.Repeat("|1|2|\n", maxRows) + "|wide|1|\n"
	if got := plain(render(&Renderer{Width: 40}, text)); !strings.HasSuffix(got, "│ w │ 1 │\n│ i │   │\n│ d │   │\n│ e │   │\n└───┴───┘\n") {
		t.Errorf("later row: %q", got[max(len(got)-80, 0):])
	}
}

// TestTableLinks checks that the widths of a table follow from the text that is shown.
func TestTableLinks(t *testing.T) {
	t.Parallel()
	b := split("|a|\n|-|\n|[b](http://c)|\n")[0]
	for _, tt := range []struct {
		isLinked bool
		want     string
	}{
		{true, "┌───┐\n│ a │\n├───┤\n│ b │\n└───┘\n"},
		{false, "┌──────────────┐\n│ a            │\n├──────────────┤\n│ b (http://c) │\n└──────────────┘\n"},
	} {
		if got := plain((&Renderer{Width: 40, Links: tt.isLinked}).Render(b)); got != tt.want {
			t.Errorf("links %t:\n%s", tt.isLinked, got)
		}
	}
}
