package diff

import (
	"image/color"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"pgregory.net/rapid"

	"pollux/internal/face/tui/highlight"
	"pollux/internal/face/tui/styled"
	"pollux/tool"
)

var (
	green = color.RGBA{G: 1, A: 255}
	red   = color.RGBA{R: 1, A: 255}
	bold  = styled.Style{Attrs: styled.Bold}
)

var styles = Styles{
	Added: styled.Style{Bg: green}, Removed: styled.Style{Bg: red}, AddedWord: bold, RemovedWord: bold,
	Number: styled.Style{Attrs: styled.Faint},
	Code: func(k highlight.Kind) styled.Style {
		if k == highlight.Keyword {
			return styled.Style{Attrs: styled.Italic}
		}
		return styled.Style{}
	},
}

func changeOf(name, before, after string) Change {
	d := tool.DiffDisplay{FileName: name, Before: &before, After: after, Diff: udiff.Unified("a", "b", before, after)}
	return Change{DiffDisplay: d}
}

// notation returns lines as text: *bold*, _italic_, the background of a line as "g" or "r" before it.
func notation(lines []styled.Line) (all []string) {
	for _, l := range lines {
		var b strings.Builder
		for _, s := range l {
			mark := ""
			switch {
			case s.Style.Attrs&styled.Bold != 0:
				mark = "*"
			case s.Style.Attrs&styled.Italic != 0:
				mark = "_"
			}
			switch s.Style.Bg {
			case green:
				b.WriteByte('g')
			case red:
				b.WriteByte('r')
			}
			b.WriteString(mark + s.Text + mark)
		}
		all = append(all, b.String())
	}
	return all
}

func TestUnified(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("same\n", 20)
	for _, c := range []struct {
		name   string
		change Change
		want   []string
	}{
		{
			"changed word", changeOf("x", "one\ntwo words here\n", "one\ntwo terms here\n"),
			[]string{"1   one", "2 r- rtwo r*words*r here", "2 g+ gtwo g*terms*g here"},
		},
		{
			"highlighted", changeOf("x.go", "package a\n", "package a\nvar b int\n"),
			[]string{"1   _package_ a", "2 g+ g_var_g b gint"},
		},
		{"another line", changeOf("x", "one\n", "completely different\n"), []string{"1 r- rone", "1 g+ gcompletely different"}},
		{
			"gap", changeOf("x", "a\n"+many+"b\n", "A\n"+many+"B\n"),
			[]string{
				" 1 r- ra", " 1 g+ gA", " 2   same", " 3   same", " 4   same", "═══════════════",
				"19   same", "20   same", "21   same", "22 r- rb", "22 g+ gB",
			},
		},
		{"nothing", changeOf("x", "a", "a"), []string{"No changes detected."}},
		{"tab and controls", changeOf("x", "", "\tx\x1b[31m\u202ey\n"), []string{"1 g+ g    xy"}},
		{"no line feed", changeOf("x", "a", "b"), []string{"1 r- ra", "1 g+ gb"}},
		{"new file", Change{DiffDisplay: tool.DiffDisplay{FileName: "x.go", After: "package a\n\nvar b int\n"}}, []string{"1   _package_ a", "2   ", "3   _var_ b int"}},
		{"Chinese", changeOf("x", "我们使用中文\n", "我们喜欢中文\n"), []string{"1 r- r我们r*使用*r中文", "1 g+ g我们g*喜欢*g中文"}},
		{"removed lines", changeOf("x.go", "package a\nvar b\nvar c\n", ""), []string{"1 r- r_package_r a", "2 r- r_var_r b", "3 r- r_var_r c"}},
		{"unknown lines", Change{DiffDisplay: tool.DiffDisplay{Before: new(string), Diff: "x\n@@ -1 +1 @@\n+a\nx\n\\ no line feed\n"}}, []string{"1 g+ ga"}},
		{"another text", Change{DiffDisplay: tool.DiffDisplay{FileName: "x.go", Before: new(string), After: "package b\n", Diff: "@@ -0,0 +1 @@\n+var a\n"}}, []string{"1 g+ gvar a"}},
		{"combining", changeOf("x", "abcdefg cafe\u0301\n", "abcdefg cafe\u0300\n"), []string{"1 r- rabcdefg r*cafe\u0301*", "1 g+ gabcdefg g*cafe\u0300*"}},
	} {
		if got := notation(c.change.Unified(styles)); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nnot\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	rejected := changeOf("x.go", "package a\n", "package b\n")
	rejected.IsRejected = true
	if got := notation(rejected.Unified(styles)); !slices.Equal(got, []string{"1 - package a", "1 + package b"}) {
		t.Errorf("rejected: %q", got)
	}
}

func TestAttributes(t *testing.T) {
	t.Parallel()
	c := changeOf("x.go", "package a\n", "")
	plain := Styles{Removed: styled.Style{Attrs: styled.Bold}, Code: styles.Code}
	if got := notation(c.Unified(plain)); !slices.Equal(got, []string{"1 *- **package** a*"}) {
		t.Errorf("without colors: %q", got)
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change Change
		want   string
	}{
		{changeOf("x", "a\nb\n", "a\nc\nd\n"), "dir/x +2 -1"},
		{Change{DiffDisplay: tool.DiffDisplay{After: "a\nb\n"}}, "dir/x +2 -0"},
		{Change{DiffDisplay: tool.DiffDisplay{After: "a\nb"}}, "dir/x +2 -0"},
	} {
		if got := c.change.Head("dir/x", styles).String(); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}

func TestGutter(t *testing.T) {
	t.Parallel()
	c := changeOf("x", "", strings.Repeat("a\n", 120))
	if got := c.Gutter(); got != len("120 + ") || !strings.HasPrefix(c.Unified(styles)[0].String(), "  1 + a") {
		t.Errorf("%d columns before %q", got, c.Unified(styles)[0])
	}
}

func TestHuge(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("中", 4<<20)
	for _, c := range []Change{changeOf("x.go", "a\n", "b\n"+line+"\n"), {DiffDisplay: tool.DiffDisplay{FileName: "x.go", After: line}}} {
		for _, l := range c.Unified(styles) {
			if n := len(l.String()); n > maxLine+50 {
				t.Errorf("a line of %d bytes", n)
			}
		}
	}
}

// TestKeepsLines checks that the shown lines are those of the two versions.
func TestKeepsLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			lines := rapid.SliceOfN(rapid.StringOf(rapid.SampledFrom([]rune("ab 中e\u0301"))), 1, 12).Draw(t, "lines")
			return strings.Join(lines, "\n") + "\n"
		})
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		c := changeOf("x.go", before, after)
		c.Diff = unifiedWhole(before, after)
		versions := map[byte][]string{}
		if before != after {
			for _, l := range c.Unified(styles) {
				text := l.String()[c.Gutter()-2:]
				if text[0] != '+' {
					versions['-'] = append(versions['-'], text[2:])
				}
				if text[0] != '-' {
					versions['+'] = append(versions['+'], text[2:])
				}
			}
			for kind, want := range map[byte]string{'-': before, '+': after} {
				if got := strings.Join(versions[kind], "\n") + "\n"; got != want {
					t.Fatalf("%c: %q, not %q", kind, got, want)
				}
			}
		}
	})
}

// unifiedWhole returns the difference with all lines around the changes.
func unifiedWhole(before, after string) string {
	text, err := udiff.ToUnified("a", "b", before, udiff.Strings(before, after), 1000)
	if err != nil {
		panic(err)
	}
	return text
}

func FuzzUnified(f *testing.F) {
	f.Add("@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\nb\n", "a\nc\n")
	f.Add("@@ -4294967299,2 +1 @@\n-\n@@ -0,0 +0,0 @@\n\n\\ No newline\n", "", "")
	f.Fuzz(func(t *testing.T, diff, before, after string) {
		c := Change{DiffDisplay: tool.DiffDisplay{FileName: "x.go", Diff: diff, Before: &before, After: after}}
		for _, l := range c.Unified(styles) {
			if strings.ContainsAny(l.String(), "\x1b\n\r\t\u202e") {
				t.Errorf("%q", l)
			}
		}
		c.Head("x", styles)
	})
}

func BenchmarkUnified(b *testing.B) {
	before := strings.Repeat("func f() int { return 1 } // a comment\n", 1000)
	after := strings.Replace(before, "return 1", "return 2", 1)
	c := changeOf("x.go", before, after)
	b.ReportAllocs()
	for b.Loop() {
		c.Unified(styles)
	}
}
