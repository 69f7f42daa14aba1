package restore

import (
	"context"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/panetest"
	"pollux/internal/face/tui/theme"
	"pollux/internal/record"
)

// TestRestore checks that the effect of the selected call is looked for once, and shown with that call only.
func TestRestore(t *testing.T) {
	t.Parallel()
	var work []func() (show func())
	var planned []string
	calls := []record.Checkpoint{
		{Name: "1-a.txt", Tool: "write_file", Target: "a.txt"}, {Name: "2-b.txt", Tool: "replace", Target: "b.txt", Status: agent.Failed}, {Name: "3\n", Tool: "shell"},
	}
	p := New(t.Context(), Options{
		List: func() []record.Checkpoint { return calls },
		Plan: func(_ context.Context, c record.Checkpoint) ([]record.FileUndo, bool) {
			planned = append(planned, c.Name)
			return []record.FileUndo{{Path: "/a", Removes: true}, {Path: "/b"}, {Path: "/c", Problem: "it is\x1b[31m open"}}, true
		},
		Undone:    func(record.Checkpoint) (prompts, changes int) { return 1, 3 },
		ShortPath: func(path string) string { return "~" + path },
		Bindings:  keys.Default("linux"), Now: func() time.Time { return time.Time{}.Add(time.Hour) },
		Background: func(w func() (show func())) { work = append(work, w) },
	})
	text := func() string { return panetest.Text(t, p, 80, 24) }
	press := func(name string) pane.Outcome { return panetest.Press(p, p.o.Bindings, name) }
	if got := text(); !strings.Contains(got, "Loading...") {
		t.Error(got)
	}
	p.Load()()
	if got := text(); !strings.Contains(got, "❯ replace  b.txt (failed)") || !strings.Contains(got, "Looking for changes...") || !strings.Contains(got, "cannot be typed") {
		t.Error(got)
	}
	press("down") // while the first plan is made
	for len(work) > 0 {
		w := work[0]
		work = work[1:]
		w()()
	}
	press("up")
	got := text()
	for _, want := range []string{"Forgets this call and 2 later ones, and 1 prompt", "Removes ~/a", "Brings back ~/b", "Keeps ~/c: it is open", "Other changes"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Join(planned, " ") != "2-b.txt 1-a.txt" || len(work) > 0 {
		t.Errorf("plans: %q", planned)
	}
	if o := press("enter"); o != (pane.Chosen{Command: "/restore 2-b.txt"}) {
		t.Errorf("%#v", o)
	}
	for width := range 50 {
		for height := range 14 {
			if v := p.View(width, height, theme.NoColor()); len(v.Lines) > height {
				t.Errorf("%d lines in %d", len(v.Lines), height)
			}
		}
	}
}
