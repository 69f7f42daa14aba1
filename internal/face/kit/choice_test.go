package kit

import (
	"strings"
	"testing"

	"pollux/tool"
)

// TestChoices checks that a client can answer each kind of question, and that one answer refuses: except a form, which may need
// text.
func TestChoices(t *testing.T) {
	t.Parallel()
	for _, details := range tool.Confirmations() {
		q := NewQuestion(details, true, nil)
		if q == nil {
			t.Errorf("%T is no question", details)
			continue
		}
		choices := q.Choices()
		if _, isForm := details.(*tool.QuestionConfirmation); isForm {
			continue
		}
		ids := map[string]bool{}
		for _, c := range choices {
			if c.ID == "" || c.Name == "" || ids[c.ID] {
				t.Errorf("%T: %+v", details, c)
			}
			ids[c.ID] = true
		}
		if len(choices) < 2 || choices[len(choices)-1].Kind != Reject || choices[len(choices)-1].Answer.Outcome != tool.Cancel {
			t.Errorf("%T: %+v", details, choices)
		}
	}
}

// TestFormChoices checks which forms a client can answer without text.
func TestFormChoices(t *testing.T) {
	t.Parallel()
	pick := tool.Question{Kind: tool.ChoiceQuestion, Options: []tool.Option{{Label: "Red"}, {Label: "Blue", Description: "as the sky"}}}
	several := pick
	several.Multi = true
	for want, questions := range map[string][]tool.Question{
		"Red, Blue: as the sky, Cancel": {pick},
		"Yes, No":                       {{Kind: tool.YesNoQuestion}},
		"":                              {pick, pick},
		" ":                             {several},
		"  ":                            {{Kind: tool.TextQuestion}},
		"   ":                           {{Kind: tool.SecretQuestion}},
	} {
		q := NewQuestion(&tool.QuestionConfirmation{Questions: questions}, true, nil)
		var names []string
		for _, c := range q.Choices() {
			names = append(names, c.Name)
		}
		if got := strings.Join(names, ", "); got != strings.TrimSpace(want) {
			t.Errorf("the answers are %q, want %q", got, want)
		}
	}
}
