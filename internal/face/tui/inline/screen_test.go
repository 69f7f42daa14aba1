package inline

import (
	"bytes"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"pgregory.net/rapid"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/tuitest"
)

// terminal is a screen with the emulator that shows it.
type terminal struct {
	*Screen
	emulator *tuitest.Emulator
	written  int // bytes of the last frame
}

func newTerminal(width, height int) *terminal {
	return &terminal{
		Screen:   New(Options{Width: width, Height: height, Colors: colorprofile.TrueColor, Synchronizes: true}),
		emulator: tuitest.NewEmulator(width, height),
	}
}

func (t *terminal) show(f Frame) {
	b := t.Frame(f)
	t.written = len(b)
	_, _ = t.emulator.Write(b)
}

func live(rows ...string) Frame {
	f := Frame{}
	for _, r := range rows {
		f.Lines = append(f.Lines, styled.Plain(r))
	}
	return f
}

func TestFrame(t *testing.T) {
	t.Parallel()
	term := newTerminal(20, 6)
	check := func(want ...string) {
		t.Helper()
		if got := term.emulator.Whole(); !slices.Equal(got, want) {
			t.Errorf("%q, not %q", got, want)
		}
	}
	term.show(live("> ", "footer"))
	check(">", "footer")
	term.Print(styled.Plain("one"), styled.Plain("a line of twenty-two c"))
	term.show(live("> x", "footer"))
	check("one", "a line of twenty-two", " c", "> x", "footer")
	term.Print(styled.Plain("two"), nil, styled.Plain("three"))
	term.show(live("waiting", "> x", "footer"))
	check("one", "a line of twenty-two", " c", "two", "", "three", "waiting", "> x", "footer")
	term.show(live("> xy"))
	check("one", "a line of twenty-two", " c", "two", "", "three", "> xy")
	_, _ = term.emulator.Write(term.Erase())
	check("one", "a line of twenty-two", " c", "two", "", "three")
	term.show(live("> again"))
	check("one", "a line of twenty-two", " c", "two", "", "three", "> again")
	term.show(live("> again", "second", "third", "fourth")) // the cursor is in the first row
	check("one", "a line of twenty-two", " c", "two", "", "three", "> again", "second", "third", "fourth")
	term.show(live("> again", "second", "third", "fourth", "fifth"))
	check("one", "a line of twenty-two", " c", "two", "", "three", "> again", "second", "third", "fourth", "fifth")
	term.show(live("> again"))
	check("one", "a line of twenty-two", " c", "two", "", "three", "> again")
}

// TestClear checks that one frame moves the screen into the scrollback and shows the live area at the top, with the lines that are
// printed after it.
func TestClear(t *testing.T) {
	t.Parallel()
	term := newTerminal(20, 4)
	term.Print(styled.Plain("one"))
	term.show(live("> ", "footer"))
	term.Print(styled.Plain("two"))
	term.Clear()
	term.Print(styled.Plain("three"))
	b := term.Frame(live("> ", "footer"))
	if !bytes.HasPrefix(b, []byte(beginFrame)) || bytes.Count(b, []byte(beginFrame)) != 1 || !bytes.HasSuffix(b, []byte(endFrame)) {
		t.Errorf("it is not one frame: %q", b)
	}
	_, _ = term.emulator.Write(b)
	if got, want := term.emulator.Rows(), []string{"three", ">", "footer", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	all := slices.DeleteFunc(term.emulator.Whole(), func(row string) bool { return row == "" })
	if want := []string{"one", "two", "three", ">", "footer"}; !slices.Equal(all, want) {
		t.Errorf("%q, not %q", all, want)
	}
	term.show(live("> x", "footer"))
	if got, want := term.emulator.Rows(), []string{"three", "> x", "footer", ""}; !slices.Equal(got, want) {
		t.Errorf("after it: %q, not %q", got, want)
	}
}

// TestBelow checks that other output, at the end of a program that draws, begins in a row of its own.
func TestBelow(t *testing.T) {
	t.Parallel()
	term := newTerminal(20, 4)
	if b := term.Below(); b != "" {
		t.Errorf("%q without a live area", b)
	}
	for _, row := range []int{0, 1, 2} {
		term = newTerminal(20, 4)
		f := live("> ", "a", "footer")
		f.Cursor = Position{row, 1}
		term.show(f)
		_, _ = term.emulator.Write([]byte(term.Below() + "bug"))
		if got, want := term.emulator.Whole(), []string{">", "a", "footer", "bug"}; !slices.Equal(got, want) {
			t.Errorf("with the cursor in row %d: %q", row, got)
		}
	}
}

func TestNothingChanges(t *testing.T) {
	t.Parallel()
	term := newTerminal(40, 10)
	f := live("a", "b")
	f.Cursor = Position{1, 1}
	term.show(f)
	term.show(live("a", "b"))
	again := live("a", "b")
	term.show(again)
	if term.written != 0 {
		t.Errorf("%d bytes for the same frame", term.written)
	}
}

// TestBytesOfKey checks the bytes that a key costs in a composer of one line.
func TestBytesOfKey(t *testing.T) {
	t.Parallel()
	term := newTerminal(120, 40)
	text := "> "
	for i := range 60 {
		text += string(rune('a' + i%26))
		f := live(strings.Repeat("─", 120), text, strings.Repeat("─", 120), "footer")
		f.Cursor = Position{1, len(text)}
		if term.show(f); i > 0 && term.written > 60 {
			t.Fatalf("key %d: %d bytes: %q", i, term.written, text)
		}
	}
	if at := term.emulator.CursorPosition(); at.X != len(text) || at.Y != 1 {
		t.Errorf("the cursor is at %v", at)
	}
}

// TestPrintMoves checks that a printed line moves the composer, and does not draw it again.
func TestPrintMoves(t *testing.T) {
	t.Parallel()
	border := strings.Repeat("─", 80)
	term := newTerminal(80, 12)
	var want []string
	for i := range 30 {
		line := fmt.Sprintf("line %d of the answer", i)
		open := fmt.Sprintf("line %d of", i+1)
		want = append(want, line)
		term.Print(styled.Plain(line))
		f := live(open, border, "> draft", border, fmt.Sprintf("footer %d", i))
		f.Cursor = Position{2, 7}
		if term.show(f); i > 0 && term.written > 100 {
			t.Fatalf("line %d: %d bytes", i, term.written)
		}
		rows := append(slices.Clone(want), open, border, "> draft", border, fmt.Sprintf("footer %d", i))
		if got := term.emulator.Whole(); !slices.Equal(got, rows) {
			t.Fatalf("line %d:\n%s\nnot\n%s", i, strings.Join(got, "\n"), strings.Join(rows, "\n"))
		}
		if at := term.emulator.CursorPosition(); at.X != 7 {
			t.Fatalf("line %d: the cursor is in column %d", i, at.X)
		}
	}
}

// TestScroll checks that text which scrolls in a part of the live area is not written again, wherever the live area is: also below
// the last row of the screen, and with rows below it.
func TestScroll(t *testing.T) {
	t.Parallel()
	for _, above := range []int{0, 3, 30} {
		term := newTerminal(80, 24)
		var printed []string
		for i := range above {
			printed = append(printed, fmt.Sprintf("printed %d", i))
			term.Print(styled.Plain(printed[i]))
		}
		line := func(i int) string { return fmt.Sprintf("%d %s", i, strings.Repeat(string(rune('a'+i%26)), 70)) }
		for i := range 40 {
			step := 1 + i%3 // rows at once
			var rows []string
			for n := range 12 {
				rows = append(rows, line(i*3+i%3*step+n))
			}
			for n := range step { // scrolls on
				rows = append(rows[1:], line(i*3+i%3*step+12+n))
				all := slices.Concat(rows, []string{strings.Repeat("─", 80), "> draft", "footer"})
				f := live(all...)
				f.Cursor = Position{13, 7}
				term.show(f)
				if n > 0 && term.written > 250 { // the first row, the last one, and the moves of the others
					t.Fatalf("%d bytes for a row of %d", term.written, len(line(0)))
				}
				if got := term.emulator.Whole(); !slices.Equal(got, slices.Concat(printed, all)) {
					t.Fatalf("after %d rows above:\n%s", above, strings.Join(got, "\n"))
				}
				if at := term.emulator.CursorPosition(); at.X != 7 {
					t.Fatalf("the cursor is at %v", at)
				}
			}
		}
	}
}

// TestRowsMove checks that a row that appears above the composer moves it, and that those that vanish leave nothing behind.
func TestRowsMove(t *testing.T) {
	t.Parallel()
	border := strings.Repeat("─", 80)
	term := newTerminal(80, 12)
	rows := []string{border, "> draft", border, "footer"}
	term.show(live(rows...))
	before := 0
	for _, above := range [][]string{{"working"}, {"working", "on it"}, {"on it"}, {}, {"a", "b", "c"}, {"c"}} {
		all := slices.Concat(above, rows)
		if term.show(live(all...)); len(above) > before && term.written > 80 {
			t.Errorf("%q: %d bytes", above, term.written)
		}
		before = len(above)
		if got := term.emulator.Whole(); !slices.Equal(got, all) {
			t.Errorf("%q, not %q", got, all)
		}
	}
}

func TestStyles(t *testing.T) {
	t.Parallel()
	red := styled.Style{Fg: color.RGBA{R: 255, A: 255}}
	for _, c := range []struct {
		name   string
		colors colorprofile.Profile
		line   styled.Line
		want   string
	}{
		{"true color", colorprofile.TrueColor, styled.Line{{Text: "a", Style: red}, {Text: "b"}}, "\x1b[38;2;255;0;0ma\x1b[mb\r"},
		{"no color", colorprofile.Ascii, styled.Line{{Text: "a", Style: red}, {Text: "b"}}, "ab\r"},
		{"link", colorprofile.TrueColor, styled.Line{{Text: "a", Link: "https://x"}, {Text: "b"}}, "\x1b]8;;https://x\x1b\\a\x1b]8;;\x1b\\b\r"},
		{"link with a space", colorprofile.TrueColor, styled.Line{{Text: "a", Link: "file:///b c"}}, "\x1b]8;;file:///b%20c\x1b\\a\x1b]8;;\x1b\\\r"},
		{"link that runs a program", colorprofile.TrueColor, styled.Line{{Text: "a", Link: "javascript:x"}}, "a\r"},
		{"object", colorprofile.TrueColor, styled.Object{Control: "\x1b[2J", Rows: 3}.Line(), ""},
		{"hostile link", colorprofile.TrueColor, styled.Line{{Text: "a", Link: "x\x1b\\\x1b]52;c;eA=="}}, "a\r"},
		{"controls", colorprofile.TrueColor, styled.Plain("a\x1b]0;x\x07\n\u009b\u202e\u200bb"), "a]0;xb\r"},
		{"plain spaces at the end", colorprofile.TrueColor, styled.Plain("a   "), "a\r"},
	} {
		s := New(Options{Width: 20, Height: 5, Colors: c.colors})
		if got := string(s.Frame(Frame{Lines: []styled.Line{c.line}})); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

// TestFill checks that spaces with a background up to the last column are erased with it.
func TestFill(t *testing.T) {
	t.Parallel()
	gray, blue := styled.Style{Bg: color.RGBA{R: 9, G: 9, B: 9, A: 255}}, styled.Style{Bg: color.RGBA{B: 255, A: 255}}
	s := New(Options{Width: 5, Height: 5, Colors: colorprofile.TrueColor})
	for _, c := range []struct {
		line styled.Line
		want string
	}{
		{styled.Of("a    ", gray), "\x1b[48;2;9;9;9ma\x1b[K\x1b[m\r"},
		{styled.Of("ab   ", gray), "\x1b[2G\x1b[48;2;9;9;9mb\x1b[m\r"},
		{styled.Of("a    ", gray), "\x1b[48;2;9;9;9m\x1b[Ka\x1b[m\r"},
		{styled.Of("a    ", blue), "\x1b[48;2;0;0;255ma\x1b[K\x1b[m\r"},
		{styled.Of("     ", blue), "\x1b[48;2;0;0;255m\x1b[K\x1b[m"},
		{nil, "\x1b[K"},
		{styled.Of("ab  ", gray), "\x1b[48;2;9;9;9mab  \x1b[m\r"},
	} {
		if got := string(s.Frame(Frame{Lines: []styled.Line{c.line}})); got != c.want {
			t.Errorf("%q: %q, not %q", c.line, got, c.want)
		}
	}
	s.Print(styled.Of("a    ", gray))
	if got := string(s.Frame(Frame{Lines: []styled.Line{nil}})); !strings.Contains(got, "\x1b[48;2;9;9;9m\x1b[Ka\x1b[m\r\n") {
		t.Errorf("%q", got)
	}
}

// TestUnsureWidth checks that text behind an emoji stands in its column even if the terminal takes the emoji for narrow.
// TestFullRow checks that a row which fills the width keeps its last cell where a row with a background was.
func TestFullRow(t *testing.T) {
	t.Parallel()
	term := newTerminal(20, 6)
	shade := styled.Style{Bg: color.RGBA{0x11, 0x22, 0x33, 0xff}}
	full := strings.Repeat("x", 20)
	term.show(Frame{Lines: []styled.Line{styled.Of("> input"+strings.Repeat(" ", 13), shade)}})
	term.show(live(full))
	if got := term.emulator.Whole(); !slices.Equal(got, []string{full}) {
		t.Errorf("%q", got)
	}
}

func TestUnsureWidth(t *testing.T) {
	t.Parallel()
	s := New(Options{Width: 20, Height: 5})
	if got := string(s.Frame(live("⚙️x"))); !strings.Contains(got, "\x1b[3Gx") {
		t.Errorf("%q", got)
	}
	s = New(Options{Width: 2, Height: 5})
	if got := string(s.Frame(live("⚙️"))); got != "⚙️\r" {
		t.Errorf("in the last column: %q", got)
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	s := New(Options{Width: 20, Height: 5})
	if got := s.Frame(live("a" + strings.Repeat("\u0301", 100_000))); len(got) > 100 {
		t.Errorf("%d bytes", len(got))
	}
}

// TestMarkOfOtherSpan checks that a mark at the beginning of a span is shown with the letter before it.
func TestMarkOfOtherSpan(t *testing.T) {
	t.Parallel()
	s := New(Options{Width: 20, Height: 5})
	line := styled.Line{{Text: "\u0301e"}, {Text: "\u0301x"}}
	if got := string(s.Frame(Frame{Lines: []styled.Line{line}})); got != "e\u0301\x1b[2Gx\r" {
		t.Errorf("%q", got)
	}
}

func TestTooSmall(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {0, 0}, {2, 1}, {1, 2}, {3, 3}} {
		term := newTerminal(max(size[0], 1), max(size[1], 1))
		term.Resize(size[0], size[1])
		f := live("中文字符", "> 🇩🇪 text", "footer")
		f.Cursor = Position{1, 30}
		term.Print(styled.Plain("中文 done"))
		term.show(f)
		f.Cursor.Row = 99
		if term.show(f); term.cursor.Column >= max(size[0], 1) {
			t.Errorf("the cursor is in column %d of %d", term.cursor.Column, size[0])
		}
		_ = term.Erase()
	}
	term := newTerminal(10, 4)
	f := live("1", "2", "3", "4", "5")
	f.Cursor = Position{3, 1}
	term.show(f)
	if got := term.emulator.Rows(); !slices.Equal(got, []string{"3", "4", "5", ""}) {
		t.Errorf("%q", got)
	}
	if at := term.emulator.CursorPosition(); at.Y != 1 || at.X != 1 {
		t.Errorf("the cursor is at %v", at)
	}
}

// TestWholeScreen checks that scrollback and screen hold each printed line once, in order, and the live area below them,
// whatever is printed and however the live area changes.
func TestWholeScreen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(2, 30).Draw(t, "width"), rapid.IntRange(2, 12).Draw(t, "height")
		term := newTerminal(width, height)
		// The emulator shows wide characters at the right margin unlike a terminal; TestTmux has those.
		narrow := rapid.StringOfN(rapid.SampledFrom([]rune("abc  é─")), 0, 40, -1)
		short := rapid.Custom(func(t *rapid.T) string {
			head, _ := styled.Plain(rapid.StringOfN(rapid.SampledFrom([]rune("abc  中文é─")), 0, 40, -1).Draw(t, "text")).Split(width - 1)
			return head.String()
		})
		text := rapid.OneOf(narrow, short)
		var printed []string
		for range rapid.IntRange(1, 25).Draw(t, "frames") {
			for range rapid.IntRange(0, 3).Draw(t, "lines") {
				if object := rapid.IntRange(-4, height-1).Draw(t, "object"); object == 0 {
					term.Print(styled.Object{Control: "\x1b]133;A\a"}.Line())
				} else if object > 0 { // it draws at the first column, and leaves the cursor anywhere
					term.Print(styled.Object{Control: "*\x1b[99;99H", Rows: object}.Line())
					printed = append(printed, append([]string{"*"}, make([]string, object-1)...)...)
				}
				line := text.Draw(t, "line")
				term.Print(styled.Plain(line))
				printed = append(printed, wrapped(line, width)...)
			}
			f := live(rapid.SliceOfN(text, 0, height-1).Draw(t, "live")...)
			f.Cursor = Position{rapid.IntRange(0, height).Draw(t, "row"), rapid.IntRange(0, width-1).Draw(t, "column")}
			term.show(f)
			term.check(t, printed, f)
		}
	})
}

// check checks that scrollback and screen have these printed rows, and a frame below them with its cursor.
func (term *terminal) check(t *rapid.T, printed []string, f Frame) {
	want := slices.Clone(printed)
	for _, line := range f.Lines {
		want = append(want, wrapped(line.String(), term.Width())[0])
	}
	for len(want) > 0 && want[len(want)-1] == "" {
		want = want[:len(want)-1]
	}
	if got := term.emulator.Whole(); !slices.Equal(got, want) {
		t.Fatalf("%q\nnot\n%q", got, want)
	}
	if at := term.emulator.CursorPosition(); at.X != f.Cursor.Column {
		t.Fatalf("the cursor is in column %d, not %d", at.X, f.Cursor.Column)
	}
}

// wrapped returns the rows in which a terminal shows a line.
func wrapped(line string, width int) (rows []string) {
	row := ""
	for column, r := 0, cellsOf(styled.Plain(line)); len(r) > 0; r = r[1:] {
		if column+r[0].width > width {
			rows, row, column = append(rows, strings.TrimRight(row, " ")), "", 0
		}
		row, column = row+r[0].text, column+r[0].width
	}
	return append(rows, strings.TrimRight(row, " "))
}

func TestResize(t *testing.T) {
	t.Parallel()
	s := New(Options{Width: 20, Height: 10})
	f := live("0123456789", "> 01234567", "footer")
	f.Cursor = Position{1, 10}
	_ = s.Frame(f)
	s.Resize(5, 10) // the first row takes two rows now, and the cursor is in the third row of the second one
	if got := string(s.Frame(f)); !strings.HasPrefix(got, "\x1b[4A\r\x1b[K\x1b[C\x1b[J\r01234\r\n> 012\r\n") {
		t.Errorf("%q", got)
	}
	s = New(Options{Width: 20, Height: 10, KeepsRows: true})
	_ = s.Frame(f)
	s.Resize(5, 10)
	if got := string(s.Frame(f)); !strings.HasPrefix(got, "\x1b[A\r\x1b[K\x1b[C\x1b[J\r01234\r\n") {
		t.Errorf("a terminal that keeps its rows: %q", got)
	}
}

func TestResizeFill(t *testing.T) {
	t.Parallel()
	s := New(Options{Width: 5, Height: 5, Colors: colorprofile.TrueColor})
	f := Frame{Lines: []styled.Line{styled.Of("a    ", styled.Style{Bg: color.RGBA{R: 9, G: 9, B: 9, A: 255}})}}
	_ = s.Frame(f)
	s.Resize(10, 5)
	if got := string(s.Frame(f)); !strings.HasSuffix(got, "\x1b[48;2;9;9;9ma    \x1b[m\r") {
		t.Errorf("%q", got)
	}
}

func TestHeight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text        string
		width, want int
	}{
		{"", 2, 1}, {"ab", 2, 1}, {"abc", 2, 2}, {"a中b", 2, 3}, {"a中b", 3, 2}, {"中文", 1, 2},
	} {
		if got := newRow(styled.Plain(c.text), 20).height(c.width); got != c.want {
			t.Errorf("%q in %d columns: %d rows, not %d", c.text, c.width, got, c.want)
		}
	}
}

func BenchmarkKey(b *testing.B) {
	term := New(Options{Width: 120, Height: 40, Colors: colorprofile.TrueColor, Synchronizes: true})
	frames := [2]Frame{}
	for i := range frames {
		frames[i] = live(strings.Repeat("─", 120), "> "+strings.Repeat("x", 30+i), strings.Repeat("─", 120), "footer")
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_ = term.Frame(frames[i%2])
	}
}

func BenchmarkPrint(b *testing.B) {
	term := New(Options{Width: 120, Height: 40, Colors: colorprofile.TrueColor, Synchronizes: true})
	var lines []styled.Line
	for i := range 10 {
		lines = append(lines, styled.Plain(fmt.Sprintf("line %d of an answer with some words in it", i)))
	}
	f := live("working", "> ", "footer")
	b.ReportAllocs()
	for b.Loop() {
		term.Print(lines...)
		_ = term.Frame(f)
	}
}

func FuzzLine(f *testing.F) {
	f.Add([]byte("a\x1b[31m中\u0301\U0001F1E9\U0001F1EA\xff"), uint8(7))
	f.Fuzz(func(t *testing.T, text []byte, width uint8) {
		s := New(Options{Width: int(width), Height: 5})
		s.Print(styled.Plain(string(text)))
		b := s.Frame(live(string(text), "footer"))
		for _, c := range []string{"\x1b]", "\x07", "\x1bP", "\u009b", "\u202e"} {
			if bytes.Contains(b, []byte(c)) {
				t.Errorf("%q has %q", b, c)
			}
		}
	})
}
