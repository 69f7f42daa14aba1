package question

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/diff"
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

func TestFormAnswers(t *testing.T) {
	t.Parallel()
	closedChecks, lettered, free := checks, consent, database
	careful := consent
	careful.Options = []tool.Option{{Key: "y", Label: "Open"}, {Key: "n", Label: "Decline", IsDefault: true}}
	closedChecks.Closed, lettered.Closed, free.FreeText = true, false, "a name"
	for _, c := range []struct {
		name      string
		questions []tool.Question
		keys      string
		want      string
	}{
		{"the default option", []tool.Question{careful}, "enter", "sent 0=Decline"},
		{"the number before it", []tool.Question{careful}, "1", "sent 0=Open"},
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

		{"a letter of a closed list", []tool.Question{consent}, "n", "ignored"},
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
	paste := keys.Paste{Text: " 2\ny\n", At: start.Add(Pause)}
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
	d := Open(formOf(name), keys.Default("linux"), diff.Auto, Pause)
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

// TestFormHints checks that hints follow the user's keys.
func TestFormHints(t *testing.T) {
	t.Parallel()
	last := func(d Dialog) string {
		lines := d.View(80, 24, theme.NoColor()).Lines
		return lines[len(lines)-1].String()
	}
	want := []string{"Enter choose · Esc cancel · Tab next", "Enter next · Esc cancel · Tab next · Shift+Tab back", "Enter send · Esc cancel · Shift+Tab back"}
	d := newDialog(formOf(database, name))
	var got []string
	for range want {
		got = append(got, last(d))
		press(t, d, "tab")
	}
	if !cmp.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := last(newDialog(formOf(checks))); got != "Enter select · Esc cancel" {
		t.Error(got)
	}
	if got := last(newDialog(formOf(name))); got != "Enter send · Esc cancel" {
		t.Error(got)
	}
}
