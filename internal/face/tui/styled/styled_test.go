package styled

import (
	"image/color"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/terminal"
)

var red = Style{Fg: color.RGBA{R: 255, A: 255}}

func texts(lines []Line) (all []string) {
	for _, l := range lines {
		all = append(all, l.String())
	}
	return all
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line   Line
		width  int
		indent Line
		want   []string
	}{
		{Plain("one two three"), 20, nil, []string{"one two three"}},
		{Plain("one two three"), 7, nil, []string{"one two", "three"}},
		{Plain("one two three"), 8, nil, []string{"one two", "three"}},
		{Plain("one two three"), 6, Plain("  "), []string{"one", "  two", "  thre", "  e"}},
		{Line{{Text: "one "}, {Text: "two", Style: red}, {Text: "! three"}}, 8, nil, []string{"one two!", "three"}},
		{Line{{Text: "un"}, {Text: "broken", Style: red}}, 5, nil, []string{"unbro", "ken"}},
		{Plain("  indented word"), 10, nil, []string{"  indented", "word"}},
		{Plain("  unbreakable"), 8, nil, []string{"  unbrea", "kable"}},
		{Plain("中文字符"), 5, nil, []string{"中文", "字符"}},
		{Plain("中文"), 1, nil, []string{"…", "…"}},
		{Plain("a b"), 0, Plain("    "), []string{"a", "b"}},
		{Plain("👩‍👩‍👧x👩‍👩‍👧"), 3, nil, []string{"👩‍👩‍👧x", "👩‍👩‍👧"}},
		{Plain("Hello 中文中文中文"), 10, nil, []string{"Hello 中文", "中文中文"}},
		{Plain("说明：请选择一个选项，然后继续"), 12, Plain("  "), []string{"说明：请选择", "  一个选项，", "  然后继续"}},
		{Plain("a 选项，b「引用」"), 6, nil, []string{"a 选", "项，b", "「引", "用」"}},
		{Line{{Text: "运行"}, {Text: "run", Style: red}, {Text: "命令 x"}}, 8, nil, []string{"运行run", "命令 x"}},
		{nil, 3, nil, []string{""}},
		{Plain("end   "), 4, nil, []string{"end"}},
	} {
		if got := texts(c.line.Wrap(c.width, c.indent)); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d columns: %q, not %q", c.line, c.width, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line  Line
		width int
		want  string
	}{
		{Plain("text"), 4, "text"},
		{Plain("text"), 3, "te…"},
		{Plain("text"), 1, "…"},
		{Plain("text"), 0, ""},
		{Plain("中文"), 3, "中…"},
		{Plain("中文"), 2, "…"},
		{Line{{Text: "a"}, {Text: "bc", Style: red}}, 2, "a…"},
	} {
		if got := c.line.Cut(c.width).String(); got != c.want {
			t.Errorf("%q in %d columns: %q, not %q", c.line, c.width, got, c.want)
		}
	}
	line := Line{{Text: "a"}, {Text: "bc", Style: red}, {Text: "d"}}
	if line.Cut(2); line.String() != "abcd" {
		t.Errorf("Cut changes the line to %q", line)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	if got := Text("a\tb\r\nc\x1b[31m\u202ed  e\x07"); got != "a    b cd  e" {
		t.Errorf("%q", got)
	}
}

// TestWrapKeeps checks that wrapping changes nothing but spaces, keeps the styles, and keeps to the width.
func TestWrapKeeps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var line Line
		for range rapid.IntRange(0, 5).Draw(t, "spans") {
			style := Style{}
			if rapid.Bool().Draw(t, "red") {
				style = red
			}
			line = append(line, Span{Text: rapid.StringOfN(rapid.SampledFrom([]rune("ab  中é🇩")), 0, 12, -1).Draw(t, "text"), Style: style})
		}
		before := marked(line)
		width := rapid.IntRange(2, 20).Draw(t, "width")
		var after string
		for _, l := range line.Wrap(width, nil) {
			if l.Width() > width {
				t.Fatalf("%q is wider than %d", l, width)
			}
			after += marked(l)
		}
		if after != before || marked(line) != before {
			t.Fatalf("%q became %q", before, after)
		}
	})
}

// marked returns the characters of a line but spaces, those of red spans as capital letters or behind "!".
func marked(l Line) string {
	var b strings.Builder
	for _, s := range l {
		for _, r := range strings.ReplaceAll(s.Text, " ", "") {
			if s.Style.Equal(&red) {
				b.WriteByte('!')
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

func BenchmarkWrap(b *testing.B) {
	line := Plain(strings.Repeat("some words of an answer ", 20))
	b.ReportAllocs()
	for b.Loop() {
		line.Wrap(80, nil)
	}
	_ = terminal.Width(line.String())
}
