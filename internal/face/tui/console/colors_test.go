package console

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"pollux/internal/face/tui/styled"
	"pollux/internal/process"
)

// marked returns a line with its colored spans between the number of the color and "/".
func marked(l styled.Line) string {
	var b strings.Builder
	for _, s := range l {
		switch {
		case s.Style.IsZero():
			b.WriteString(s.Text)
		case s.Style.Fg != nil:
			fmt.Fprintf(&b, "%v<%s>", s.Style.Fg, s.Text)
		case s.Style.Bg != nil:
			fmt.Fprintf(&b, "on %v<%s>", s.Style.Bg, s.Text)
		default:
			fmt.Fprintf(&b, "attrs %d<%s>", s.Style.Attrs, s.Text)
		}
	}
	return b.String()
}

// started returns the screen of a process that runs.
func started(t *testing.T) (*Screen, int) {
	t.Helper()
	p, err := process.Launcher{}.Start(t.Context(), &process.Command{Path: "/bin/sh", Args: []string{"-c", "exit"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = p.Wait() })
	s := open(t)
	s.input.connect(p)
	return s, p.PID()
}

// TestColor checks the colors of plain output after the end of its command, whose screen has 20 columns and 5 rows.
func TestColor(t *testing.T) {
	t.Parallel()
	red := fmt.Sprint(ansi.Red)
	for _, c := range []struct {
		name, output string
		texts        []string
		want         string
	}{
		{"some", "a \x1b[31mb c\x1b[m d\r\nplain\r\n", []string{"a b c d", "plain"}, "a " + red + "<b c> d|plain"},
		{"scrolled", "\x1b[31mfirst\x1b[m\r\n" + strings.Repeat("x\r\n", 20), append([]string{"first"}, strings.Split(strings.Repeat("x", 20), "")...), red + "<first>" + strings.Repeat("|x", 20)},
		{"flood", strings.Repeat("\x1b[31mab\x1b[m\r\n", 3000), []string{"ab", "ab"}, red + "<ab>|" + red + "<ab>"},
		{"gone", "\x1b[31mfirst\x1b[m\r\n" + strings.Repeat("x\r\n", 40) + "\x1b[31ml\x1b[m", []string{"first", "l"}, "first|" + red + "<l>"},
		{"wrapped", "\x1b[31m0123456789 123456789 \x1b[mab 中文", []string{"0123456789 123456789 ab 中文"}, red + "<0123456789 123456789 >ab 中文"},
		{"tab", "a\t\x1b[31mb\x1b[m", []string{"a\tb"}, "a    " + red + "<b>"},
		{"bar", "\x1b[41m FAIL \x1b[m x", []string{" FAIL  x"}, "on " + red + "< FAIL > x"},
		{"overwritten", "10%\r\x1b[31m100\x1b[m%\r\n\x1b[1mdone\x1b[m", []string{"100%", "done"}, red + "<100>%|attrs 1<done>"},
		{"more than output", "\x1b[31mno\x1b[m", []string{"Command exited with code 3.", "no", "(Exit code 3)"}, "Command exited with code 3.|" + red + "<no>|(Exit code 3)"},
		{"hidden", "\x1b[8ma\x1b[m\x1b[5mb\x1b[m\x1b[31mc\x1b[m", []string{"abc"}, "ab" + red + "<c>"},
		{"hostile", "\x1b[31ma\x1b]52;c;eA==\x07\x1b]8;;http://e\x07b\x1b[2;1H", []string{"ab\x1b[2J"}, red + "<ab>"},
		{"other text", "\x1b[31mabc\x1b[m", []string{"abx", "ab", "", " "}, "abx|ab|| "},
		{"rows alike", "\x1b[31mx\x1b[m\r\n\x1b[1mx\x1b[m", []string{"x", "x"}, red + "<x>|attrs 1<x>"},
		{"rows apart", "\x1b[31ma\x1b[m\r\n\r\nb", []string{"ab"}, "ab"},
	} {
		s, pid := started(t)
		_, _ = s.Write([]byte(c.output))
		s.Close()
		var got []string
		for _, l := range s.console.Color(pid, c.texts) {
			got = append(got, marked(l))
		}
		if text := strings.Join(got, "|"); text != c.want {
			t.Errorf("%s: %s, not %s", c.name, text, c.want)
		}
		if got := s.console.Color(pid, []string{"b c"}); len(s.console.finished) > 0 || len(got) != 1 || len(got[0]) != 1 || !got[0][0].Style.IsZero() {
			t.Errorf("%s: again: %v", c.name, got)
		}
	}
}

// TestColorOff checks the setting that shows no colors, and the limits of the output that is kept.
func TestColorOff(t *testing.T) {
	t.Parallel()
	s, pid := started(t)
	s.console.SetColors(false)
	_, _ = s.Write([]byte("\x1b[1;31mb\x1b[m"))
	s.Close()
	if got := s.console.Color(pid, []string{"b"}); marked(got[0]) != "attrs 1<b>" {
		t.Errorf("without colors: %s", marked(got[0]))
	}
	s, pid = started(t)
	s.resize(process.TerminalSize{Columns: 20, Rows: 3})
	_, _ = s.Write([]byte("\x1b[31mfirst\x1b[m\r\n" + strings.Repeat("x\r\n", keptRows-2)))
	s.Close()
	if got := s.console.Color(pid, []string{"first"}); got[0][0].Style.IsZero() {
		t.Error("a row above a smaller screen is lost")
	}
	s, _ = started(t)
	_, _ = s.Write([]byte("plain"))
	if s.Close(); len(s.console.finished) != 0 {
		t.Error("an output without colors is kept")
	}
	for range 2 * maxFinished {
		other := newScreen(s.console, "make", process.TerminalSize{Columns: 20, Rows: 3 * keptRows})
		other.input = input{process: s.input.running()}
		_, _ = other.Write([]byte(strings.Repeat("\x1b[31mx\r\n", 200)))
		other.Close()
	}
	if n := len(s.console.finished); n != maxFinished || len(s.console.finished[0].rows) != keptRows {
		t.Errorf("%d commands are kept, with %d rows", n, len(s.console.finished[0].rows))
	}
}
