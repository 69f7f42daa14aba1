package tui

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"pollux/internal/face/tui/pane/logs"
	"pollux/internal/process/processtest"
	"pollux/internal/terminal"
)

// TestExpire lets the time of each part come while the terminal takes no output and no session is open: nothing is due at once
// afterwards, which would keep a processor busy.
func TestExpire(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(l *loop, past time.Time){
		"nothing":                     func(*loop, time.Time) {},
		"a draft before the session":  func(l *loop, past time.Time) { l.keeper.Touch(past) },
		"a prompt that waits for it":  func(l *loop, _ time.Time) { l.waiting.add("Go.") },
		"a footer that is read again": func(l *loop, past time.Time) { l.refreshed = past },
		"a key":                       func(l *loop, past time.Time) { l.pressed = past },
	} {
		now := time.Now()
		l, _ := newTestLoop(t)
		l.display.Control(strings.Repeat("a", 1<<20)) // more than the terminal takes
		l.draw(now)
		set(l, now.Add(-time.Minute))
		now = now.Add(time.Minute) // the replies of the terminal have not come
		l.expire(now)
		if due := l.deadline(now); !due.After(now) {
			t.Errorf("%s: due %v ago", name, now.Sub(due))
		}
	}
}

// TestRefreshes checks that a pane looks at its content some time after it has opened, and not at once once more.
func TestRefreshes(t *testing.T) {
	t.Parallel()
	l, _ := newTestLoop(t)
	l.debugging.records = &logs.Records{}
	now := time.Now()
	l.showPane(openLogs(l))
	if due, ok := l.refreshDue(); !ok || due.Before(now.Add(refreshTime)) {
		t.Errorf("due in %v: %v", due.Sub(now), ok)
	}
}

// newTestLoop returns a loop at a terminal of 80 columns and 24 rows that shows nothing and replies to nothing, and the end of the terminal at
// which a person types.
func newTestLoop(t *testing.T) (*loop, *os.File) {
	t.Helper()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Skipf("NOT TESTED: no pseudo-terminal here: %v", err)
	}
	if err := pty.Setsize(ours, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	l := newLoop(New(Options{Terminal: terminal.New(theirs, theirs, theirs, func(string) string { return "" }), Getenv: func(string) string { return "" }, GOOS: "linux"}))
	if err := l.display.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = ours.Close() // a frame in progress fails
		l.display.Close()
		_ = theirs.Close()
	})
	return l, ours
}

// TestReadArrived checks that text typed before the session was open is in the input when its draft comes, also if the loop has had no time to read it.
func TestReadArrived(t *testing.T) {
	t.Parallel()
	l, person := newTestLoop(t)
	for i, text := range []string{"ear", "ly"} {
		if _, err := io.WriteString(person, text); err != nil {
			t.Fatal(err)
		}
		processtest.WaitUntil(t, "the chunk has arrived", func() bool { return len(l.display.Chunks()) == i+1 })
	}
	l.readArrived()
	if got := l.composer.Draft().Text; got != "early" {
		t.Errorf("the input has %q", got)
	}
}
