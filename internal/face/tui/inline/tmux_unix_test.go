//go:build unix

package inline

import (
	"fmt"
	"image/color"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/tuitest"
)

// TestTmux checks that a terminal that rewraps rows shows each printed line and each row of the live area once, in order, after
// resizes amid a stream of output.
func TestTmux(t *testing.T) {
	t.Parallel()
	m := tuitest.NewTmux(t, 80, 24)
	s := New(Options{Width: 80, Height: 24, Synchronizes: true})
	shaded := styled.Style{Bg: color.Gray{Y: 40}}
	var printed []string
	open := 0 // rows of an unfinished block
	composer := func() Frame {
		width := s.Width()
		f := Frame{Lines: []styled.Line{
			styled.Plain("waiting"), styled.Plain("> 输入 text").Cut(width),
			styled.Of(strings.Repeat(" ", width), shaded), styled.Plain("footer of the screen").Cut(width),
		}}
		f.Cursor = Position{1 + open, 11}
		for n := range open {
			f.Lines = slices.Insert(f.Lines, n, styled.Plain(fmt.Sprint("open ", n)))
		}
		return f
	}
	show := func() {
		_, _ = m.Write(s.Frame(composer()))
	}
	for n := range 12 { // at the top of the screen, tmux puts rows of the live area into the scrollback when it wraps others
		printed = append(printed, fmt.Sprint("header ", n))
		s.Print(styled.Plain(printed[n]))
	}
	show()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 30 {
		var size [2]int
		for range random.IntN(3) + 1 { // the screen sees the last size only
			size = [2]int{12 + random.IntN(110), 6 + random.IntN(40)}
			m.Resize(size[0], size[1])
		}
		s.Resize(size[0], size[1])
		show()
		for n := range 7 {
			open = min(n%3, s.Height()-6)
			line := fmt.Sprintf("%d.%d %s中文字符", i, n, strings.Repeat("words ", (i*n)%19))
			s.Print(styled.Plain(line))
			printed = append(printed, line)
			show()
		}
		open = 0
		show()
		want := slices.Clone(printed)
		for _, l := range composer().Lines {
			want = append(want, strings.TrimRight(l.String(), " "))
		}
		if got := m.Whole(); !slices.Equal(got, want) {
			t.Fatalf("after the size %v:\n%s\nnot\n%s", size, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestTmuxShortened checks that rows which were wider once leave nothing behind when the terminal gets narrower: tmux keeps the columns that were
// erased behind the cursor, and wraps them. They are rows of the live area, and finished lines in their place.
func TestTmuxShortened(t *testing.T) {
	t.Parallel()
	shaded := styled.Style{Bg: color.Gray{Y: 40}}
	for _, printed := range []int{0, 3} {
		m := tuitest.NewTmux(t, 80, 12)
		s := New(Options{Width: 80, Height: 12, Synchronizes: true})
		wide := make([]string, 10)
		for i := range wide {
			wide[i] = fmt.Sprint("row ", i, " ", strings.Repeat("─", 73))
		}
		_, _ = m.Write(s.Frame(live(wide...)))
		var want []string
		for n := range printed {
			want = append(want, fmt.Sprint("row ", n, " is printed"))
			s.Print(styled.Plain(want[n]))
		}
		dialog := live()
		for i := printed; i < len(wide); i++ {
			text := fmt.Sprint("row ", i, " of the dialog")[:10+i]
			want = append(want, strings.TrimRight(text, " "))
			dialog.Lines = append(dialog.Lines, styled.Plain(text))
		}
		dialog.Lines[0] = append(dialog.Lines[0], styled.Span{Text: strings.Repeat(" ", 80-dialog.Lines[0].Width()), Style: shaded})
		dialog.Cursor = Position{2, 3}
		_, _ = m.Write(s.Frame(dialog))
		m.Resize(40, 12)
		s.Resize(40, 12)
		_, _ = m.Write(s.Frame(dialog))
		if got := m.Whole(); !slices.Equal(got, want) {
			t.Errorf("%d lines printed:\n%s\nnot\n%s", printed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestTmuxScroll checks that rows which scroll in the live area leave nothing in the scrollback, also at the top of the screen.
func TestTmuxScroll(t *testing.T) {
	t.Parallel()
	m := tuitest.NewTmux(t, 80, 24)
	s := New(Options{Width: 80, Height: 24, Synchronizes: true})
	rows := make([]string, 12)
	for i := range 60 {
		rows = append(rows[1:], fmt.Sprintf("%d %s", i, strings.Repeat(string(rune('a'+i%26)), 70)))
		all := slices.Concat(rows, []string{strings.Repeat("─", 80), "> draft", "footer"})
		_, _ = m.Write(s.Frame(live(all...)))
		if i >= len(rows) {
			if got := m.Whole(); !slices.Equal(got, all) {
				t.Fatalf("after %d rows:\n%s", i, strings.Join(got, "\n"))
			}
		}
	}
}

// TestTmuxOnItsWay checks that no printed line is lost, and none comes twice, if tmux changes the window while a frame is on its way to it: one
// for the usual screen, or one that followed another change. Where all that is to be drawn again is higher than the window, a part of it stays in
// the scrollback.
func TestTmuxOnItsWay(t *testing.T) {
	t.Parallel()
	m := tuitest.NewTmux(t, 100, 30)
	s := New(Options{Width: 100, Height: 30, Synchronizes: true})
	var printed []string
	print := func(lines int) {
		for range lines {
			line := fmt.Sprintf("line %d %s", len(printed), strings.Repeat("words ", len(printed)*7%13))
			printed = append(printed, strings.TrimRight(line, " "))
			s.Print(styled.Plain(line))
		}
	}
	notes := 0
	frame := func(draft string) Frame {
		border := styled.Plain(strings.Repeat("─", s.Width()))
		f := Frame{Lines: []styled.Line{styled.Plain("working"), border, styled.Plain("> " + draft), border, styled.Plain("footer")}, Cursor: Position{2 + notes, 2}}
		for range notes {
			f.Lines = slices.Insert(f.Lines, 1, styled.Plain("a note of some length of some length of some length").Cut(s.Width()))
		}
		return f
	}
	print(40)
	_, _ = m.Write(s.Frame(frame("")))
	type size struct{ width, height int }
	for i, c := range []struct {
		first, then size
		isErased    bool // the change comes while the second frame after the first size is on its way
		isLong      bool // that frame prints more than the screen has rows
	}{
		{then: size{60, 40}},
		{then: size{40, 50}},
		{then: size{25, 40}},
		{then: size{80, 30}},
		{then: size{33, 40}},
		{first: size{28, 40}, then: size{90, 40}},
		{first: size{40, 30}, then: size{35, 40}},
		{first: size{20, 50}, then: size{100, 50}},
		{then: size{20, 50}},
		{then: size{90, 24}},
		{then: size{50, 30}},
		{first: size{24, 40}, then: size{80, 30}},
		{first: size{24, 40}, then: size{80, 30}, isErased: true},
		{first: size{100, 40}, then: size{22, 50}, isErased: true},
		{first: size{24, 30}, then: size{80, 20}, isErased: true, isLong: true},
		{first: size{100, 30}, then: size{60, 20}, isErased: true, isLong: true},
		{then: size{30, 12}},
		{then: size{80, 10}},
		{first: size{20, 12}, then: size{60, 11}},
		{then: size{20, 12}},
	} {
		if c.first.width > 0 {
			m.Resize(c.first.width, c.first.height)
			s.Resize(c.first.width, c.first.height)
		}
		if c.isErased {
			_, _ = m.Write(s.Erase())
		}
		print(i % 4)
		if c.isLong {
			print(50)
		}
		notes = i % 3
		var onItsWay []byte
		if s.IsRewrapped() {
			onItsWay = s.Erase()
		} else {
			onItsWay = s.Frame(frame(strings.Repeat("x", i*i%60)))
		}
		isInDoubt := s.IsInDoubt()
		m.Resize(c.then.width, c.then.height)
		_, _ = m.Write(onItsWay)
		if isInDoubt {
			s.Shown(c.then.width)
		}
		print(i % 2)
		s.Resize(c.then.width, c.then.height)
		if s.IsRewrapped() {
			_, _ = m.Write(s.Erase())
		}
		_, _ = m.Write(s.Frame(frame("")))
		want := slices.Clone(printed)
		for _, l := range frame("").Lines {
			want = append(want, strings.TrimRight(l.String(), " "))
		}
		got := m.Whole()
		all := strings.Join(got, "\n") + "\nnot\n" + strings.Join(want, "\n")
		if c.then.height < 16 {
			for _, row := range got {
				if len(want) > 0 && row == want[0] {
					want = want[1:]
				}
			}
			got = got[:0]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d: after the sizes %v:\n%s", i, c, all)
		}
	}
}
