package question

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pollux/internal/face/kit"
	"pollux/internal/face/kit/kittest"
	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

var update = flag.Bool("update", false, "write the golden files")

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newDialog(q *kit.Question) Dialog {
	d := Open(q, keys.Default("linux"))
	d.Shown(start)
	return d
}

// press types keys by their names, 1 ms after the question was shown; others are text. It returns the effect of the last one.
func press(t *testing.T, d Dialog, names ...string) (o Outcome) {
	t.Helper()
	for _, name := range names {
		chord, err := keys.ParseChord(name)
		k := keys.Key{Chord: chord, At: start.Add(time.Millisecond)}
		if err != nil || len([]rune(name)) == 1 {
			k.Text = name
		}
		if name == "space" {
			k.Text = " "
		}
		o = d.Handle(k, keys.Default("linux"))
	}
	return o
}

func editQuestion() *kit.Question {
	before := "package a\n"
	c := &tool.EditConfirmation{Title: "Edit a.go"}
	c.DiffDisplay = tool.DiffDisplay{FileName: "a.go", FilePath: "/w/a.go", Before: &before, After: "package b\n", Diff: "@@ -1 +1 @@\n-package a\n+package b\n"}
	c.Modifiable = true
	return kit.NewQuestion(c, true, nil)
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	edited := "edited"
	for _, c := range []struct {
		keys string
		want Outcome
	}{
		{"enter", Answered{tool.Answer{Outcome: tool.ProceedOnce}}},
		{"1", Answered{tool.Answer{Outcome: tool.ProceedOnce}}},
		{"y", Answered{tool.Answer{Outcome: tool.ProceedOnce}}},
		{"escape", Answered{tool.Answer{Outcome: tool.Cancel}}},
		{"2", Changed{}}, // not offered
		{"2 enter", Answered{tool.Answer{Outcome: tool.ProceedOnce}}},
		{"3 5 enter", Answered{tool.Answer{Outcome: tool.Cancel}}},
		{"5", Changed{}},
		{"n enter", Answered{tool.Answer{Outcome: tool.Cancel}}},
		{"n U s e - x enter", Answered{tool.Answer{Outcome: tool.Cancel, Feedback: "Use-x"}}},
		{"n a escape enter", Changed{}}, // the field opens again
		{"down down down enter", Answered{tool.Answer{Outcome: tool.ProceedOnce}}},
		{"f5", Ignored{}},
		{"?", Changed{}},
	} {
		d := newDialog(editQuestion())
		if got := press(t, d, strings.Fields(c.keys)...); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %#v, not %#v", c.keys, got, c.want)
		}
	}
	d := newDialog(editQuestion())
	o, ok := press(t, d, "e").(EditorNeeded)
	if !ok || !reflect.DeepEqual(o.Option.Answer(edited), tool.Answer{Outcome: tool.ModifyWithEditor, Content: &edited}) {
		t.Errorf("e: %#v", o)
	}
}

// TestNeedsText checks that a field that needs text does not answer without one.
func TestNeedsText(t *testing.T) {
	t.Parallel()
	d := newDialog(kit.NewQuestion(&tool.PlanConfirmation{Plan: "# Plan"}, true, nil))
	if o := press(t, d, "f", "enter"); o != (Changed{}) {
		t.Errorf("%#v", o)
	}
	o, ok := press(t, d, "M", "enter").(Answered)
	if !ok || o.Answer.Reply == nil || o.Answer.Reply.Feedback != "M" {
		t.Errorf("%#v", o)
	}
}

// TestArrival checks that keys count from the time at which the question is on the screen.
func TestArrival(t *testing.T) {
	t.Parallel()
	enter, err := keys.ParseChord("enter")
	if err != nil {
		t.Fatal(err)
	}
	b := keys.Default("linux")
	d := Open(editQuestion(), b)
	if o := d.Handle(keys.Key{Chord: enter, At: start}, b); o != (Ignored{}) {
		t.Errorf("before the question is shown: %#v", o)
	}
	d.Shown(start)
	d.Shown(start.Add(time.Hour)) // the first time counts
	if o := d.Handle(keys.Key{Chord: enter, At: start.Add(-time.Nanosecond)}, b); o != (Ignored{}) {
		t.Errorf("typed before: %#v", o)
	}
	if o := d.Handle(keys.Paste{Text: "y\n", At: start.Add(time.Second)}, b); o != (Ignored{}) {
		t.Errorf("a paste: %#v", o)
	}
	if o := d.Handle(keys.Focus{}, b); o != (Ignored{}) {
		t.Errorf("the focus: %#v", o)
	}
	if o, ok := d.Handle(keys.Key{Chord: enter, At: start.Add(time.Millisecond)}, b).(Answered); !ok {
		t.Errorf("1 ms later: %#v", o)
	}
}

func TestPasteText(t *testing.T) {
	t.Parallel()
	d := newDialog(editQuestion())
	press(t, d, "n")
	if o := d.Handle(keys.Paste{Text: "a\nb", At: start.Add(time.Second)}, keys.Default("linux")); o != (Changed{}) {
		t.Errorf("%#v", o)
	}
	if o := press(t, d, "enter"); !reflect.DeepEqual(o, Answered{tool.Answer{Outcome: tool.Cancel, Feedback: "a b"}}) {
		t.Errorf("%#v", o)
	}
}

func TestDefault(t *testing.T) {
	t.Parallel()
	q := editQuestion()
	q.Options[len(q.Options)-1].IsDefault = true
	d := newDialog(q)
	if o := press(t, d, "enter"); o != (Changed{}) || !d.View(80, 24, theme.NoColor()).HasText {
		t.Errorf("%#v", o)
	}
}

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

func TestText(t *testing.T) {
	t.Parallel()
	d := newDialog(editQuestion())
	plain := theme.NoColor()
	if v := d.View(80, 24, plain); v.HasText {
		t.Error("the options have a cursor")
	}
	press(t, d, "n", "a", "b")
	v := d.View(80, 24, plain)
	if row := v.Lines[v.Cursor.Row].String(); !v.HasText || row != "> ab" || v.Cursor.Column != 4 {
		t.Errorf("%q, cursor %v", row, v.Cursor)
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

func TestExpire(t *testing.T) {
	t.Parallel()
	q := &kit.Question{Options: make([]kit.Option, 12)}
	for i := range q.Options {
		q.Options[i].Label = "x"
	}
	d := newDialog(q)
	if o := press(t, d, "1"); o != (Changed{}) || !d.IsWaiting() {
		t.Errorf("%#v", o)
	}
	if _, ok := d.Expire().(Answered); !ok || d.IsWaiting() || choice.NumberWait <= 0 {
		t.Error("the wait does not end")
	}
	if o, ok := press(t, d, "escape").(Answered); !ok || o.Answer.Outcome != tool.Cancel {
		t.Errorf("no option refuses: %#v", o)
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
		golden(t, strconv.Itoa(width)+".txt", b.String())
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update):\n%s", path, got)
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
