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
	"pollux/internal/face/tui/diff"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// newDialog returns a dialog that takes answers.
func newDialog(q *kit.Question) Dialog {
	d := Open(q, keys.Default("linux"), diff.Auto, Pause)
	d.Shown(start)
	d.Rest(start.Add(Pause))
	return d
}

// press types keys by their names at the end of the pause; others are text. It returns the effect of the last one.
func press(t *testing.T, d Dialog, names ...string) (o Outcome) {
	t.Helper()
	for _, name := range names {
		chord, err := keys.ParseChord(name)
		k := keys.Key{Chord: chord, At: start.Add(Pause)}
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
		{"escape", Answered{tool.Answer{Outcome: tool.Cancel}}},
		{"2", Changed{}}, // not offered
		{"2 enter", Answered{tool.Answer{Outcome: tool.ProceedOnce}}},
		{"3 5 enter", Answered{tool.Answer{Outcome: tool.Cancel}}},
		{"5", Changed{}},
		{"5 enter", Answered{tool.Answer{Outcome: tool.Cancel}}},
		{"5 U s e - x enter", Answered{tool.Answer{Outcome: tool.Cancel, Feedback: "Use-x"}}},
		{"5 a escape enter", Changed{}}, // the field opens again
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
	o, ok := press(t, d, "4").(EditorNeeded)
	if !ok || !reflect.DeepEqual(o.Option.Answer(edited), tool.Answer{Outcome: tool.ModifyWithEditor, Content: &edited}) {
		t.Errorf("4: %#v", o)
	}
}

// TestNeedsText checks that a field that needs text does not answer without one.
func TestNeedsText(t *testing.T) {
	t.Parallel()
	d := newDialog(kit.NewQuestion(&tool.PlanConfirmation{Plan: "# Plan"}, true, nil))
	if o := press(t, d, "3", "enter"); o != (Changed{}) {
		t.Errorf("%#v", o)
	}
	o, ok := press(t, d, "M", "enter").(Answered)
	if !ok || o.Answer.Reply == nil || o.Answer.Reply.Feedback != "M" {
		t.Errorf("%#v", o)
	}
}

// TestLetters checks that no letter chooses an answer, or opens a field in which the next letters would be lost.
func TestLetters(t *testing.T) {
	t.Parallel()
	questions := map[string]*kit.Question{
		"edit": editQuestion(),
		"plan": kit.NewQuestion(&tool.PlanConfirmation{Plan: "# Plan"}, true, nil),
		"exec": kit.NewQuestion(&tool.ExecConfirmation{Title: "Shell", Command: "make"}, true, nil),
		"form": formOf(tool.Question{Text: "Deploy?", Kind: tool.YesNoQuestion, Closed: true}),
		"keys": formOf(tool.Question{Text: "Trust?", Kind: tool.ChoiceQuestion, Closed: true, Options: []tool.Option{{Label: "Yes", Key: "y"}, {Label: "No", Key: "n"}}}),
	}
	for name, q := range questions {
		for letter := 'a'; letter <= 'z'; letter++ {
			d := newDialog(q)
			switch o := press(t, d, string(letter)).(type) {
			case Ignored:
			case Changed:
				if letter != 'j' && letter != 'k' { // they move the selection, as in Gemini CLI
					t.Errorf("%s, %c: the dialog has a use for it", name, letter)
				}
			default:
				t.Errorf("%s, %c: %#v", name, letter, o)
			}
			if d.View(80, 24, theme.NoColor()).HasText {
				t.Errorf("%s, %c: opens a field", name, letter)
			}
		}
	}
}

// TestPause checks that a question takes no answer before a pause without a key, and lists its keys afterwards.
func TestPause(t *testing.T) {
	t.Parallel()
	b := keys.Default("linux")
	d := Open(editQuestion(), b, diff.Auto, Pause)
	at := func(after time.Duration, name string) Outcome {
		t.Helper()
		chord, err := keys.ParseChord(name)
		if err != nil {
			t.Fatal(err)
		}
		return d.Handle(keys.Key{Chord: chord, At: start.Add(after)}, b)
	}
	listsKeys := func() bool {
		lines := d.View(80, 24, theme.NoColor()).Lines
		return strings.Contains(lines[len(lines)-1].String(), "Enter choose")
	}
	ignores := func(after time.Duration, name string) {
		t.Helper()
		if o := at(after, name); o != (Ignored{}) || listsKeys() {
			t.Errorf("%s after %v: %#v, lists keys: %v", name, after, o, listsKeys())
		}
	}
	if _, ok := d.PauseEnds(); ok {
		t.Error("the pause ends before the question is shown")
	}
	ignores(0, "enter")
	d.Shown(start)
	d.Shown(start.Add(time.Hour)) // the first time counts
	ignores(-time.Nanosecond, "enter")
	ignores(Pause-1, "enter")
	ignores(2*Pause-2, "1")
	ignores(3*Pause-3, "escape")
	d.Rest(start.Add(4*Pause - 4))
	if end, ok := d.PauseEnds(); !ok || listsKeys() || !end.Equal(start.Add(4*Pause-3)) {
		t.Errorf("the pause ends at %v, %v; lists keys: %v", end, ok, listsKeys())
	}
	d.Rest(start.Add(4*Pause - 3))
	if _, ok := d.PauseEnds(); ok || !listsKeys() {
		t.Errorf("the pause is not over; lists keys: %v", listsKeys())
	}
	d.Distract(keys.Key{Text: "o", At: start.Add(5 * Pause)})
	ignores(6*Pause-1, "enter")
	if o := at(7*Pause-1, "down"); o != (Changed{}) {
		t.Errorf("after the pause: %#v", o)
	}
	at(7*Pause, "up")
	if o, ok := at(7*Pause, "enter").(Answered); !ok {
		t.Errorf("right after a key of the question: %#v", o)
	}
}

// TestNoAnswer checks that neither a paste nor an event without a key answers.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	b := keys.Default("linux")
	d := newDialog(editQuestion())
	if o := d.Handle(keys.Paste{Text: "y\n", At: start.Add(time.Second)}, b); o != (Ignored{}) {
		t.Errorf("a paste: %#v", o)
	}
	if o := d.Handle(keys.Focus{}, b); o != (Ignored{}) {
		t.Errorf("the focus: %#v", o)
	}
}

func TestPasteText(t *testing.T) {
	t.Parallel()
	d := newDialog(editQuestion())
	press(t, d, "5")
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
	press(t, d, "5", "a", "b")
	v := d.View(80, 24, plain)
	if row := v.Lines[v.Cursor.Row].String(); !v.HasText || row != "> ab" || v.Cursor.Column != 4 {
		t.Errorf("%q, cursor %v", row, v.Cursor)
	}
	press(t, d, "escape")
	if v = d.View(80, 24, plain); v.HasText || d.Written() != "ab" {
		t.Errorf("%q", d.Written())
	}
	press(t, d, "5", "c")
	if v = d.View(80, 24, plain); v.Lines[v.Cursor.Row].String() != "> abc" || d.Written() != "abc" {
		t.Errorf("%q, %q", v.Lines[v.Cursor.Row], d.Written())
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
