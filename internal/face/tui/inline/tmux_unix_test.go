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
