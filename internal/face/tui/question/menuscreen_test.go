package question

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pollux/internal/face/kit"
	"pollux/internal/face/kit/kittest"
	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

func TestScroll(t *testing.T) {
	t.Parallel()
	q := kit.NewQuestion(&tool.ExecConfirmation{Title: "Shell", Command: strings.TrimSuffix(strings.Repeat("echo line\n", 50), "\n")}, true, nil)
	d := newDialog(q)
	plain := theme.NoColor()
	position := func() string {
		for _, l := range d.View(80, 15, plain).Lines {
			if strings.HasPrefix(l.String(), "lines ") {
				return l.String()
			}
		}
		return ""
	}
	first := position()
	if !strings.HasPrefix(first, "lines 1-") || !strings.HasSuffix(first, " of 50 (Page Up, Page Down)") {
		t.Errorf("%q", first)
	}
	for _, c := range []struct{ key, want string }{
		{"shift+down", "lines 2-"},
		{"shift+up", "lines 1-"},
		{"shift+up", "lines 1-"},
		{"pagedown", "lines 9-"},
		{"pageup", "lines 1-"},
		{"ctrl+end", "lines 42-50"},
		{"pagedown", "lines 42-50"},
		{"ctrl+home", "lines 1-"},
	} {
		if o := press(t, d, c.key); o != (Changed{}) || !strings.HasPrefix(position(), c.want) {
			t.Errorf("%s: %q, not %q", c.key, position(), c.want)
		}
	}
	if press(t, d, "ctrl+end", "pagedown", "pagedown", "pageup"); !strings.HasPrefix(position(), "lines 34-") {
		t.Errorf("several keys: %q", position())
	}
	short := newDialog(editQuestion())
	short.View(80, 40, plain)
	if o := press(t, short, "shift+down"); o != (Ignored{}) {
		t.Errorf("nothing to scroll: %#v", o)
	}
}

// TestLittleRoom checks that a question with many warnings keeps to its room, and says where the warnings are.
func TestLittleRoom(t *testing.T) {
	t.Parallel()
	q := kit.NewQuestion(&tool.ExecConfirmation{Title: "Shell", Command: "make"}, true, nil)
	for i := range 20 {
		q.Warnings = append(q.Warnings, "Warning "+strconv.Itoa(i))
	}
	d := newDialog(q)
	text := func() string {
		var all []string
		for _, l := range d.View(60, 12, theme.NoColor()).Lines {
			all = append(all, l.String())
		}
		if len(all) > 12 {
			t.Errorf("%d rows", len(all))
		}
		return strings.Join(all, "\n")
	}
	if got := text(); !strings.Contains(got, "make\nWarning 0\n") || !strings.Contains(got, " of 21, warnings below (Page Up, Page Down)") {
		t.Errorf("%s", got)
	}
	press(t, d, "ctrl+end")
	if got := text(); !strings.Contains(got, "Warning 19\nlines ") || strings.Contains(got, "below") {
		t.Errorf("%s", got)
	}
	if got := newDialog(q).View(60, 40, theme.NoColor()).Lines; len(got) != 1+1+20+1+2+1 {
		t.Errorf("%d rows with room for all", len(got))
	}
}

func TestResize(t *testing.T) {
	t.Parallel()
	d := newDialog(kit.NewQuestion(&tool.ExecConfirmation{Title: "Shell", Command: strings.Repeat("word ", 20)}, true, nil))
	wide, narrow := len(d.View(120, 24, theme.NoColor()).Lines), len(d.View(30, 24, theme.NoColor()).Lines)
	if narrow <= wide {
		t.Errorf("%d rows in 120 columns, %d in 30", wide, narrow)
	}
	for _, l := range d.View(30, 24, theme.NoColor()).Lines {
		if l.Width() > 30 {
			t.Errorf("%q", l)
		}
	}
}

// TestExplain checks that ? shows the reason for the question and the help of the selected option, and hides them
// again.
func TestExplain(t *testing.T) {
	t.Parallel()
	c := &tool.ExecConfirmation{Title: "Shell", Command: "make"}
	c.Reason = "A rule asks."
	d := newDialog(kit.NewQuestion(c, true, nil))
	for _, want := range []bool{false, true, false} {
		var text strings.Builder
		for _, l := range d.View(80, 24, theme.NoColor()).Lines {
			text.WriteString(l.String() + "\n")
		}
		if got := strings.Contains(text.String(), "A rule asks.\nRun this") && strings.Contains(text.String(), "Pollux asks again the next time.\n"); got != want {
			t.Errorf("%t, not %t:\n%s", got, want, &text)
		}
		press(t, d, "?")
	}
}

// TestLongMenu checks that all options are shown if there is room for them.
func TestLongMenu(t *testing.T) {
	t.Parallel()
	q := &kit.Question{Options: make([]kit.Option, 12)}
	for i := range q.Options {
		q.Options[i].Label = "x"
	}
	if got := len(newDialog(q).View(80, 24, theme.NoColor()).Lines); got != 1+12+1 {
		t.Errorf("%d lines", got)
	}
}

func TestNumberOf(t *testing.T) {
	t.Parallel()
	q := editQuestion()
	q.Number, q.Count, q.Agent = 2, 3, "helper"
	head := newDialog(q).View(40, 20, theme.NoColor()).Lines[0].String()
	if head != "? helper: Edit a.go               2 of 3" {
		t.Errorf("%q", head)
	}
	if head := newDialog(q).View(12, 20, theme.NoColor()).Lines[0]; head.Width() > 12 {
		t.Errorf("%q", head)
	}
}

// TestScreens compares each kind of question, with each warning, with its golden screen.
func TestScreens(t *testing.T) {
	t.Parallel()
	approvals := kittest.Approvals()
	for _, width := range []int{40, 80} {
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(approvals)) {
			q := kit.NewQuestion(approvals[name], true, nil)
			if q == nil || len(q.Options) == 0 {
				continue
			}
			b.WriteString("== " + name + "\n")
			for _, l := range newDialog(q).View(width, 40, theme.NoColor()).Lines {
				if l.Width() > width {
					t.Errorf("%s: %q is wider than %d", name, l, width)
				}
				b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
			}
		}
		golden.Check(t, strconv.Itoa(width)+".txt", b.String())
	}
}

// TestHostile checks that no text of others reaches the screen with control characters, in any size of terminal.
func TestHostile(t *testing.T) {
	t.Parallel()
	evil := "a\x1b]52;c;eA==\x07\x1b[2J\u202e\u200b\r\nb"
	for _, c := range []tool.Confirmation{
		&tool.ExecConfirmation{Title: evil, Command: evil},
		&tool.InfoConfirmation{Title: evil, Prompt: evil},
		&tool.RemoteConfirmation{Title: evil, Server: evil, Tool: evil, Args: []byte(`{"a": "\u001b[2J\u202e"}`)},
		&tool.PlanConfirmation{Title: evil, Plan: evil, Path: evil},
		&tool.EditConfirmation{Title: evil, DiffDisplay: tool.DiffDisplay{FilePath: evil, After: evil}},
	} {
		for _, size := range [][2]int{{1, 1}, {2, 3}, {20, 10}, {80, 24}} {
			for _, l := range newDialog(kit.NewQuestion(c, true, nil)).View(size[0], size[1], theme.NoColor()).Lines {
				if s := l.String(); strings.ContainsAny(s, "\x1b\x07\r\n\u202e\u200b") {
					t.Errorf("%q", s)
				}
			}
		}
	}
}
