package tui

import (
	"io"
	"testing"
	"time"

	"pollux/internal/face/tui/inline"
	"pollux/internal/terminal"
)

// TestExpire lets the time of each part come while the terminal takes no output and no session is open: nothing is due at once
// afterwards, which would keep a processor busy.
func TestExpire(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(l *loop, past time.Time){
		"nothing":                     func(*loop, time.Time) {},
		"a draft before the session":  func(l *loop, past time.Time) { l.keeper.touch(past) },
		"replies that have not come":  func(l *loop, past time.Time) { l.look.answered, l.look.asked = false, past },
		"a footer that is read again": func(l *loop, past time.Time) { l.refreshed = past },
		"a key":                       func(l *loop, past time.Time) { l.pressed = past },
	} {
		now := time.Now()
		l := newLoop(New(Options{Terminal: &terminal.Terminal{}, Getenv: func(string) string { return "" }, GOOS: "linux"}))
		in, out := io.Pipe()
		l.output = inline.NewOutput(out)
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
