package full

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"pgregory.net/rapid"

	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/tuitest"
)

// device is a screen with an emulator that shows it.
type device struct {
	*Screen
	emulator *tuitest.Emulator
	bytes    int // of the last frame
}

func newTerminal(width, height int) *device {
	return &device{
		Screen:   New(Options{Width: width, Height: height, Colors: colorprofile.ASCII, Theme: theme.NoColor}),
		emulator: tuitest.NewEmulator(width, height),
	}
}

// show draws a frame: lines of work in progress, and lines below the conversation.
func (t *device) show(open, below []string) []string {
	f := inline.Frame{Open: len(open), Cursor: inline.Position{Row: len(open)}}
	for _, text := range slices.Concat(open, below) {
		f.Lines = append(f.Lines, styled.Plain(text))
	}
	b := t.Frame(f)
	t.bytes = len(b)
	_, _ = t.emulator.Write(b)
	return t.emulator.Rows()
}

func (t *device) resize(width, height int) {
	t.Resize(width, height)
	t.emulator.Resize(max(width, 1), max(height, 1))
}

// numbered returns lines with numbers.
func numbered(from, to int) (lines []styled.Line) {
	for i := from; i <= to; i++ {
		lines = append(lines, styled.Plain(fmt.Sprint("line ", i)))
	}
	return lines
}

// rowsOf returns the rows of texts in a width, by the rule that a row ends behind a space in its second half if it has one.
func rowsOf(texts []string, width int) (rows []string) {
	for _, text := range texts {
		for len(text) > width {
			n := width
			for n < len(text) && text[n] == ' ' {
				n++
			}
			if n < len(text) {
				if at := strings.LastIndexByte(text[:n], ' ') + 1; at > n/2 {
					n = at
				}
			}
			if n == len(text) {
				break
			}
			rows, text = append(rows, strings.TrimRight(text[:n], " ")), text[n:]
		}
		rows = append(rows, strings.TrimRight(text, " "))
	}
	return rows
}

// TestScroll checks that the screen shows the rows of the conversation that belong to its place, whatever is printed, scrolled
// and resized.
func TestScroll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(1, 24).Draw(t, "width"), rapid.IntRange(1, 14).Draw(t, "height")
		term := newTerminal(width, height)
		text := rapid.StringOfN(rapid.SampledFrom([]rune("abc  ")), 0, 60, -1)
		var printed []string
		top, isBack, seen := 0, false, 0
		below := []string{"> ", "footer"}[:min(2, height)]
		for range rapid.IntRange(1, 20).Draw(t, "frames") {
			for range rapid.IntRange(0, 6).Draw(t, "lines") {
				printed = append(printed, text.Draw(t, "line"))
				term.Print(styled.Plain(printed[len(printed)-1]))
			}
			room := height - len(below)
			var open []string
			for range rapid.IntRange(0, room).Draw(t, "open") {
				open = append(open, "open")
			}
			all := rowsOf(printed, width)
			bottom := max(len(all)+len(open)-room, 0)
			if top = min(top, bottom); top == bottom {
				isBack = false
			}
			if !isBack {
				top = bottom
			}
			got := term.show(open, below)
			want := slices.Clone(all[min(top, len(all)):min(top+room, len(all))])
			want = append(want, open[:min(len(open), room-len(want))]...)
			for len(want) < room {
				want = append(want, "")
			}
			for i := range want {
				want[i] = strings.TrimRight(want[i][:min(len(want[i]), width)], " ")
			}
			if term.hasNews {
				want[room-1] = got[room-1]
			}
			if !slices.Equal(got[:room], want) {
				t.Fatalf("%d x %d from row %d of %d:\n%q\nnot\n%q", width, height, top, bottom, got[:room], want)
			}
			if !isBack {
				seen = len(printed)
			}
			if n := term.backlog.unseen(); n > len(printed)-seen || !isBack && n > 0 {
				t.Fatalf("%d lines are new, not %d", n, len(printed)-seen)
			}
			n := rapid.IntRange(-2*height, height).Draw(t, "scroll")
			term.Scroll(n)
			top = max(min(top+n, bottom), 0)
			isBack = top < bottom
		}
	})
}

// TestResize checks that the text at the top stays there when the width changes, and that any size works.
func TestResize(t *testing.T) {
	t.Parallel()
	term := newTerminal(80, 10)
	for i := range 50 {
		term.Print(styled.Plain(fmt.Sprintf("%d %s", i, strings.Repeat("words ", 12))))
	}
	term.show(nil, []string{"> "})
	term.Scroll(-20)
	for _, size := range [][2]int{{40, 10}, {1, 1}, {0, 0}, {2, 2}, {40, 10}, {7, 3}, {200, 60}, {80, 10}} {
		term.resize(size[0], size[1])
		got := term.show([]string{"open"}, []string{"> ", "footer"})
		if size == [2]int{40, 10} && !strings.HasPrefix(got[0], "21 words") {
			t.Errorf("%v: %q", size, got)
		}
	}
	term.ToEnd()
	if got := term.show(nil, []string{"> "}); !strings.HasPrefix(got[8], "49 words") {
		t.Errorf("%q", got)
	}
}

// blockOf returns a block of words, which it wraps, in a frame as wide as the screen. A frame with a wide word is wider than that.
func blockOf(words []string, width int) styled.Line {
	fit := func(width int) (lines []styled.Line) {
		border := styled.Of(strings.Repeat("-", width), styled.Style{Attrs: styled.Bold})
		lines = append(lines, border)
		lines = append(lines, styled.Plain(strings.Join(words, " ")).Wrap(width, nil)...)
		return append(lines, nil, border)
	}
	return styled.Block{Lines: fit(width), Width: width, Fit: fit}.Line()
}

// TestBlocks checks that blocks are shown, selected and left behind as if they had been made for the width of the screen.
func TestBlocks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(1, 24).Draw(t, "width"), rapid.IntRange(2, 14).Draw(t, "height")
		term := newTerminal(width, height)
		words := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("abc中")), 1, 12, -1), 1, 12)
		var texts [][]string // nil for a line that is no block
		for range rapid.IntRange(1, 12).Draw(t, "frames") {
			for range rapid.IntRange(0, 4).Draw(t, "items") {
				text := words.Draw(t, "words")
				if rapid.Bool().Draw(t, "block") {
					texts = append(texts, text)
					term.Print(blockOf(text, width))
				} else {
					texts = append(texts, nil)
					term.Print(styled.Plain("line"))
				}
			}
			if rapid.Bool().Draw(t, "resize") {
				width = rapid.IntRange(1, 24).Draw(t, "new width")
				term.resize(width, height)
			}
			fresh := newTerminal(width, height)
			for _, text := range texts {
				if text == nil {
					fresh.Print(styled.Plain("line"))
				} else {
					fresh.Print(styled.Unblocked([]styled.Line{blockOf(text, width)})...)
				}
			}
			term.ToEnd()
			got, want := term.show(nil, []string{"> "}), fresh.show(nil, []string{"> "})
			if !slices.Equal(got, want) {
				t.Fatalf("%d x %d:\n%q\nnot\n%q", width, height, got, want)
			}
			if got, want := linesOf(term.Tail(3*height)), linesOf(fresh.Tail(3*height)); !strings.HasSuffix(want, got) {
				t.Errorf("the last lines are %q, not %q", got, want)
			}
			for _, d := range []*device{term, fresh} {
				d.Press(0, 0)
				d.Drag(height-2, width-1)
			}
			if got, want := term.Selected(), fresh.Selected(); got != want {
				t.Errorf("%q is selected, not %q", got, want)
			}
			term.Deselect()
		}
	})
}

func linesOf(lines []styled.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

// TestWide checks that a wide character is never cut in two, and that a single column does no harm.
func TestWide(t *testing.T) {
	t.Parallel()
	if got := rowStarts("中文字符", 5); !slices.Equal(got, []int{0, 6}) {
		t.Errorf("%v", got)
	}
	if got := rowStarts("中文", 1); !slices.Equal(got, []int{0, 3}) {
		t.Errorf("%v", got)
	}
	if got := rowStarts("one two", 4); !slices.Equal(got, []int{0, 4}) {
		t.Errorf("%v", got)
	}
}

// TestBound checks that a long conversation takes bounded memory, and that a frame lays out the lines on the screen only.
func TestBound(t *testing.T) {
	t.Parallel()
	term := newTerminal(80, 24)
	for i := range 150_000 {
		term.Print(styled.Line{{Text: fmt.Sprintf("item %d ", i)}, {Text: strings.Repeat("text ", 10), Style: styled.Style{Attrs: styled.Bold}}})
	}
	b := &term.backlog
	if len(b.lines) > maxLines || b.size > maxSize || len(b.styles) != 2 || b.end() != 150_000 {
		t.Errorf("%d lines, %d bytes, %d styles", len(b.lines), b.size, len(b.styles))
	}
	if got := term.show(nil, []string{"> "}); !strings.HasPrefix(got[22], "item 149999") {
		t.Errorf("%q", got[22])
	}
	if len(b.known) > 2*24 {
		t.Errorf("%d lines are laid out", len(b.known))
	}
	term.ToStart()
	if got := term.show(nil, []string{"> "}); !strings.HasPrefix(got[0], fmt.Sprint("item ", b.first)) || len(b.known) > 4*24 {
		t.Errorf("%q, %d lines are laid out", got[0], len(b.known))
	}
	if term.Scroll(20_000); len(b.known) > maxKnown {
		t.Errorf("%d lines are laid out", len(b.known))
	}
	term.Print(styled.Plain(strings.Repeat("x", 10<<20))) // one line
	if b.size > maxSize {
		t.Errorf("%d bytes", b.size)
	}
	for n := b.first; n < b.end(); n++ {
		if len(b.at(n).text) > maxText {
			t.Fatalf("a line has %d bytes", len(b.at(n).text))
		}
	}
}

// TestNews checks that new lines do not move the screen, that their number is shown, and that a press shows them.
func TestNews(t *testing.T) {
	t.Parallel()
	term := newTerminal(30, 6)
	term.Print(numbered(1, 20)...)
	term.show(nil, []string{"> "})
	term.Scroll(-3)
	before := term.show(nil, []string{"> "})
	term.Print(numbered(21, 27)...)
	got := term.show(nil, []string{"> "})
	if got[4] != "↓ 7 new lines" || !slices.Equal(got[:4], before[:4]) {
		t.Errorf("%q", got)
	}
	term.Print(numbered(28, 28)...)
	term.Scroll(9)
	if got = term.show(nil, []string{"> "}); got[4] != "↓ 2 new lines" {
		t.Errorf("%q", got)
	}
	term.Press(4, 3)
	if got = term.show(nil, []string{"> "}); got[4] != "line 28" || term.Selected() != "" {
		t.Errorf("%q", got)
	}
}

// TestFreeze checks that a frozen screen stays as it is, scrolls, and follows the end again.
func TestFreeze(t *testing.T) {
	t.Parallel()
	term := newTerminal(30, 6)
	term.Print(numbered(1, 3)...)
	term.show([]string{"open"}, []string{"> one"})
	term.Freeze("note")
	term.Print(numbered(4, 20)...)
	want := []string{"line 1", "line 2", "line 3", "open", "note", "> one"}
	if got := term.show(nil, []string{"> two"}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	term.Thaw()
	if got := term.show(nil, []string{"> two"}); got[4] != "line 20" || got[5] != "> two" {
		t.Errorf("%q", got)
	}
	term.Freeze("note")
	term.Scroll(-4)
	if got := term.show(nil, nil); got[0] != "line 12" {
		t.Errorf("%q", got)
	}
}

// TestSelect checks the text of selections in both directions, over rows, over wide characters, and beyond the screen.
func TestSelect(t *testing.T) {
	t.Parallel()
	term := newTerminal(10, 7)
	term.Print(styled.Plain("old"), styled.Plain("one two three four"), styled.Plain("中文字符"), nil, styled.Plain("end  "), styled.Plain("x"))
	term.show(nil, []string{"> "})
	for _, c := range []struct {
		from, to [2]int
		want     string
	}{
		{[2]int{0, 0}, [2]int{0, 2}, "one"},
		{[2]int{0, 2}, [2]int{0, 0}, "one"},
		{[2]int{0, 4}, [2]int{1, 4}, "two three"},
		{[2]int{1, 6}, [2]int{2, 3}, "four\n中文"},
		{[2]int{2, 4}, [2]int{2, 5}, ""},
		{[2]int{2, 4}, [2]int{4, 0}, "字符\n\ne"},
		{[2]int{4, 0}, [2]int{4, 9}, "end  "},
		{[2]int{3, 0}, [2]int{3, 0}, ""},
	} {
		term.Press(c.from[0], c.from[1])
		term.Drag(c.to[0], c.to[1])
		if term.Release() != (c.want != "") || term.Selected() != c.want {
			t.Errorf("from %v to %v: %q, not %q", c.from, c.to, term.Selected(), c.want)
		}
		term.Deselect()
		term.ToEnd()
		term.show(nil, []string{"> "})
	}
	term.Press(1, 3)
	term.Drag(0, 0) // scrolls; the next frame shows it
	term.show(nil, []string{"> "})
	term.Drag(0, 0)
	if got := term.Selected(); got != "old\none two thre" {
		t.Errorf("%q", got)
	}
	lines := term.backlog.view(10, 5, nil)
	if lines[0][0].Style.Attrs&styled.Reverse == 0 {
		t.Errorf("the selection is not marked: %v", lines)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	term := newTerminal(10, 6)
	term.Print(numbered(1, 9)...)
	term.Print(styled.Plain("a line of three long rows"), styled.Object{Control: "\x1b]133;A\a"}.Line(), styled.Line{{Text: "last", Link: "https://example.org"}})
	lines := term.Tail(4)
	if len(lines) != 2 || lines[0].String() != "a line of three long rows" || lines[1][0].Link == "" {
		t.Errorf("%q", lines)
	}
	if lines = term.Tail(3); len(lines) != 1 { // a line is whole or not there
		t.Errorf("%q", lines)
	}
	if lines = term.Tail(99); len(lines) != 11 {
		t.Errorf("%q", lines)
	}
	term.Clear()
	if got := term.show(nil, []string{"> "}); got[0] != "" || len(term.Tail(9)) != 0 {
		t.Errorf("%q", got)
	}
}

// TestKey checks that a key draws its own cells only, and that a lost screen is drawn again.
func TestKey(t *testing.T) {
	t.Parallel()
	term := newTerminal(80, 24)
	term.Print(numbered(1, 99)...)
	term.show(nil, []string{"> "})
	if term.show(nil, []string{"> a"}); term.bytes > 30 {
		t.Errorf("%d bytes", term.bytes)
	}
	if term.show(nil, []string{"> a"}); term.bytes != 0 {
		t.Errorf("%d bytes without a change", term.bytes)
	}
	term.Erase()
	if term.show(nil, []string{"> a"}); term.bytes < 23*6 {
		t.Errorf("%d bytes", term.bytes)
	}
}

// TestGolden compares screens with their golden files, in several sizes and themes.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{40, 10}, {80, 24}, {160, 30}} {
		term := newTerminal(size[0], size[1])
		var b strings.Builder
		show := func(title string) {
			fmt.Fprintf(&b, "---- %s\n%s\n", title, strings.Join(term.show([]string{"✦ The answer so far", ""}, []string{"Shift+Tab to accept edits", strings.Repeat("─", size[0]), "> ", strings.Repeat("─", size[0])}), "\n"))
		}
		term.Print(numbered(1, 2)...)
		show("short")
		term.Print(styled.Plain(strings.Repeat("many words ", 12)))
		term.Print(numbered(3, 40)...)
		show("at the end")
		term.Scroll(-10)
		show("scrolled")
		term.Print(numbered(41, 49)...)
		show("new lines")
		term.Freeze("In Copy Mode. Use Page Up/Down to scroll. Press Ctrl+S or any other key to exit.")
		show("copy mode")
		golden.Check(t, fmt.Sprintf("screens.%dx%d.txt", size[0], size[1]), b.String())
	}
}
