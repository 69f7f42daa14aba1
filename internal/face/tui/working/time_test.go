package working

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
)

func TestCountdown(t *testing.T) {
	t.Parallel()
	r := running()
	r.Handle(kit.Ran{Event: waiting(3*time.Second, errors.New("Busy"))}, after(1.07))
	for _, c := range []struct {
		at   float64
		want string
	}{
		{1.07, " in 3s (2/4)"}, {2, " in 3s (2/4)"}, {2.1, " in 2s (2/4)"}, {4, " in 1s (2/4)"}, {4.1, "pro (2/4)"}, {60, "pro (2/4)"},
	} {
		if got := text(r, c.at); !strings.Contains(got, c.want) {
			t.Errorf("%g: %q", c.at, got)
		}
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	r := running()
	for _, c := range []struct {
		at   float64
		want string
	}{{-5, "0s"}, {0.9, "0s"}, {12.5, "12s"}, {59.99, "59s"}, {60.01, "1m 0s"}, {65.5, "1m 5s"}, {3600.5, "1h 0m 0s"}, {7383.5, "2h 3m 3s"}} {
		if got := text(r, c.at); !strings.HasSuffix(got, " (esc to cancel, "+c.want+")") {
			t.Errorf("%g: %q", c.at, got)
		}
	}
}

// TestQuestion checks that the time stands still while a question is open, and begins again after the answer.
func TestQuestion(t *testing.T) {
	t.Parallel()
	r := running()
	r.Answered(after(2)) // no question was open
	r.Handle(kit.Asked{}, after(10))
	r.Handle(kit.Asked{}, after(15))
	for _, at := range []float64{10, 100} {
		if got := text(r, at); got != "? Waiting for your answer (10s)" {
			t.Errorf("asked: %q", got)
		}
		if _, ok := r.Next(after(at)); ok {
			t.Error("the row changes while a question is open")
		}
	}
	r.Answered(after(100))
	if got := text(r, 103.3); !strings.HasSuffix(got, "Thinking... (esc to cancel, 3s)") {
		t.Errorf("answered: %q", got)
	}
	if d := r.watch.total(after(104)); d != 14*time.Second {
		t.Errorf("elapsed: %v", d)
	}
	r.Handle(kit.Finished{}, after(105))
	r.Handle(kit.Asked{}, after(106))
	r.Answered(after(107))
	if d := r.watch.total(after(200)); d != 15*time.Second {
		t.Errorf("elapsed at the end: %v", d)
	}
	if got := text(r, 200); got != "" {
		t.Errorf("a question without work: %q", got)
	}
	if _, ok := r.Next(after(200)); ok {
		t.Error("an idle row changes")
	}
	r.Handle(kit.Began{}, after(300))
	if d := r.watch.total(after(301)); d != time.Second {
		t.Errorf("elapsed of the next work: %v", d)
	}
	r.Handle(kit.Asked{}, after(302))
	r.Handle(kit.Finished{}, after(400)) // the question is dismissed
	if d := r.watch.total(after(500)); d != 2*time.Second {
		t.Errorf("elapsed after a question: %v", d)
	}
	if d := (&Row{}).watch.total(start); d != 0 {
		t.Errorf("elapsed of nothing: %v", d)
	}
}

func TestMotion(t *testing.T) {
	t.Parallel()
	r := running()
	signs := ""
	for i := range 11 {
		signs += string([]rune(text(r, float64(i)*0.08+0.001))[:1])
	}
	if signs != "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏⠋" {
		t.Error(signs)
	}
	if next, ok := r.Next(after(0.1)); !ok || !next.Equal(after(0.16)) {
		t.Error(next, ok)
	}
	r.Options.frameTime = time.Second / 2
	if next, ok := r.Next(after(0.1)); !ok || !next.Equal(after(0.5)) {
		t.Error(next, ok)
	}
	r.Options.IsStill = true
	if next, ok := r.Next(after(0.1)); !ok || !next.Equal(after(1)) {
		t.Error(next, ok)
	}
	if got := text(r, 3); got != "• Thinking... (esc to cancel, 3s)" {
		t.Error(got)
	}
}

// TestNext checks that the row does not change before the time of Next, and then does, and that it never is too wide.
func TestNext(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var r Row
		r.Options = Options{IsStill: rapid.Bool().Draw(t, "still"), frameTime: time.Duration(rapid.IntRange(-1, 1500).Draw(t, "frame")) * time.Millisecond}
		at := start
		var list []kit.Event
		for range rapid.IntRange(1, 12).Draw(t, "events") {
			at = at.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "ms")) * time.Millisecond)
			e := rapid.SampledFrom([]kit.Event{
				kit.Began{IsRun: true},
				kit.Began{},
				kit.Finished{},
				kit.Asked{},
				nil,
				kit.Ran{Event: waiting(1500*time.Millisecond, nil)},
				kit.Ran{Event: silent(10 * time.Second)},
				kit.Ran{Event: agent.Text{}},
			}).Draw(t, "event")
			if e == nil {
				r.Answered(at)
			} else {
				r.Handle(e, at)
			}
			list = append(list, e)
			show := func(at time.Time) string { return r.Line(160, at, theme.NoColor(), keys.Default("linux")).String() }
			next, ok := r.Next(at)
			switch {
			case !ok && show(at) != show(at.Add(time.Hour)):
				t.Fatalf("%v: the row changes without Next", list)
			case ok && (!next.After(at) || show(at) != show(next.Add(-1)) || show(at) == show(next)):
				t.Fatalf("%v: %q at %v, %q before %v, then %q", list, show(at), at, show(next.Add(-1)), next, show(next))
			}
			width := rapid.IntRange(0, 100).Draw(t, "width")
			if l := r.Line(width, at, theme.NoColor(), keys.Default("linux")); l.Width() > width {
				t.Fatalf("%q is wider than %d", l, width)
			}
		}
	})
}

func BenchmarkLine(b *testing.B) {
	r, dark, bound := running(waiting(time.Minute, nil)), theme.NoColor(), keys.Default("linux")
	for b.Loop() {
		r.Line(80, after(3), dark, bound)
	}
}
