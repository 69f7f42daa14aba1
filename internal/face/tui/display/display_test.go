package display

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
)

// open returns an open display at a terminal of 80 columns and 24 rows that has replied, and a function that sets the number of
// columns. Frames go to w.
func open(t *testing.T, o Options, w io.Writer) (*Display, func(columns uint16)) {
	t.Helper()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Skipf("NOT TESTED: no pseudo-terminal here: %v", err)
	}
	setSize := func(columns uint16) {
		if err := pty.Setsize(ours, &pty.Winsize{Rows: 24, Cols: columns}); err != nil {
			t.Error(err)
		}
	}
	setSize(80)
	o.GOOS, o.Getenv = "linux", func(string) string { return "" }
	o.Terminal = terminal.New(theirs, theirs, theirs, o.Getenv)
	d := New(o)
	if err := d.Open(); err != nil {
		t.Fatal(err)
	}
	d.Look.IsKnown = true
	d.output.Close()
	d.output = inline.NewOutput(w)
	t.Cleanup(func() {
		d.Close()
		_, _ = ours.Close(), theirs.Close()
	})
	return d, setSize
}

// frame draws a text on the display, if a frame can be drawn, and takes the end of it.
func frame(d *Display, text string, now time.Time) {
	d.Change()
	if !d.IsDue(now) || !d.Begin(now) {
		finish(d)
		return
	}
	d.Show(inline.Frame{Lines: []styled.Line{styled.Plain(text)}}, now)
	finish(d)
}

// finish takes the end of the frame in progress.
func finish(d *Display) {
	if d.IsBusy() {
		<-d.Written()
		d.Done()
	}
}

// TestKnowsSize checks that a frame for another size waits for tmux to say that it shows that size, in either order, but not for long.
func TestKnowsSize(t *testing.T) {
	t.Parallel()
	now := time.Now()
	d := New(Options{Terminal: &terminal.Terminal{}, Getenv: func(string) string { return "" }})
	d.screen = inline.New(inline.Options{Width: 80, Height: 24})
	var asked bytes.Buffer
	d.output = inline.NewOutput(&asked)
	check := func(want bool, at time.Duration) {
		t.Helper()
		if got := d.knowsSize(60, 20, now.Add(at)); got != want {
			t.Errorf("after %v: %v", at, got)
		}
	}
	check(false, 0)
	<-d.output.Written()
	d.output.Done()
	if asked.String() != terminal.SizeQuery || d.pace.due().Before(now.Add(sizeWait)) {
		t.Errorf("tmux gets %q, and a frame is due in %v", &asked, d.pace.due().Sub(now))
	}
	check(false, sizeWait/2)
	d.sizing.width, d.sizing.height = 60, 20
	check(true, sizeWait/2)
	check(false, sizeWait) // the size is asked for again
	<-d.output.Written()
	d.output.Done()
	d.sizing.width, d.sizing.height = 60, 20
	check(true, sizeWait)
	check(false, 2*sizeWait)
	<-d.output.Written()
	d.output.Done()
	check(true, 3*sizeWait) // no reply
	d.screen.Resize(60, 20)
	check(false, 4*sizeWait) // once more after the change
	d.sizing = sizing{}
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
		{time.Millisecond, false, "a b up shift+x"},
		{time.Second, true, "a b up shift+x"},
		{time.Second, false, "a b alt+[ shift+a shift+x"},
	} {
		began := time.Now()
		d := New(Options{Terminal: &terminal.Terminal{}, Getenv: func(string) string { return "" }})
		d.reader = &reader{chunks: make(chan Chunk, 1)}
		var got []string
		take := func(events []keys.Event) {
			for _, e := range events {
				got = append(got, e.(keys.Key).Chord.String())
			}
		}
		take(d.Decode(Chunk{bytes: []byte("ab\x1b["), at: began}))
		d.reader.chunks <- Chunk{bytes: []byte("AX"), at: began.Add(c.between), isHeld: c.isHeld}
		if events, ok := d.Flush(began.Add(2 * time.Second)); ok {
			t.Errorf("the loop gets %v while the rest of the key waits", events)
		}
		take(d.Decode(<-d.Chunks()))
		if all := strings.Join(got, " "); all != c.want {
			t.Errorf("%+v: %q", c, all)
		}
	}
}

// TestShown checks that a frame in tmux waits until it is known in which size tmux has shown the last one, but not for long, and that a terminal
// that tells no size is not asked.
func TestShown(t *testing.T) {
	t.Parallel()
	var shown bytes.Buffer
	d, setSize := open(t, Options{}, &shown)
	d.pace.begin(time.Now()) // the queries
	d.Look.Multiplexer = "tmux"
	now := time.Now().Add(time.Second)
	draft := "first"
	draws := func(after time.Duration) string {
		shown.Reset()
		now = now.Add(after)
		frame(d, draft, now)
		return shown.String()
	}
	asks := func(frame string) bool { return strings.HasSuffix(frame, terminal.SizeQuery) }
	if got := draws(0); got == "" || asks(got) {
		t.Errorf("before a reply: %q", got)
	}
	d.learnSize(80, 24, now)
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
		draft = c.draft
		got := draws(c.after)
		if (got != "") != c.wants || asks(got) != c.asks {
			t.Errorf("%s: %q", c.draft, got)
		}
		if c.width > 0 {
			d.learnSize(c.width, c.height, now)
		}
		if d.screen.IsRewrapped() {
			t.Errorf("%s: the reply is taken for another size", c.draft)
		}
	}
	d.learnSize(80, 24, now)
	setSize(60)
	d.sizing.width, d.sizing.height = 60, 24
	if got := draws(time.Second); !asks(got) || strings.Contains(got, "eight") || d.screen.Width() != 60 {
		t.Errorf("after a change of the width, in %d columns: %q", d.screen.Width(), got)
	}
	d.learnSize(60, 24, now)
	if got := draws(time.Second); got != terminal.SizeQuery {
		t.Errorf("before the next frame: %q", got)
	}
	d.learnSize(60, 24, now)
	if got := draws(0); !strings.Contains(got, "eight") {
		t.Errorf("after that: %q", got)
	}
}

// TestResizedBeforeFrame checks that no frame is written that was made for another width than the terminal has: the terminal
// would break its rows, and the next frame would not find them.
func TestResizedBeforeFrame(t *testing.T) {
	t.Parallel()
	d, setSize := open(t, Options{}, io.Discard)
	now := time.Now()
	if !d.IsDue(now) || !d.Begin(now) {
		t.Fatal("no frame is due")
	}
	setSize(60)
	if f := (inline.Frame{Lines: []styled.Line{styled.Plain("a")}}); d.Show(f, now) || d.IsBusy() {
		t.Error("a frame for 80 columns was written to 60")
	}
	if d.Begin(now) {
		t.Error("a frame does not wait until the size stays the same")
	}
	if frame(d, "a", now.Add(sizeWait)); d.Width() != 60 {
		t.Errorf("%d columns", d.Width())
	}
}

// TestHolder checks who gets the terminal back when Pollux goes on after a stop: a program that Pollux has started keeps it.
func TestHolder(t *testing.T) {
	t.Parallel()
	d, _ := open(t, Options{}, io.Discard)
	read := func(Chunk) {}
	resume := func(want bool) {
		t.Helper()
		if err := d.Resume(read); err != nil || d.IsLent() != want {
			t.Errorf("another program has the terminal: %v, %v", d.IsLent(), err)
		}
	}
	isDue := func(want bool) {
		t.Helper()
		d.Change()
		if got := d.IsDue(time.Now().Add(time.Hour)); got != want {
			t.Errorf("a frame is due: %v", got)
		}
	}
	isDue(true)
	d.Release(read)
	isDue(false)
	if at, ok := d.Deadline(); ok {
		t.Errorf("something is due at %v while a program has the terminal", at)
	}
	resume(true)
	if err := d.Reclaim(); err != nil || d.IsLent() {
		t.Errorf("another program has the terminal: %v, %v", d.IsLent(), err)
	}
	isDue(true)
	if !d.IsIn(terminal.BracketedPaste) || !strings.Contains(string(d.pace.controls), terminal.BracketedPaste.Enter) {
		t.Errorf("the next frame begins with %q", d.pace.controls)
	}
	shown := inline.Frame{Lines: []styled.Line{styled.Plain("text")}}
	d.screen.Frame(shown)
	resume(false) // after a stop without a request
	if got := d.screen.Frame(shown); !strings.Contains(string(got), "text") {
		t.Errorf("the live area is drawn again with %q", got)
	}
	d.release(shell, read)
	isDue(false)
	if d.AwaitFrame() {
		t.Error("the end draws while the shell has the terminal")
	}
	resume(false)
	isDue(true)
}

// TestModes checks that a mode which was entered twice is left once at a time.
func TestModes(t *testing.T) {
	t.Parallel()
	d, _ := open(t, Options{}, io.Discard)
	d.Enter(terminal.KittyKeys)
	d.Enter(terminal.KittyKeys)
	d.Leave(terminal.KittyKeys)
	if !d.IsIn(terminal.KittyKeys) {
		t.Error("the first one is left, too")
	}
	d.Leave(terminal.KittyKeys)
	if d.IsIn(terminal.KittyKeys) || slices.Contains(d.modes, terminal.Mode{}) {
		t.Error("the mode is not left")
	}
}

// TestOther checks that the other screen takes the modes with it that each screen has for itself, and that a screen that changed its size
// meanwhile is drawn in the new one.
func TestOther(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		isFull        bool
		before, after bool // kitty's keys are known before the screen is opened, and while it is
		want          []terminal.Mode
		wantThere     []terminal.Mode
	}{
		{"plain", false, false, false, nil, []terminal.Mode{terminal.OtherScreen}},
		{"kitty", false, true, false, []terminal.Mode{terminal.KittyKeys}, []terminal.Mode{terminal.KittyKeys, terminal.OtherScreen, terminal.KittyKeys}},
		{"kitty late", false, false, true, []terminal.Mode{terminal.KittyKeys}, []terminal.Mode{terminal.OtherScreen, terminal.KittyKeys}},
		{"full", true, true, false, []terminal.Mode{terminal.OtherScreen, terminal.Mouse, terminal.KittyKeys}, []terminal.Mode{terminal.OtherScreen, terminal.Mouse, terminal.KittyKeys}},
	} {
		d, setSize := open(t, Options{FullScreen: c.isFull}, io.Discard)
		const usual = 4 // modes
		if c.before {
			d.Learn(keys.KittyFlags{})
		}
		d.OpenOther()
		if c.after {
			d.Learn(keys.KittyFlags{})
		}
		if got := d.modes[usual:]; !slices.Equal(got, c.wantThere) {
			t.Errorf("%s: on the other screen %q", c.name, got)
		}
		setSize(60)
		if width, height := d.BeginOther(); width != 60 || height != 24 {
			t.Errorf("%s: %d × %d", c.name, width, height)
		}
		d.CloseOther()
		if got := d.modes[usual:]; !slices.Equal(got, c.want) || d.Width() != 60 {
			t.Errorf("%s: then %q, in %d columns", c.name, got, d.Width())
		}
	}
}

// TestMarksPastes checks which terminals have to confirm that they mark pasted text.
func TestMarksPastes(t *testing.T) {
	t.Parallel()
	d, _ := open(t, Options{}, io.Discard)
	for _, c := range []struct {
		term    string
		replies []keys.Event
		want    bool
	}{
		{"", nil, false},
		{"linux", nil, false},
		{"xterm-256color", nil, true},
		{"vt220", []keys.Event{keys.DeviceAttributes{}}, false},
		{"vt220", []keys.Event{keys.ModifyOtherKeys{}}, false},
		{"vt220", []keys.Event{keys.ModifyOtherKeys{}, keys.DeviceAttributes{}}, true},
		{"vt220", []keys.Event{keys.KittyFlags{}}, true},
	} {
		d.Look = Look{Term: c.term}
		for _, e := range c.replies {
			d.Learn(e)
		}
		if got := d.Look.MarksPastes(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
