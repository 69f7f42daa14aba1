package console

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/process"
	"pollux/internal/process/processtest"
)

// open returns a screen of 20 columns and 5 rows.
func open(t interface{ Cleanup(f func()) }) *Screen {
	c := New()
	c.Resize(20, 5)
	s := newScreen(c, "make", c.size)
	c.list = append(c.list, s)
	t.Cleanup(s.Close)
	return s
}

func texts(lines []styled.Line) string {
	var all []string
	for _, l := range lines {
		all = append(all, l.String())
	}
	return strings.Join(all, "|")
}

func TestRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, output string
		most         int
		want         string
	}{
		{"text", "one\r\ntwo", 9, "one|two"},
		{"tail", "1\r\n2\r\n3\r\n4\r\n", 2, "4|"},
		{"moves", "abc\r\x1b[2Cx\x1b[3;5Hdeep", 9, "abx||    deep"},
		{"rows below the cursor", "1\r\n2\r\n3\x1b[A", 9, "1|2|3"},
		{"cursor above", "1\r\n2\r\n3\r\n4\x1b[H", 2, "1|2"},
		{"alternate", "x\x1b[?1049h\x1b[Htop", 9, "top||||"},
		{"wide", "中文x", 9, "中文x"},
		{"hostile", "a\x1b]52;c;eA==\x07\x1b]0;t\x07\u202eb\x1b[2Jc", 9, "  c"},
		{"nothing", "", 9, ""},
	} {
		s := open(t)
		_, _ = s.Write([]byte(c.output))
		lines, cursor, _ := s.rows(c.most, false)
		if got := texts(lines); got != c.want || cursor.Row >= len(lines) {
			t.Errorf("%s: %q with the cursor at %v, not %q", c.name, got, cursor, c.want)
		}
	}
}

func TestColors(t *testing.T) {
	t.Parallel()
	s := open(t)
	_, _ = s.Write([]byte("a\x1b[31mb\x1b[0m\x1b[?25l"))
	lines, cursor, hasCursor := s.rows(9, false)
	if len(lines[0]) != 2 || lines[0][1].Style.Fg == nil || hasCursor || cursor.Column != 2 {
		t.Errorf("%+v, cursor %v %v", lines, cursor, hasCursor)
	}
	if lines, _, _ := s.rows(9, true); len(lines[0]) != 1 || lines[0].String() != "ab" {
		t.Errorf("without colors: %+v", lines)
	}
}

// TestSkip checks that lines which are left out change nothing on the screen.
func TestSkip(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"word", "\x1b[31m", "\x1b[1;4m", "\x1b[m", "\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "a long line that wraps around", "中", "\t", "\r",
		"\x1b[K", "\x1b[1K", "\b", "\x1b[3C", "\x1b[5G", "\x1b[2P", "\x1b[2@", "\x1b[?25l", "\x1b[?25h",
	}
	moves := []string{"\x1b[2A", "\n", "\x1b[J", "\x1b[2;4r", "\x1b[?7l", "\x1b7", "\x1b8"}
	skipped := 0
	rapid.Check(t, func(r *rapid.T) {
		kinds := pieces
		if rapid.Bool().Draw(r, "moves") {
			kinds = append(slices.Clone(pieces), rapid.SampledFrom(moves).Draw(r, "move"))
		}
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(kinds), 100, 300).Draw(r, "pieces"), ""))
		whole, part := open(t), open(t)
		_, _ = whole.writer.Write(text)
		if less := skip(text, 5+part.scrollback()); len(less) < len(text) {
			skipped++
		}
		_, _ = part.Write(text)
		_, at, isShown := whole.rows(9, false)
		_, to, isToo := part.rows(9, false)
		a, b := whole.tail(), part.tail()
		if at != to || isShown != isToo || !slices.EqualFunc(a, b, func(x, y styled.Line) bool { return fmt.Sprint(x) == fmt.Sprint(y) }) {
			r.Fatalf("%q: %q at %v, not %q at %v", text, texts(b), to, texts(a), at)
		}
	})
	if skipped == 0 {
		t.Error("nothing was skipped")
	}
	if n := len(skip(bytes.Repeat([]byte("y\r\n"), 1000), 24)); n > 100 {
		t.Errorf("%d bytes remain of a flood", n)
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	chord := func(mods keys.Mods, code rune) keys.Key { return keys.Key{Chord: keys.Chord{Mods: mods, Code: code}} }
	for _, c := range []struct {
		key  keys.Key
		want string
	}{
		{keys.Key{Chord: keys.Chord{Code: 'a', Mods: keys.Shift}, Text: "A"}, "A"},
		{keys.Key{Chord: keys.Chord{Code: '中'}, Text: "中"}, "中"},
		{chord(keys.Ctrl, 'c'), "\x03"},
		{chord(keys.Ctrl, '_'), "\x1f"},
		{chord(keys.Ctrl, ' '), "\x00"},
		{chord(keys.Alt, 'b'), "\x1bb"},
		{chord(keys.Alt|keys.Shift, 'b'), "\x1bB"},
		{chord(0, keys.Enter), "\r"},
		{chord(0, keys.Escape), "\x1b"},
		{chord(0, keys.Backspace), "\x7f"},
		{chord(0, keys.Tab), "\t"},
		{chord(keys.Shift, keys.Tab), "\x1b[Z"},
		{chord(0, keys.Up), "\x1b[A"},
		{chord(keys.Ctrl, keys.Left), "\x1b[1;5D"},
		{chord(0, keys.Home), "\x1b[H"},
		{chord(0, keys.PageDown), "\x1b[6~"},
		{chord(keys.Shift, keys.Delete), "\x1b[3;2~"},
		{chord(0, keys.F1), "\x1bOP"},
		{chord(0, keys.F1+4), "\x1b[15~"},
		{chord(0, keys.F1+11), "\x1b[24~"},
		{chord(0, keys.CapsLock), ""},
	} {
		if got := string(encode(c.key, false)); got != c.want {
			t.Errorf("%+v: %q, not %q", c.key.Chord, got, c.want)
		}
	}
	s := open(t)
	_, _ = s.Write([]byte("\x1b[?1h\x1b[?2004h"))
	if got := string(encode(chord(0, keys.Up), s.hasAppArrows)); got != "\x1bOA" {
		t.Errorf("an arrow of an application is %q", got)
	}
	if got := string(encodePaste("a\nb\x1b[201~c", s.marksPastes)); got != "\x1b[200~a\rbc\x1b[201~" {
		t.Errorf("a paste is %q", got)
	}
	_, _ = s.Write([]byte("\x1b[?1l\x1b[?2004l"))
	if s.hasAppArrows || s.marksPastes {
		t.Error("the modes have not ended")
	}
}

// TestHints checks when a command that prints nothing may wait for input.
func TestHints(t *testing.T) {
	t.Parallel()
	p, err := process.Launcher{}.Start(t.Context(), &process.Command{Path: "/bin/sh", Args: []string{"-c", "exit"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = p.Wait() }()
	s := open(t)
	c, at := s.console, func(d time.Duration) Hints { return s.console.Hints(s.began.Add(d)) }
	if c.Focus() || at(time.Hour) != (Hints{}) {
		t.Error("a command that has not started gets the keyboard")
	}
	s.input.connect(p)
	if at(19*time.Second) != (Hints{}) || at(20*time.Second) != (Hints{CanFocus: true, Awaits: true}) {
		t.Error("20 s from the start")
	}
	_, _ = s.Write([]byte("x"))
	if s.last = s.began; at(5*time.Second-1) != (Hints{}) || at(5*time.Second) != (Hints{CanFocus: true, Awaits: true}) {
		t.Error("5 s after output")
	}
	s.looked = look{at: s.began.Add(4 * time.Second), output: s.bytes}
	if due, ok := c.Deadline(s.began); !ok || !due.Equal(s.began.Add(5*time.Second)) {
		t.Error("the deadline is", due, ok)
	}
	if s.isRedirected = true; at(5*time.Second) != (Hints{CanFocus: true}) {
		t.Error("a redirected command")
	}
	if !c.Focus() || !c.HasFocus() || at(time.Hour) != (Hints{}) {
		t.Error("the command has no keyboard")
	}
	if c.Unfocus(); c.HasFocus() || !at(0).CanFocus {
		t.Error("a key that was used has no hint")
	}
	if c.Focus(); newScreen(c, "make >log", c.size).isRedirected != true {
		t.Error("a redirection is not seen")
	}
	if s.Close(); c.HasFocus() || len(c.list) > 0 {
		t.Error("a closed screen has the keyboard")
	}
}

// TestLook checks the hints about a command that is known to read from its terminal, or not to.
func TestLook(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows what programs wait for")
	}
	for _, c := range []struct {
		command string
		is      process.Awaiting
		want    Hints
	}{
		{"printf '? '; read x", process.AwaitsInput, Hints{CanFocus: true, Awaits: true}},
		{"printf '? '; while :; do :; done", process.AwaitsNothing, Hints{}},
	} {
		s := open(t)
		p, err := process.Launcher{}.Start(t.Context(), &process.Command{Path: "/bin/sh", Args: []string{"-c", c.command}, Env: os.Environ(), Stdout: s, Terminal: &process.TerminalSize{}})
		if err != nil {
			t.Fatal(err)
		}
		s.Started(p)
		processtest.WaitUntil(t, "it asks", func() bool { return p.Awaits() == c.is && s.written() > 0 })
		at, ok := s.console.Deadline(s.began)
		if want := s.last.Add(lookFirst); !ok || !at.Equal(want) {
			t.Errorf("%s: the first look is due at %v, not %v", c.command, at, want)
		}
		s.console.Look(at.Add(-1))
		if s.looked.isLooking {
			t.Errorf("%s: it looks too early", c.command)
		}
		s.console.Look(at)
		processtest.WaitUntil(t, "it has looked", func() bool { due, ok := s.lookDue(); return ok && due.After(at) })
		if got := s.console.Hints(at); got != c.want || s.awaits() != c.is {
			t.Errorf("%s: %+v, %v", c.command, got, s.awaits())
		}
		if got := s.console.Hints(at.Add(time.Hour)); got != (Hints{CanFocus: true, Awaits: c.want.Awaits}) {
			t.Errorf("%s: %+v after an hour", c.command, got)
		}
		s.isRedirected = true
		if got := s.console.Hints(at); got != c.want {
			t.Errorf("%s: redirected, %+v", c.command, got)
		}
		for since, next := range map[time.Duration]time.Duration{time.Second: time.Second, 3 * time.Second: 3 * time.Second, time.Hour: lookMost} {
			s.looked.at = s.last.Add(since)
			if due, _ := s.lookDue(); due.Sub(s.looked.at) != next {
				t.Errorf("%s: after %v it looks again in %v", c.command, since, due.Sub(s.looked.at))
			}
		}
		if _, _ = s.Write([]byte("x")); s.awaits() != process.AwaitsUnknown {
			t.Errorf("%s: new output changes nothing", c.command)
		}
		p.Terminate()
		_, _ = p.Wait()
	}
}

// TestHidden checks a command in the background: it gets the keyboard only when it is named, and its output wakes the loop only
// where the last one is on the screen.
func TestHidden(t *testing.T) {
	t.Parallel()
	s, pid := started(t)
	c := s.console
	wakes := func() bool {
		select {
		case <-c.Changed():
			return true
		default:
			return false
		}
	}
	if !c.Focus() {
		t.Fatal("the command does not get the keyboard")
	}
	s.Hide()
	if c.HasFocus() || c.Focus() || c.Hints(s.began.Add(time.Hour)) != (Hints{}) || !wakes() {
		t.Error("a command that is sent to the background has the keyboard")
	}
	_, _ = s.Write([]byte("one"))
	if wakes() {
		t.Error("output that is not on the screen wakes the loop")
	}
	if lines, ok := c.Tail(pid, 5); !ok || texts(lines) != "one" {
		t.Errorf("the screen is %v", lines)
	}
	for _, want := range []bool{true, false} {
		if _, _ = s.Write([]byte("two")); wakes() != want {
			t.Errorf("output wakes the loop: %v", !want)
		}
	}
	if c.FocusOn(pid+1) || !c.FocusOn(pid) || !c.HasFocus() || !c.Unfocus() || c.HasFocus() {
		t.Error("the command does not get the keyboard by its name")
	}
	c.FocusOn(pid)
	if s.Hide(); !c.HasFocus() || !c.Unfocus() {
		t.Error("a command that the person has chosen loses the keyboard")
	}
	if s.Close(); c.FocusOn(pid) || !c.IsEmpty() {
		t.Error("a closed screen gets the keyboard")
	}
	if front, _ := started(t); !front.console.Focus() || front.console.Unfocus() {
		t.Error("a command in the foreground counts as one in the background")
	}
}

// TestTab checks that a command which has no use for Tab loses the keyboard.
func TestTab(t *testing.T) {
	t.Parallel()
	for _, isUsed := range []bool{true, false} {
		s := open(t)
		c := s.console
		c.focused = s
		_ = c.Type(keys.Key{Chord: keys.Chord{Code: keys.Tab}})
		if _, isKnown := c.Tabbed(c.tabbed.at.Add(tabWait - 1)); isKnown {
			t.Error("known too early")
		}
		if isUsed {
			_, _ = s.Write([]byte("x"))
		}
		if got, isKnown := c.Tabbed(c.tabbed.at.Add(tabWait)); got != isUsed || !isKnown || c.HasFocus() != isUsed {
			t.Errorf("used %v: %v %v, focus %v", isUsed, got, isKnown, c.HasFocus())
		}
	}
}

func FuzzWrite(f *testing.F) {
	f.Add([]byte("\x1b[9999;9999H\x1b[2J\x1b[5;2r\x1b[?6h\x1bM中"))
	f.Add([]byte("\x1b[999999999@\x1b[999999999L\x1bP1$q\x1b\\"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := open(t)
		_, _ = s.Write(b)
		s.resize(process.TerminalSize{Columns: 3, Rows: 2})
		_, _ = s.Write(b)
		if lines, cursor, _ := s.rows(9, false); len(lines) > 2 || cursor.Row < 0 {
			t.Errorf("%q at %v", lines, cursor)
		}
	})
}
