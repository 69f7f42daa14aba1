package tui

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/styled"
	"pollux/internal/process/processtest"
	"pollux/internal/terminal"
)

// TestExpire lets the time of each part come while the terminal takes no output and no session is open: nothing is due at once
// afterwards, which would keep a processor busy.
func TestExpire(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(l *loop, past time.Time){
		"nothing":                     func(*loop, time.Time) {},
		"a draft before the session":  func(l *loop, past time.Time) { l.keeper.touch(past) },
		"a prompt that waits for it":  func(l *loop, _ time.Time) { l.queue = []string{"Go."} },
		"replies that have not come":  func(l *loop, past time.Time) { l.look.answered, l.look.asked = false, past },
		"a footer that is read again": func(l *loop, past time.Time) { l.refreshed = past },
		"a key":                       func(l *loop, past time.Time) { l.pressed = past },
	} {
		now := time.Now()
		l := newLoop(New(Options{Terminal: &terminal.Terminal{}, Getenv: func(string) string { return "" }, GOOS: "linux"}))
		in, out := io.Pipe()
		l.output, l.reader = inline.NewOutput(out), &reader{}
		l.output.Write([]byte("a frame"))
		l.look.answered = true
		set(l, now.Add(-time.Minute))
		l.expire(now)
		if due := l.deadline(now); !due.After(now) {
			t.Errorf("%s: due %v ago", name, now.Sub(due))
		}
		_ = in.Close()
		<-l.output.Written()
	}
}

// TestKnowsSize checks that a frame for another size waits for tmux to say that it shows that size, in either order, but not for long.
func TestKnowsSize(t *testing.T) {
	t.Parallel()
	now := time.Now()
	l := newLoop(New(Options{Terminal: &terminal.Terminal{}, Getenv: func(string) string { return "" }, GOOS: "linux"}))
	l.screen = inline.New(inline.Options{Width: 80, Height: 24})
	var asked bytes.Buffer
	l.output = inline.NewOutput(&asked)
	check := func(want bool, at time.Duration) {
		t.Helper()
		if got := l.knowsSize(60, 20, now.Add(at)); got != want {
			t.Errorf("after %v: %v", at, got)
		}
	}
	check(false, 0)
	<-l.output.Written()
	l.output.Done()
	if asked.String() != terminal.SizeQuery || l.pace.due().Before(now.Add(sizeWait)) {
		t.Errorf("tmux gets %q, and a frame is due in %v", &asked, l.pace.due().Sub(now))
	}
	check(false, sizeWait/2)
	l.sizing.width, l.sizing.height = 60, 20
	check(true, sizeWait/2)
	check(false, sizeWait) // the size is asked for again
	<-l.output.Written()
	l.output.Done()
	l.sizing.width, l.sizing.height = 60, 20
	check(true, sizeWait)
	check(false, 2*sizeWait)
	<-l.output.Written()
	l.output.Done()
	check(true, 3*sizeWait) // no reply
	l.screen.Resize(60, 20)
	check(false, 4*sizeWait) // once more after the change
	l.sizing = sizing{}
	check(true, 5*sizeWait)
}

// TestSettle checks how long a frame waits for the size to stay the same: from the last change on, but not for long.
func TestSettle(t *testing.T) {
	t.Parallel()
	began := time.Now()
	var s sizing
	for _, c := range []struct {
		width       int
		after, want time.Duration // since began
	}{
		{60, 0, sizeRest},
		{60, sizeRest / 2, sizeRest},
		{70, sizeRest / 2, sizeRest * 3 / 2},
		{60, sizeRest, 2 * sizeRest},
		{60, 2 * sizeRest, 2 * sizeRest},
		{70, sizeWait - 1, sizeWait},
		{60, sizeWait, sizeWait},
	} {
		if got := s.settle(c.width, 20, began.Add(c.after)).Sub(began); got != c.want {
			t.Errorf("%d columns after %v: waits until %v, not %v", c.width, c.after, got, c.want)
		}
	}
}

// TestLateLoop divides a key into two reads and takes the second one after the deadline for the first: the times at which the reads came count.
func TestLateLoop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		between time.Duration
		isHeld  bool // the second read had to wait for the loop
		want    string
	}{
		{time.Millisecond, false, "aXb"},
		{time.Second, true, "aXb"},
		{time.Second, false, "abDX"},
	} {
		began := time.Now()
		l := newLoop(New(Options{Terminal: &terminal.Terminal{}, Getenv: func(string) string { return "" }, GOOS: "linux"}))
		l.reader = &reader{chunks: make(chan chunk, 1)}
		l.read(chunk{bytes: []byte("ab\x1b["), at: began})
		l.reader.chunks <- chunk{bytes: []byte("DX"), at: began.Add(c.between), isHeld: c.isHeld}
		l.expire(began.Add(2 * time.Second))
		l.read(<-l.reader.chunks)
		if got := l.composer.Value(); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestShown checks that a frame in tmux waits until it is known in which size tmux has shown the last one, but not for long, and that a terminal
// that tells no size is not asked.
func TestShown(t *testing.T) {
	t.Parallel()
	l, setSize := newTestLoop(t)
	var shown bytes.Buffer
	l.screen, l.output, l.look.answered, l.look.multiplexer = inline.New(inline.Options{Width: 80, Height: 24}), inline.NewOutput(&shown), true, "tmux"
	now := time.Now()
	draws := func(after time.Duration) string {
		t.Helper()
		shown.Reset()
		now = now.Add(after)
		l.pace.change()
		if l.draw(now); l.output.IsBusy() {
			<-l.output.Written()
			l.output.Done()
		}
		return shown.String()
	}
	asks := func(frame string) bool { return strings.HasSuffix(frame, terminal.SizeQuery) }
	if got := draws(0); got == "" || asks(got) {
		t.Errorf("before a reply: %q", got)
	}
	l.learnSize(80, 24, now)
	for _, c := range []struct {
		draft         string
		width, height int // of the reply, 0 for none
		after         time.Duration
		wants, asks   bool
	}{
		{"one", 80, 24, time.Second, true, true},
		{"second", 0, 0, time.Second, true, true},
		{"second or third", 24, 80, time.Second / 2, false, false}, // as tmux 3.3 replies, to the frame before
		{"third", 0, 0, time.Second, true, true},
		{"third or fourth", 0, 0, time.Second / 2, false, false},
		{"third or fifth", 0, 0, time.Second / 2, true, false}, // it does not reply
		{"one to seven", 0, 0, time.Second, true, false},
		{"six", 80, 24, time.Second, true, false}, // it replies
		{"five to eight", 0, 0, time.Second, true, true},
	} {
		l.composer.SetText(c.draft)
		got := draws(c.after)
		if (got != "") != c.wants || asks(got) != c.asks {
			t.Errorf("%s: %q", c.draft, got)
		}
		if c.width > 0 {
			l.learnSize(c.width, c.height, now)
		}
		if l.screen.IsRewrapped() {
			t.Errorf("%s: the reply is taken for another size", c.draft)
		}
	}
	l.learnSize(80, 24, now)
	setSize(60)
	l.sizing.width, l.sizing.height = 60, 24
	if got := draws(time.Second); !asks(got) || strings.Contains(got, "eight") || l.screen.Width() != 60 {
		t.Errorf("after a change of the width, in %d columns: %q", l.screen.Width(), got)
	}
	l.learnSize(60, 24, now)
	if got := draws(time.Second); got != terminal.SizeQuery {
		t.Errorf("before the next frame: %q", got)
	}
	l.learnSize(60, 24, now)
	if got := draws(0); !strings.Contains(got, "eight") {
		t.Errorf("after that: %q", got)
	}
}

// newTestLoop returns a loop at a terminal of 80 columns and 24 rows, and a function that sets the number of columns.
func newTestLoop(t *testing.T) (*loop, func(columns uint16)) {
	t.Helper()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Skipf("NOT TESTED: no pseudo-terminal here: %v", err)
	}
	t.Cleanup(func() { _, _ = ours.Close(), theirs.Close() })
	setSize := func(columns uint16) {
		if err := pty.Setsize(ours, &pty.Winsize{Rows: 24, Cols: columns}); err != nil {
			t.Error(err)
		}
	}
	setSize(80)
	l := newLoop(New(Options{Terminal: terminal.New(theirs, theirs, theirs, func(string) string { return "" }), Getenv: func(string) string { return "" }, GOOS: "linux"}))
	if l.console, err = l.openConsole(); err != nil {
		t.Fatal(err)
	}
	return l, setSize
}

// resizing is a screen that is resized after the loop has taken its size, before the frame.
type resizing struct {
	surface
	resize func()
}

func (r *resizing) Print(lines ...styled.Line) {
	r.resize()
	r.surface.Print(lines...)
}

// TestResizedBeforeFrame checks that no frame is written that was made for another width than the terminal has: the terminal
// would break its rows, and the next frame would not find them.
func TestResizedBeforeFrame(t *testing.T) {
	t.Parallel()
	l, setSize := newTestLoop(t)
	screen := &resizing{inline.New(inline.Options{Width: 80, Height: 24}), func() { setSize(60) }}
	l.screen, l.output, l.look.answered = screen, inline.NewOutput(io.Discard), true
	now := time.Now()
	l.pace.change()
	l.draw(now)
	if l.output.IsBusy() {
		t.Error("a frame for 80 columns was written to 60")
	}
	screen.resize = func() {}
	l.draw(now) // begins to wait until the size stays the same
	l.draw(now.Add(sizeWait))
	if !l.output.IsBusy() || l.screen.Width() != 60 {
		t.Errorf("%d columns, a frame: %v", l.screen.Width(), l.output.IsBusy())
	}
	<-l.output.Written()
}

// TestReadArrived checks that text typed before the session was open is in the input when its draft comes, also if the loop has had no time to read it.
func TestReadArrived(t *testing.T) {
	t.Parallel()
	in, typed := io.Pipe()
	l := newLoop(New(Options{Terminal: &terminal.Terminal{In: in}, Getenv: func(string) string { return "" }, GOOS: "linux"}))
	l.screen = inline.New(inline.Options{Width: 80, Height: 24})
	l.reader = newReader(l.options.Terminal)
	t.Cleanup(func() { l.reader.close(); _ = typed.Close() })
	for _, text := range []string{"ear", "ly"} {
		if _, err := io.WriteString(typed, text); err != nil {
			t.Fatal(err)
		}
	}
	processtest.WaitUntil(t, "two chunks have arrived", func() bool { return len(l.reader.chunks) == 2 })
	l.readArrived()
	if got := l.composer.Draft().Text; got != "early" {
		t.Errorf("the input has %q", got)
	}
}
