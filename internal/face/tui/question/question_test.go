package question

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newDialog(q *kit.Question) Dialog {
	d := Open(q, keys.Default("linux"))
	d.Shown(start)
	return d
}

// press types keys by their names, 1 ms after the question was shown; others are text. It returns the effect of the
// last one.
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

// replyOf returns the answers of an outcome, such as "0=Yes 2=No"; "cancel" for a refusal, and "ignored" and "changed".
func replyOf(o Outcome) string {
	switch o := o.(type) {
	case Ignored:
		return "ignored"
	case Changed:
		return "changed"
	case Answered:
		if o.Answer.Outcome == tool.Cancel {
			return "cancel"
		}
		given := make([]string, 0, 4)
		for i := range 20 {
			if a, ok := o.Answer.Reply.Answers[strconv.Itoa(i)]; ok {
				given = append(given, fmt.Sprintf("%d=%s", i, a))
			}
		}
		return "sent " + strings.Join(given, " ")
	}
	return "?"
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
