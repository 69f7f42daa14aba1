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
		{Name: "1-a.txt", Tool: "write_file", Target: "a.txt", Results: "r"}, {Name: "2-b.txt", Tool: "replace", Target: "b.txt", Status: agent.Failed, Results: "r"}, {Name: "3\n", Tool: "shell", Results: "r"},
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

// TestInFile says that the conversation is another after a return to a checkpoint in a file.
func TestInFile(t *testing.T) {
	t.Parallel()
	p := New(t.Context(), Options{
		List: func() []record.Checkpoint {
			return []record.Checkpoint{record.InFile("2026-01-02T03-04-05_006Z-my-file.txt-replace")}
		},
		Plan: func(context.Context, record.Checkpoint) ([]record.FileUndo, bool) {
			return []record.FileUndo{{Path: "/a"}}, false
		},
		Undone:    func(record.Checkpoint) (prompts, changes int) { return 0, 5 },
		ShortPath: func(path string) string { return path },
		Bindings:  keys.Default("linux"), Now: func() time.Time { return time.Date(2026, 1, 2, 4, 4, 5, 0, time.UTC) },
		Background: func(w func() (show func())) { w()() },
	})
	p.Load()()
	got := panetest.Text(t, p, 80, 24)
	for _, want := range []string{"❯ replace  my-file.txt", "59 minutes ago", "Replaces the conversation by that of the file\nBrings back /a"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if o := panetest.Press(p, p.o.Bindings, "enter"); o != (pane.Chosen{Command: "/restore 2026-01-02T03-04-05_006Z-my-file.txt-replace"}) {
		t.Errorf("%#v", o)
	}
}
