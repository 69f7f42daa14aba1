package diff

import (
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"pgregory.net/rapid"

	"pollux/tool"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("same\n", 20)
	for _, c := range []struct {
		name   string
		width  int
		change Change
		want   []string
	}{
		{
			"changed word", 60, changeOf("x", "one\ntwo words here\n", "one\ntwo terms here\n"),
			[]string{"1   one                        1   one", "2 r- rtwo r*words*r here             2 g+ gtwo g*terms*g here"},
		},
		{
			"more lines on one side", 60, changeOf("x", "a\nb\nc\nd\n", "A\nB\nd\ne\n"),
			[]string{
				"1 r- ra                          1 g+ gA", "2 r- rb                          2 g+ gB", "3 r- rc",
				"4   d                          3   d", "                               4 g+ ge",
			},
		},
		{
			"long line", 60, changeOf("x", "a few words that do not fit\n", "xabcdefghijklmnopqrstuvwxyzABCDEFG\n"),
			[]string{"1 r- ra few words that do not    1 g+ gxabcdefghijklmnopqrstuvwx", "    rfrit                            gyzABCDEFG"},
		},
		{
			"Chinese, tab and controls", 60, changeOf("x", "\t我们使用中文写程序和文档\n", "\t我们\x1b[31m喜欢\u202e中文\n"),
			[]string{"1 r- r    我们使用中文写程序和   1 g+ g    我们g*喜欢*g中文", "    r文档"},
		},
		{
			"gap", 60, changeOf("x", "a\n"+many+"b\n", "A\n"+many+"B\n"),
			[]string{
				" 1 r- ra                          1 g+ gA", " 2   same                       2   same", " 3   same                       3   same", " 4   same                       4   same",
				"═══════════════",
				"19   same                      19   same", "20   same                      20   same", "21   same                      21   same", "22 r- rb                         22 g+ gB",
			},
		},
		{"new file", 200, Change{DiffDisplay: tool.DiffDisplay{FileName: "x", After: "a\nb\n"}}, []string{"1   a", "2   b"}},
		{"nothing", 200, changeOf("x", "a", "a"), []string{"No changes detected."}},
		{"too narrow", 49, changeOf("x", "a\n", "b\n"), []string{"1 r- ra", "1 g+ gb"}},
		{"just wide enough", 50, changeOf("x", "a\n", "b\n"), []string{"1 r- ra                     1 g+ gb"}},
	} {
		if got := notation(c.change.Lines(styles, Split, c.width)); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nnot\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestLayout(t *testing.T) {
	t.Parallel()
	c := changeOf("x", "a\n", "b\n")
	for _, tt := range []struct {
		layout Layout
		width  int
		want   int // lines
	}{
		{Auto, 159, 2},
		{Auto, 160, 1},
		{"", 160, 1},
		{"other", 80, 2},
		{One, 400, 2},
		{Split, 80, 1},
		{Split, 20, 2},
		{Split, 0, 2},
	} {
		if got := c.Lines(styles, tt.layout, tt.width); len(got) != tt.want {
			t.Errorf("%q at %d: %d lines", tt.layout, tt.width, len(got))
		}
	}
	for layout, want := range map[Layout][2]Layout{Auto: {One, Split}, "": {One, Split}, One: {One, One}, Split: {Split, Split}} {
		if got := [2]Layout{layout.On(159), layout.On(160)}; got != want {
			t.Errorf("%q: %q", layout, got)
		}
	}
	rejected := c
	rejected.IsRejected = true
	if got := notation(rejected.Lines(styles, Split, 60)); !slices.Equal(got, []string{"1 - a                          1 + b"}) {
		t.Errorf("rejected: %q", got)
	}
}

// TestSplitProperties checks that two columns fit the width and have the text of both versions, each in its column.
func TestSplitProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab 中é\t👩x.")), 0, 60, -1)
		file := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(text, 0, 12).Draw(t, "lines"), "\n")
		})
		before, after := file.Draw(t, "before"), file.Draw(t, "after")
		width := rapid.IntRange(60, 200).Draw(t, "width")
		c := Change{DiffDisplay: tool.DiffDisplay{FileName: "x.go", Before: &before, After: after, Diff: udiff.Unified("a", "b", before, after)}}
		lines := c.Lines(styles, Split, width)
		one := c.Unified(styles)
		room, gutter := (width-between)/2, c.Gutter()
		var left, right strings.Builder
		for _, l := range lines {
			if l.Width() > width {
				t.Fatalf("%q is wider than %d", l, width)
			}
			if text := l.String(); strings.HasPrefix(text, "─") || strings.HasPrefix(text, "═") || text == "No changes detected." {
				continue
			}
			head, tail := l.Split(room)
			_, body := head.Split(gutter)
			left.WriteString(body.String())
			_, body = tail.Split(between + gutter)
			right.WriteString(body.String())
		}
		var old, next strings.Builder
		for _, l := range one {
			gutterText, body := l.Split(gutter)
			sign := gutterText.String()
			switch {
			case strings.HasSuffix(sign, "- "):
				old.WriteString(body.String())
			case strings.HasSuffix(sign, "+ "):
				next.WriteString(body.String())
			case strings.HasSuffix(sign, "  "):
				old.WriteString(body.String())
				next.WriteString(body.String())
			}
		}
		bare := func(s string) string { return strings.ReplaceAll(s, " ", "") } // spaces fill columns, and are left out where lines are wrapped
		if bare(left.String()) != bare(old.String()) || bare(right.String()) != bare(next.String()) {
			t.Fatalf("left %q, not %q; right %q, not %q", left.String(), old.String(), right.String(), next.String())
		}
	})
}
