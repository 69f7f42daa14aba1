package question

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

var (
	database = tool.Question{Header: "Database", Text: "Which database do you want?", Kind: tool.ChoiceQuestion, Options: []tool.Option{
		{Label: "SQLite", Description: "One file, nothing to install"},
		{Label: "Postgres", Description: "A server, for several users at once"},
	}}
	checks = tool.Question{Header: "Checks", Text: "Which checks?", Kind: tool.ChoiceQuestion, Multi: true, Options: []tool.Option{
		{Label: "Tests"}, {Label: "Lint"}, {Label: "Race"},
	}}
	name    = tool.Question{Header: "Name", Text: "What is its name?", Kind: tool.TextQuestion, Placeholder: "shop"}
	publish = tool.Question{Header: "Publish", Text: "Publish it?", Kind: tool.YesNoQuestion}
	apiKey  = tool.Question{Header: "Key", Text: "Paste the key.", Kind: tool.SecretQuestion, Help: "Pollux stores it in the keychain."}
	consent = tool.Question{Header: "Server", Text: "It wants to sign you in.", Kind: tool.ChoiceQuestion, Closed: true, Options: []tool.Option{
		{Key: "y", Label: "Open"}, {Key: "n", Label: "Decline"},
	}}
)

func formOf(questions ...tool.Question) *kit.Question {
	return kit.NewQuestion(&tool.QuestionConfirmation{Title: "Ask User", Questions: questions}, true, nil)
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

func TestFormAnswers(t *testing.T) {
	t.Parallel()
	closedChecks, lettered, free := checks, consent, database
	closedChecks.Closed, lettered.Closed, free.FreeText = true, false, "a name"
	for _, c := range []struct {
		name      string
		questions []tool.Question
		keys      string
		want      string
	}{
		{"the first option", []tool.Question{database}, "enter", "sent 0=SQLite"},
		{"down", []tool.Question{database}, "down enter", "sent 0=Postgres"},
		{"a number", []tool.Question{database}, "2", "sent 0=Postgres"},
		{"a number without a row", []tool.Question{database}, "9 enter", "sent 0=SQLite"},
		{"the number of the field", []tool.Question{database}, "3", "changed"},
		{"the number of the field, and a text", []tool.Question{database}, "3 M y enter", "sent 0=My"},
		{"a printable key", []tool.Question{database}, "j 1 enter", "sent 0=j1"},
		{"up from the first row", []tool.Question{database}, "up x enter", "sent 0=x"},
		{"an empty field", []tool.Question{database}, "up enter", "ignored"},
		{"a field of spaces", []tool.Question{database}, "up space enter", "ignored"},
		{"back from the field", []tool.Question{database}, "x up enter", "sent 0=Postgres"},
		{"from the field to the first row", []tool.Question{database}, "x down enter", "sent 0=SQLite"},
		{"clear", []tool.Question{database}, "x ctrl+c y enter", "sent 0=y"},
		{"clear nothing", []tool.Question{database}, "up ctrl+c", "ignored"},
		{"clear in a list", []tool.Question{database}, "ctrl+c", "ignored"},
		{"escape", []tool.Question{database}, "escape", "cancel"},
		{"escape in the field", []tool.Question{database}, "x escape", "cancel"},
		{"tab without another question", []tool.Question{database}, "tab", "ignored"},
		{"arrow without another question", []tool.Question{database}, "right", "ignored"},
		{"a key without a use", []tool.Question{database}, "f5", "ignored"},
		{"a key without a use in the field", []tool.Question{database}, "x f5", "ignored"},
		{"arrows in the field", []tool.Question{database}, "x y left z right w enter", "sent 0=xzyw"},
		{"more text at the end", []tool.Question{database}, "x y left up z enter", "sent 0=xyz"},

		{"several", []tool.Question{checks}, "1 3 5", "sent 0=Tests, Race"},
		{"several with Enter and Space", []tool.Question{checks}, "enter down space 5", "sent 0=Tests, Lint"},
		{"picked twice", []tool.Question{checks}, "1 1 2 5", "sent 0=Lint"},
		{"all", []tool.Question{checks}, "4 5", "sent 0=Tests, Lint, Race"},
		{"all but one", []tool.Question{checks}, "4 2 5", "sent 0=Tests, Race"},
		{"all twice", []tool.Question{checks}, "4 4 5", "sent "},
		{"all by one", []tool.Question{checks}, "1 2 3 4 5", "sent "},
		{"several and a text", []tool.Question{checks}, "2 x enter", "sent 0=Lint, x"},
		{"a text and Done", []tool.Question{checks}, "x up enter", "sent 0=x"},
		{"Space types in the field", []tool.Question{checks}, "x space y enter", "sent 0=x y"},
		{"Space on Done types", []tool.Question{checks}, "1 down down down down space x enter", "sent 0=Tests, x"},
		{"none of a closed list", []tool.Question{closedChecks}, "5", "changed"},
		{"one of a closed list", []tool.Question{closedChecks}, "5 1 5", "sent 0=Tests"},

		{"a text", []tool.Question{name}, "a space 1 enter", "sent 0=a 1"},
		{"no text", []tool.Question{name}, "enter", "sent "},
		{"clear a text", []tool.Question{name}, "a ctrl+c b enter", "sent 0=b"},
		{"a text with k", []tool.Question{name}, "j k enter", "sent 0=jk"},
		{"yes", []tool.Question{publish}, "enter", "sent 0=Yes"},
		{"no", []tool.Question{publish}, "2", "sent 0=No"},
		{"y", []tool.Question{publish}, "y enter", "sent 0=Yes"},
		{"perhaps", []tool.Question{publish}, "m a y b e enter", "sent 0=maybe"},

		{"a letter of a closed list", []tool.Question{consent}, "n", "sent 0=Decline"},
		{"j in a closed list", []tool.Question{consent}, "j enter", "sent 0=Decline"},
		{"another letter of a closed list", []tool.Question{consent}, "x", "ignored"},
		{"? in a closed list", []tool.Question{consent}, "? enter", "sent 0=Open"},
		{"a letter in the field", []tool.Question{lettered}, "N enter", "sent 0=Decline"},
		{"no letter in the field", []tool.Question{lettered}, "n o enter", "sent 0=no"},
		{"a secret", []tool.Question{apiKey}, "s k - 1 enter", "sent 0=sk-1"},

		{"several questions", []tool.Question{database, name, publish}, "2 x enter 1 enter", "sent 0=Postgres 1=x 2=Yes"},
		{"nothing answered", []tool.Question{database, name, publish}, "tab tab tab enter", "sent "},
		{"without the second", []tool.Question{database, name, publish}, "1 enter 1 enter", "sent 0=SQLite 2=Yes"},
		{"with arrows", []tool.Question{database, name, publish}, "right right right left 2 enter", "sent 2=No"},
		{"back", []tool.Question{database, name, publish}, "1 x enter shift+tab shift+tab down enter tab tab enter", "sent 0=Postgres 1=x"},
		{"a text without Enter", []tool.Question{database, name}, "x tab y tab enter", "sent 0=x 1=y"},
		{"a text that was cleared", []tool.Question{database, name}, "x ctrl+c tab tab enter", "sent "},
		{"an option in place of a text", []tool.Question{database, name}, "x up enter tab enter", "sent 0=Postgres"},
		{"a text in place of an option", []tool.Question{database, name}, "1 left up up x tab tab enter", "sent 0=x"},
		{"the same text again", []tool.Question{database, name}, "x up enter left down enter tab enter", "sent 0=x"},
		{"before the first", []tool.Question{database, name}, "shift+tab", "ignored"},
		{"behind the review", []tool.Question{database, name}, "tab tab tab", "ignored"},
		{"the last Enter", []tool.Question{database, name}, "1 x enter", "changed"},
		{"a letter in the review", []tool.Question{database, name}, "tab tab x", "ignored"},
		{"escape in the review", []tool.Question{database, name}, "tab tab escape", "cancel"},
		{"a name", []tool.Question{free}, "x enter", "sent 0=x"},
		{"no questions", nil, "enter", "sent "},
	} {
		if got := replyOf(press(t, newDialog(formOf(c.questions...)), strings.Fields(c.keys)...)); got != c.want {
			t.Errorf("%s: %s is %q, not %q", c.name, c.keys, got, c.want)
		}
	}
}

// TestFormPaste checks that a paste becomes text, and answers nothing.
func TestFormPaste(t *testing.T) {
	t.Parallel()
	paste := keys.Paste{Text: " 2\ny\n", At: start.Add(time.Millisecond)}
	for _, c := range []struct {
		name     string
		question []tool.Question
		pasted   string // the outcome of the paste
		want     string // of Enter
	}{
		{"choice", []tool.Question{database}, "changed", "sent 0=2 y"},
		{"several", []tool.Question{checks}, "changed", "sent 0=2 y"},
		{"text", []tool.Question{name}, "changed", "sent 0=2 y"},
		{"secret", []tool.Question{apiKey}, "changed", "sent 0=2 y"},
		{"closed choice", []tool.Question{consent}, "ignored", "sent 0=Open"},
		{"review", nil, "ignored", "sent "},
	} {
		d := newDialog(formOf(c.question...))
		if got := replyOf(d.Handle(paste, keys.Default("linux"))); got != c.pasted {
			t.Errorf("%s: a paste is %q, not %q", c.name, got, c.pasted)
		}
		if got := replyOf(press(t, d, "enter")); got != c.want {
			t.Errorf("%s: Enter is %q, not %q", c.name, got, c.want)
		}
	}
}

// TestFormArrival checks that keys and pastes count from the time at which the question is on the screen.
func TestFormArrival(t *testing.T) {
	t.Parallel()
	d := Open(formOf(name), keys.Default("linux"))
	if got := replyOf(press(t, d, "enter")); got != "ignored" {
		t.Errorf("before the question is shown: %s", got)
	}
	d.Shown(start.Add(time.Hour))
	d.Shown(start)
	if got := replyOf(d.Handle(keys.Paste{Text: "x", At: start}, keys.Default("linux"))); got != "ignored" {
		t.Errorf("typed before: %s", got)
	}
	if got := replyOf(d.Handle(keys.Focus{At: start.Add(2 * time.Hour)}, keys.Default("linux"))); got != "ignored" {
		t.Errorf("the focus: %s", got)
	}
	if d.Question().Form[0].Text != name.Text {
		t.Error("another question")
	}
}

// TestFormExpire checks the wait for another digit in a list of more than nine rows.
func TestFormExpire(t *testing.T) {
	t.Parallel()
	q := tool.Question{Kind: tool.ChoiceQuestion, Options: make([]tool.Option, 12)}
	for i := range q.Options {
		q.Options[i].Label = "o" + strconv.Itoa(i+1)
	}
	d := newDialog(formOf(q, name))
	if d.IsWaiting() || replyOf(d.Expire()) != "ignored" {
		t.Error("it waits before a digit")
	}
	if press(t, d, "1"); !d.IsWaiting() {
		t.Error("it does not wait for another digit")
	}
	if press(t, d, "tab", "shift+tab"); d.IsWaiting() {
		t.Error("it waits after another question")
	}
	if press(t, d, "1"); replyOf(d.Expire()) != "changed" || d.IsWaiting() || replyOf(d.Expire()) != "ignored" {
		t.Error("the wait does not end")
	}
	if got := replyOf(press(t, d, "tab", "enter")); got != "sent 0=o1" {
		t.Error(got)
	}
	if got := replyOf(press(t, d, "left", "left", "1", "2", "tab", "enter")); got != "sent 0=o12" {
		t.Error(got)
	}
	if d.IsWaiting() || replyOf(d.Expire()) != "ignored" {
		t.Error("the review waits")
	}
}

// TestFormScreens compares forms with their golden screens.
func TestFormScreens(t *testing.T) {
	t.Parallel()
	all := []tool.Question{database, checks, name, publish}
	long := database
	long.Text = strings.TrimSpace(strings.Repeat("A long text of the model. ", 30))
	odd := name
	odd.Text = "Hidden: \u202e!"
	for _, width := range []int{24, 40, 80, 160} {
		var b strings.Builder
		for _, c := range []struct {
			name      string
			questions []tool.Question
			keys      string
		}{
			{"choice", []tool.Question{database}, ""},
			{"choice with a text", []tool.Question{database}, "a b c"},
			{"closed", []tool.Question{consent}, ""},
			{"text", []tool.Question{name}, ""},
			{"altered", []tool.Question{odd}, "x"},
			{"secret", []tool.Question{apiKey}, ""},
			{"secret typed", []tool.Question{apiKey}, "s k - 1 2 3"},
			{"long", []tool.Question{long}, ""},
			{"several", all, ""},
			{"answered", all, "2 left"},
			{"text of several", all, "tab 1 x tab"},
			{"checks", all, "2 2 x"},
			{"all checks", all, "tab 4"},
			{"review", all, "2 1 2 x y enter tab tab"},
			{"review of one", []tool.Question{database, apiKey}, "2 s e c r e t enter"},
			{"review of none", []tool.Question{publish, name}, "tab tab"},
		} {
			d := newDialog(formOf(c.questions...))
			press(t, d, strings.Fields(c.keys)...)
			v := d.View(width, 24, theme.NoColor())
			fmt.Fprintf(&b, "== %s\n", c.name)
			for i, l := range v.Lines {
				if l.Width() > width {
					t.Errorf("%s: %q is wider than %d", c.name, l, width)
				}
				text := strings.TrimRight(l.String(), " ")
				if v.HasText && i == v.Cursor.Row {
					text += fmt.Sprintf("   <- cursor at %d", v.Cursor.Column)
				}
				b.WriteString(text + "\n")
			}
		}
		golden(t, "form."+strconv.Itoa(width)+".txt", b.String())
	}
}

// TestFormRoom checks that long lists keep to the height, and show the selected row and the cursor.
func TestFormRoom(t *testing.T) {
	t.Parallel()
	q := tool.Question{Header: "Many", Text: strings.Repeat("line\n", 30), Kind: tool.ChoiceQuestion}
	for i := range 20 {
		q.Options = append(q.Options, tool.Option{Label: "option" + strconv.Itoa(i+1), Description: "a description of more than one line"})
	}
	d := newDialog(formOf(q, name))
	for i := range 21 {
		v := d.View(30, 12, theme.NoColor())
		var shown []string
		for _, l := range v.Lines {
			shown = append(shown, l.String())
		}
		text := strings.Join(shown, "\n")
		want := fmt.Sprintf("❯ %2d. option%d", i+1, i+1)
		if i == 20 {
			want = "❯ 21. Enter a custom value"
			if !v.HasText || !strings.HasPrefix(shown[v.Cursor.Row], want) {
				t.Errorf("cursor in row %d", v.Cursor.Row)
			}
		}
		if len(shown) > 12 || !strings.Contains(text, want) || !strings.Contains(text, fmt.Sprintf("\n(%d/21)\n", i+1)) || !strings.Contains(text, "\nlines 1-1 of 30 (") {
			t.Errorf("row %d in %d lines:\n%s", i+1, len(shown), text)
		}
		press(t, d, "down")
	}
	if got := replyOf(press(t, d, "shift+down")); got != "changed" || !strings.Contains(d.View(30, 12, theme.NoColor()).Lines[3].String(), "lines 2-2") {
		t.Errorf("scrolling is %s", got)
	}
}

// TestFormHostile checks that no text of others reaches the screen with control characters, in any size of terminal.
func TestFormHostile(t *testing.T) {
	t.Parallel()
	evil := "a\x1b]52;c;eA==\x07\x1b[2J\u202e\u200b\r\nb\tc"
	for _, kind := range []tool.QuestionKind{tool.ChoiceQuestion, tool.TextQuestion, tool.YesNoQuestion, tool.SecretQuestion, "unknown"} {
		q := tool.Question{Header: evil, Text: evil, Kind: kind, Placeholder: evil, Help: evil, FreeText: evil, Options: []tool.Option{{Label: evil, Description: evil}}}
		for _, typed := range []string{"", "x", "tab tab", "1 tab"} {
			for _, size := range [][2]int{{1, 1}, {2, 3}, {5, 5}, {20, 10}, {80, 24}} {
				d := newDialog(formOf(q, q))
				press(t, d, strings.Fields(typed)...)
				v := d.View(size[0], size[1], theme.NoColor())
				for _, l := range v.Lines {
					if s := l.String(); strings.ContainsAny(s, "\x1b\x07\r\n\t\u202e\u200b") || l.Width() > size[0] {
						t.Errorf("%s, %v: %q", kind, size, s)
					}
				}
			}
		}
	}
}

// TestFormMasks checks that no part of a secret is on the screen.
func TestFormMasks(t *testing.T) {
	t.Parallel()
	d := newDialog(formOf(apiKey, name))
	for _, typed := range []string{"Z", "Z", "enter", "tab"} {
		press(t, d, typed)
		for _, l := range d.View(80, 24, theme.NoColor()).Lines {
			if strings.Contains(l.String(), "Z") {
				t.Errorf("%s: %q", typed, l)
			}
		}
	}
	if got := replyOf(press(t, d, "enter")); got != "sent 0=ZZ" {
		t.Error(got)
	}
}

// TestFormProperties presses random keys in random forms of random sizes.
func TestFormProperties(t *testing.T) {
	t.Parallel()
	all := []tool.Question{database, checks, name, publish, apiKey, consent}
	b := keys.Default("linux")
	rapid.Check(t, func(rt *rapid.T) {
		d := newDialog(formOf(rapid.SliceOfN(rapid.SampledFrom(all), 0, 4).Draw(rt, "questions")...))
		names := rapid.SliceOfN(rapid.SampledFrom([]string{
			"enter", "up", "down", "left", "right", "tab", "shift+tab", "ctrl+c", "backspace", "x", "y", "1", "2", "3", "4", "5", "世", "space", "pagedown", "home", "paste",
		}), 0, 30).Draw(rt, "keys")
		for _, name := range names {
			var o Outcome
			if name == "paste" {
				o = d.Handle(keys.Paste{Text: "1\n2\n", At: start}, b)
			} else {
				o = press(t, d, name)
			}
			if a, ok := o.(Answered); ok {
				if name == "paste" || a.Answer.Reply == nil {
					rt.Fatalf("%s answers %+v", name, a)
				}
				return
			}
			width, height := rapid.IntRange(1, 50).Draw(rt, "width"), rapid.IntRange(1, 30).Draw(rt, "height")
			v := d.View(width, height, theme.NoColor())
			for _, l := range v.Lines {
				if l.Width() > width {
					rt.Fatalf("%q is wider than %d", l, width)
				}
			}
			if c := v.Cursor; v.HasText && (c.Row >= len(v.Lines) || c.Row < 0 || c.Column < 0 || c.Column >= width) {
				rt.Fatalf("cursor %+v in %d lines of %d columns", c, len(v.Lines), width)
			}
		}
	})
}

// TestFormHints checks that hints follow the user's keys.
func TestFormHints(t *testing.T) {
	t.Parallel()
	b := keys.Default("linux")
	last := func(d Dialog) string {
		lines := d.View(80, 24, theme.NoColor()).Lines
		return lines[len(lines)-1].String()
	}
	want := []string{"Enter choose · Esc cancel · Tab next", "Enter next · Esc cancel · Tab next · Shift+Tab back", "Enter send · Esc cancel · Shift+Tab back"}
	d := Open(formOf(database, name), b)
	d.Shown(start)
	var got []string
	for range want {
		got = append(got, last(d))
		press(t, d, "tab")
	}
	if !cmp.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := last(Open(formOf(checks), b)); got != "Enter select · Esc cancel" {
		t.Error(got)
	}
	if got := last(Open(formOf(name), b)); got != "Enter send · Esc cancel" {
		t.Error(got)
	}
}
