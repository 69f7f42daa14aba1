package undo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/panetest"
	"pollux/internal/face/tui/theme"
	"pollux/internal/manage/undo"
)

// dialog is a pane whose background work the test does.
type dialog struct {
	*Pane
	t      *testing.T
	looked []int
	work   []func() (show func())
}

func newDialog(t *testing.T, changes []undo.Change, previews map[int]*undo.Preview) *dialog {
	d := &dialog{t: t}
	d.Pane = New(t.Context(), Options{
		List: func() ([]undo.Change, error) { return changes, nil },
		Look: func(_ context.Context, c undo.Change) (*undo.Preview, error) {
			d.looked = append(d.looked, c.Number)
			if previews[c.Number] == nil {
				return nil, errors.New("the log is\x1b[31m damaged")
			}
			return previews[c.Number], nil
		},
		Bindings: keys.Default("linux"), Now: func() time.Time { return time.Time{}.Add(time.Hour) },
		Background: func(w func() (show func())) { d.work = append(d.work, w) },
	})
	return d
}

func (d *dialog) finish() {
	for len(d.work) > 0 {
		w := d.work[0]
		d.work = d.work[1:]
		w()()
	}
}

func (d *dialog) press(names ...string) pane.Outcome {
	return panetest.Press(d.Pane, d.o.Bindings, names...)
}

func (d *dialog) shows(wants ...string) {
	d.t.Helper()
	text := panetest.Text(d.t, d.Pane, 80, 24)
	for _, want := range wants {
		name, isAbsent := strings.CutPrefix(want, "!")
		if strings.Contains(text, name) == isAbsent {
			d.t.Errorf("%q in\n%s", want, text)
		}
	}
}

func changes() []undo.Change {
	return []undo.Change{
		{Number: 3, Title: "rm -rf src"},
		{Number: 2, Title: "make", IsOther: true},
		{Number: 1, Title: "main.go", IsUndone: true},
	}
}

// TestPreview shows the effect of the selected change, which is looked for once.
func TestPreview(t *testing.T) {
	t.Parallel()
	d := newDialog(t, changes(), map[int]*undo.Preview{3: {
		Summary: "2 files deleted (+0, -3)", Files: [][]string{{"src/a", "1", "- deleted"}, {"源/b\x1b[2J", "12", "--"}}, Paths: 3,
		Stays: []string{"src/c: it is a mount"}, Notes: []string{"At the same time ran: make."},
	}})
	d.shows("Loading...")
	d.Load()()
	d.shows("❯ #3  rm -rf src", "#2  make", "1 hour ago, in another session", "undone already", "Looking at the files...")
	d.press("down") // while the effect of the first is looked for
	d.finish()
	d.shows("The log is damaged", "!Takes back")
	if o := d.press("up"); o != (pane.Changed{}) {
		t.Errorf("%#v", o)
	}
	d.finish()
	d.shows("Takes back: 2 files deleted (+0, -3)", "Stays: src/c: it is a mount", "At the same time ran: make.", "src/a   1 - deleted\n", "源/b   12 --\n")
	if fmt.Sprint(d.looked) != "[3 2]" {
		t.Errorf("looked at %v", d.looked)
	}
	if o := d.press("enter"); o != (pane.Chosen{Command: "/undo #3"}) {
		t.Errorf("%#v", o)
	}
	if o := d.press("down", "down", "enter"); o != (pane.Chosen{Command: "/undo #3"}) { // past the one that is undone
		t.Errorf("%#v", o)
	}
	if o := d.press("escape"); o != (pane.Closed{}) {
		t.Errorf("%#v", o)
	}
}

// TestNothing shows why there is nothing to choose.
func TestNothing(t *testing.T) {
	t.Parallel()
	d := newDialog(t, nil, nil)
	d.Load()()
	d.shows("No changes recorded.")
	if o := d.press("enter"); o != (pane.Ignored{}) && o != (pane.Changed{}) {
		t.Errorf("%#v", o)
	}
	d.o.List = func() ([]undo.Change, error) { return nil, errors.New("no\x1b access") }
	d.Load()()
	d.shows("Cannot read the undo log: ")
}

// TestDiff opens the diff, scrolls in it, and undoes the change from there.
func TestDiff(t *testing.T) {
	t.Parallel()
	patch := "diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n" + strings.Repeat("-old \x1b[31mred\n+new\n", 30)
	d := newDialog(t, changes()[:1], map[int]*undo.Preview{3: {Summary: "1 file changed", Patch: patch, Paths: 1, Notes: []string{"The diff is longer."}}})
	d.Load()()
	if o := d.press("right"); o == (pane.Changed{}) && d.Pane.shows != nil {
		t.Error("a diff that is not known is shown")
	}
	d.finish()
	d.press("right")
	d.shows("What #3 has changed\ndiff --git a/b b/b\n", "-old red\n", "Enter undo · Esc back", "!is longer", "!Takes back")
	d.press("end")
	d.shows("The diff is longer.", "!diff --git")
	d.press("home", "down")
	d.shows("What #3 has changed\n--- a/b\n")
	d.press("left")
	d.shows("Takes back")
	d.press("right")
	if o := d.press("escape"); o != (pane.Changed{}) || d.Pane.shows != nil {
		t.Errorf("%#v", o)
	}
	d.press("r", "m", "right") // the cursor moves in a search
	if d.Pane.shows != nil {
		t.Error("the diff is open")
	}
	d.press("escape", "right")
	if o := d.press("enter"); o != (pane.Chosen{Command: "/undo #3"}) {
		t.Errorf("%#v", o)
	}
}

// TestAsk asks what to do with files that were changed since.
func TestAsk(t *testing.T) {
	t.Parallel()
	v := &undo.Preview{Summary: "2 files changed", Paths: 1, Stays: []string{"a: it was changed since"}, CanOverwrite: true}
	for _, c := range []struct {
		paths int
		keys  string
		want  pane.Outcome
	}{
		{1, "enter enter", pane.Chosen{Command: "/undo #3"}},
		{1, "enter down enter", pane.Chosen{Command: "/undo #3 --merge"}},
		{1, "enter down down enter", pane.Chosen{Command: "/undo #3 --overwrite"}},
		{0, "enter enter", pane.Chosen{Command: "/undo #3 --merge"}},
		{1, "enter escape", pane.Changed{}},
		{1, "enter escape escape", pane.Closed{}},
	} {
		v.Paths = c.paths
		d := newDialog(t, changes()[:1], map[int]*undo.Preview{3: v})
		d.Load()()
		d.finish()
		d.press("enter")
		d.shows("Some files were changed since #3", "a: it was changed since", "Undo the rest", "Merge: ", "Overwrite: ")
		d.press("escape")
		if o := d.press(strings.Fields(c.keys)...); o != c.want {
			t.Errorf("%s: %#v", c.keys, o)
		}
	}
}

// TestFits draws all of it in terminals of all sizes.
func TestFits(t *testing.T) {
	t.Parallel()
	v := &undo.Preview{
		Summary: strings.Repeat("many 文件 ", 30), Patch: strings.Repeat("+"+strings.Repeat("中文", 40)+"\n", 40), Paths: 1, CanOverwrite: true,
		Stays: slices.Repeat([]string{"path/" + strings.Repeat("长", 60) + ": it was changed since"}, 30), Notes: []string{strings.Repeat("note ", 50)},
	}
	for i := range 60 {
		v.Files = append(v.Files, []string{strings.Repeat("文", i), "1", "+"})
	}
	for _, opened := range []string{"", "right", "enter"} {
		d := newDialog(t, changes(), map[int]*undo.Preview{3: v})
		d.Load()()
		d.finish()
		d.press(strings.Fields(opened)...)
		for width := range 90 {
			for height := range 16 {
				view := d.View(width, height, theme.NoColor())
				if len(view.Lines) > height {
					t.Fatalf("%q: %d lines in %d", opened, len(view.Lines), height)
				}
				for _, l := range view.Lines {
					if width > 1 && l.Width() > width {
						t.Fatalf("%q: %q is wider than %d", opened, l, width)
					}
				}
			}
		}
	}
}
