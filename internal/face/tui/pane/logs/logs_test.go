package logs

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/theme"
)

func text(v pane.View) string {
	var b strings.Builder
	for _, l := range v.Lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

func press(p *Pane, name string) pane.Outcome {
	b := keys.Default("linux")
	var d keys.Decoder
	var o pane.Outcome
	for _, e := range d.Feed([]byte(name), time.Now()) {
		o = p.Handle(e, b)
	}
	return o
}

func TestRecords(t *testing.T) {
	t.Parallel()
	r := &Records{Level: slog.LevelInfo, Clean: func(s string) string { return strings.ReplaceAll(s, "secret", "***") }}
	log := slog.New(r).With("by", "me")
	log.Debug("left out")
	log.Info("request", "key", "secret")
	for range 3 {
		log.WithGroup("g").Error("bad\x1b[31m\nnews")
	}
	list := r.List(slog.LevelDebug)
	if len(list) != 2 || list[0].Text != "request by=me key=***" || list[1].Count != 3 || r.Errors() != 3 || len(r.List(slog.LevelError)) != 1 {
		t.Errorf("%+v, %d", list, r.Errors())
	}
	for i := range 3 * Size {
		r.Add(time.Now(), slog.LevelInfo, fmt.Sprint(i)+strings.Repeat("x", 3*maxText))
	}
	list = r.List(slog.LevelDebug)
	if n := len(list); n > Size || n < Size*9/10 || !strings.HasPrefix(list[n-1].Text, fmt.Sprint(3*Size-1)) || len(list[n-1].Text) > maxText+3 {
		t.Errorf("%d records, the last is %.20q", n, list[n-1].Text)
	}
}

func TestPane(t *testing.T) {
	t.Parallel()
	r := &Records{}
	var written string
	var failure error
	p := New(Options{Records: r, Bindings: keys.Default("linux"), Background: func(work func() func()) { work()() }, Write: func(text string) (string, error) {
		written = text
		return "/tmp/file", failure
	}})
	show := func() string { return text(p.View(60, 20, theme.NoColor())) }
	if got := show(); !strings.Contains(got, "Debug Console (F12 to close)\nNo records.\n") {
		t.Errorf("%s", got)
	}
	if press(p, "w"); !strings.Contains(show(), "Nothing to write.") {
		t.Errorf("%s", show())
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range 30 {
		r.Add(at, slog.LevelInfo, fmt.Sprintf("record %d", i))
	}
	r.Add(at, slog.LevelError, "broken\x1b[2J")
	r.Add(at, slog.LevelError, "broken\x1b[2J")
	if got := show(); !strings.Contains(got, "03:04:05 ✖ broken (x2)\n") || strings.Contains(got, "record 18\n") || !strings.Contains(got, "record 19\n") {
		t.Errorf("%s", got)
	}
	if press(p, "\x1b[A"); strings.Contains(show(), "broken") || !strings.Contains(show(), "record 18\n") {
		t.Errorf("%s", show())
	}
	if press(p, "\x1b[1;5H"); !strings.Contains(show(), "record 0\n") {
		t.Errorf("%s", show())
	}
	press(p, "\t\t\t")
	if got := show(); strings.Contains(got, "record") || !strings.Contains(got, "level: errors") {
		t.Errorf("%s", got)
	}
	if press(p, "w"); written != "2026-01-02 03:04:05.000 ERROR broken (x2)\n" || !strings.Contains(show(), "Written to /tmp/file") {
		t.Errorf("%q, %s", written, show())
	}
	failure = errors.New("disk full")
	if press(p, "w"); !strings.Contains(show(), "disk full") {
		t.Errorf("%s", show())
	}
	for width := range 30 {
		for height := range 8 {
			if v := p.View(width, height, theme.NoColor()); len(v.Lines) > height {
				t.Errorf("%d lines in %d rows", len(v.Lines), height)
			}
		}
	}
	for _, key := range []string{"\x1b[24~", "q"} {
		if _, isClosed := press(p, key).(pane.Closed); isClosed != (key != "q") {
			t.Errorf("%q closes: %v", key, isClosed)
		}
	}
}
