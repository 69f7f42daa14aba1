package toast

import (
	"testing"
	"time"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func shown(s *Toast, at time.Duration) string {
	return s.Line(80, start.Add(at), theme.NoColor()).String()
}

// TestOrder checks that each kind hides those below it, and that the message below appears when one ends.
func TestOrder(t *testing.T) {
	t.Parallel()
	order := []Kind{Quit, Warning, Exit, Escape, Hint, QueueError, Expand}
	if len(order) != kinds {
		t.Fatal("a kind is missing")
	}
	names := map[Kind]string{Quit: "quit", Warning: "warning", Exit: "exit", Escape: "escape", Hint: "hint", QueueError: "queue", Expand: "expand"}
	var s Toast
	for i, k := range order {
		s.Show(names[k], k, start, time.Duration(i+1)*time.Second)
	}
	for i, k := range order {
		now := start.Add(time.Duration(i) * time.Second)
		if got := shown(&s, now.Sub(start)); got != names[k] {
			t.Errorf("after %d s: %q, not %q", i, got, names[k])
		}
		if end, ok := s.Deadline(now); !ok || end != now.Add(time.Second) {
			t.Errorf("%s: %v %v", names[k], end, ok)
		}
	}
	end := start.Add(time.Duration(len(order)) * time.Second)
	if _, ok := s.Deadline(end); ok || s.Line(80, end, theme.NoColor()) != nil {
		t.Error("a message remains")
	}
}

func TestShowAndDismiss(t *testing.T) {
	t.Parallel()
	var s Toast
	if s.Line(80, start, theme.NoColor()) != nil {
		t.Error("a message without a call")
	}
	s.Show("first", Hint, start, UsualTime)
	s.Show("second\x1b[31m\n!", Hint, start.Add(time.Second), UsualTime)
	s.Show("below", Expand, start, ExpandTime)
	if got := shown(&s, 3500*time.Millisecond); got != "second !" {
		t.Error(got)
	}
	s.Dismiss(Hint, Quit)
	if got := shown(&s, 0); got != "below" {
		t.Error(got)
	}
	s.Show("again", Quit, start, UsualTime)
	s.Dismiss()
	if got := shown(&s, 0); got != "" {
		t.Error(got)
	}
	s.Show("", Quit, start, UsualTime)
	if _, ok := s.Deadline(start); ok {
		t.Error("an empty message is shown")
	}
}

func TestScreens(t *testing.T) {
	t.Parallel()
	var s Toast
	b := keys.Default("linux")
	s.Show(AgainToSuspend(b), Warning, start, UsualTime)
	for width, want := range map[int]string{
		0: "", 1: "…", 40: "Press Ctrl+Z again to suspend. Undo has…",
		80: "Press Ctrl+Z again to suspend. Undo has moved to Alt+Z.", 160: "Press Ctrl+Z again to suspend. Undo has moved to Alt+Z.",
	} {
		if got := s.Line(width, start, theme.NoColor()).String(); got != want {
			t.Errorf("%d: %q, not %q", width, got, want)
		}
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	b := keys.Default("linux")
	changed, _ := keys.Load("linux", []byte(`[
		{"command": "app.suspend", "key": "alt+z"}, {"command": "basic.quit", "key": "ctrl+q"},
		{"command": "-app.showMoreLines", "key": "ctrl+o"}]`), "")
	only, _ := keys.Load("darwin", []byte(`[
		{"command": "app.suspend", "key": "ctrl+_"}, {"command": "-edit.undo", "key": "cmd+z"}, {"command": "-edit.undo", "key": "alt+z"}]`), "")
	for _, c := range []struct{ got, want string }{
		{Again(b, keys.BasicQuit, ToExit), "Press Ctrl+C again to exit."},
		{Again(b, keys.BasicExit, ToExit), "Press Ctrl+D again to exit."},
		{Again(b, keys.BasicCancel, ToRewind), "Press Esc again to rewind."},
		{Again(b, keys.BasicCancel, ToClear), "Press Esc again to clear prompt."},
		{Again(changed, keys.BasicQuit, ToExit), "Press Ctrl+Q again to exit."},
		{AgainToSuspend(b), "Press Ctrl+Z again to suspend. Undo has moved to Alt+Z."},
		{AgainToSuspend(changed), "Press Alt+Z again to suspend. Undo has moved to Cmd+Z."},
		{AgainToSuspend(only), "Press Ctrl+_ again to suspend."},
		{More(b, false), "Press Ctrl+O to show more lines of the last response"},
		{More(b, true), "Press Ctrl+O to collapse lines of the last response"},
		{More(changed, false), ""},
		{NoSlashInQueue, "Slash commands cannot be queued"},
		{NoShellInQueue, "Shell commands cannot be queued"},
		{NothingToRewind, "Nothing to rewind to"},
	} {
		if c.got != c.want {
			t.Errorf("%q, not %q", c.got, c.want)
		}
	}
}

func TestColors(t *testing.T) {
	t.Parallel()
	dark, _ := theme.Lookup(theme.DefaultDark)
	for kind, want := range map[Kind]any{
		Quit: dark.Warning(), Warning: dark.Warning(), Exit: dark.Warning(), Escape: dark.Secondary(), Hint: dark.Secondary(),
		QueueError: dark.Error(), Expand: dark.Accent(),
	} {
		var s Toast
		s.Show("x", kind, start, UsualTime)
		if got := s.Line(80, start, dark)[0].Style; any(got) != want {
			t.Errorf("%d: %v, not %v", kind, got, want)
		}
	}
}

func TestQuitAndStop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n         int
		key, want string
	}{
		{1, "Enter", "1 background process is running. Quit and stop it? (Enter again)"},
		{2, "Ctrl+C", "2 background processes are running. Quit and stop them? (Ctrl+C again)"},
		{12, "", "12 background processes are running. Quit and stop them?"},
	} {
		if got := QuitAndStop(c.n, c.key); got != c.want {
			t.Error(got)
		}
	}
}

func TestMovedToBackground(t *testing.T) {
	t.Parallel()
	b := keys.Default("linux")
	if got := MovedToBackground(b, []int{12}); got != "Command moved to background (PID: 12). Output hidden. Press Ctrl+B to view." {
		t.Error(got)
	}
	if got := MovedToBackground(b, []int{12, 34}); got != "Commands moved to background (PID: 12, 34). Output hidden. Press Ctrl+B to view." {
		t.Error(got)
	}
}
