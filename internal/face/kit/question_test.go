package kit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/tool"
)

// TestEveryConfirmation checks that each kind of confirmation is a question that can be answered.
func TestEveryConfirmation(t *testing.T) {
	t.Parallel()
	for _, kind := range tool.Confirmations() {
		_, isForm := kind.(*tool.QuestionConfirmation)
		q := NewQuestion(kind, true, nil)
		if q == nil || !isForm && (len(q.Blocks) != 1 || len(q.Options) < 2 || q.Prompt == "") {
			t.Errorf("%T is new: add it to NewQuestion", kind)
		}
	}
	if NewQuestion(nil, true, nil) != nil {
		t.Error("no confirmation is a question")
	}
}

// TestOptions checks the options of calls and plans, and the answers that they stand for.
func TestOptions(t *testing.T) {
	t.Parallel()
	content, wish := "mine", "smaller steps"
	offers := []tool.Offer{
		{Outcome: tool.ProceedAlways, Rule: "git\x1b[1m *", IsFirst: true},
		{Outcome: tool.ProceedAlwaysTool},
		{Outcome: tool.ProceedAlwaysServer},
		{Outcome: tool.ProceedAlwaysAndSave, Rule: "git *", SavedIn: "/home/me/saved.toml", Runners: []string{"git"}},
	}
	for _, tt := range []struct {
		name     string
		details  tool.Confirmation
		isOfCall bool
		text     string // of answers that take one
		keys     string
		want     map[string]tool.Answer
	}{
		{"command", &tool.ExecConfirmation{Approval: tool.Approval{Offers: offers}}, true, wish, "yatlsn", map[string]tool.Answer{
			"y": {Outcome: tool.ProceedOnce}, "a": {Outcome: tool.ProceedAlways}, "t": {Outcome: tool.ProceedAlwaysTool}, "3": {Outcome: tool.ProceedAlwaysTool},
			"L": {Outcome: tool.ProceedAlwaysServer}, "s": {Outcome: tool.ProceedAlwaysAndSave}, "n": {Outcome: tool.Cancel, Feedback: wish},
		}},
		{"command that can only be allowed once", &tool.ExecConfirmation{UntrustedFlags: []string{"-x"}, Approval: tool.Approval{Offers: offers}}, true, "", "yn", nil},
		{"change", &tool.EditConfirmation{Modifiable: true}, false, content, "yen", map[string]tool.Answer{
			"allow once.": {Outcome: tool.ProceedOnce}, "e": {Outcome: tool.ModifyWithEditor, Content: &content},
		}},
		{"command that waits", &tool.InfoConfirmation{IsWaiting: true, Approval: tool.Approval{Offers: offers[:1]}}, true, "", "yan", map[string]tool.Answer{
			"y": {Outcome: tool.ProceedOnce}, "a": {Outcome: tool.ProceedAlways}, "no": {Outcome: tool.Cancel},
		}},
		{"plan", &tool.PlanConfirmation{}, true, wish, "ayfen", map[string]tool.Answer{
			"a": reply(tool.Reply{Approved: true, Mode: "auto_edit"}), "y": reply(tool.Reply{Approved: true}),
			"f": reply(tool.Reply{Feedback: wish}), "e": reply(tool.Reply{Feedback: planEdited}),
		}},
	} {
		q := NewQuestion(tt.details, tt.isOfCall, nil)
		keys := ""
		for _, o := range q.Options {
			keys += o.Key
		}
		if keys != tt.keys {
			t.Errorf("%s: options %s, want %s", tt.name, keys, tt.keys)
		}
		for answer, want := range tt.want {
			if got := q.Option(answer).Answer(tt.text); !cmp.Equal(got, want) {
				t.Errorf("%s: %s is %+v, want %+v", tt.name, answer, got, want)
			}
		}
		if q.Option("x") != nil || q.Option("9") != nil || q.Option("") != nil {
			t.Errorf("%s: anything is an answer", tt.name)
		}
	}
	q := NewQuestion(&tool.ExecConfirmation{Approval: tool.Approval{Offers: offers, Reason: "why", IsUsual: true}}, false, nil)
	if a, s := q.Options[1], q.Options[4]; !a.IsDefault || a.Offer.Rule != offers[0].Rule || strings.Contains(a.Help, "\x1b") || q.Help != "why" ||
		s.Label != "Allow this command for all future sessions, rule: git *, saved in /home/me/saved.toml (git can run other programs)" {
		t.Errorf("%+v", q.Options)
	}
	var outcomes []tool.Outcome
	for _, o := range q.Options {
		outcomes = append(outcomes, o.Outcome())
	}
	want := []tool.Outcome{tool.ProceedOnce, tool.ProceedAlways, tool.ProceedAlwaysTool, tool.ProceedAlwaysServer, tool.ProceedAlwaysAndSave, tool.Cancel}
	if plan := NewQuestion(&tool.PlanConfirmation{}, true, nil); !cmp.Equal(outcomes, want) || plan.Option("y").Outcome() != "" || plan.Option("f").Outcome() != "" {
		t.Errorf("outcomes %q", outcomes)
	}
	if no := q.Options[5]; no.Label != "No" || no.TextPrompt != "" {
		t.Errorf("nothing calls: %+v", no)
	}
}

// TestNumbers checks that an answer keeps its number when others are not offered.
func TestNumbers(t *testing.T) {
	t.Parallel()
	offers := func(outcomes ...tool.Outcome) tool.Approval {
		var a tool.Approval
		for _, o := range outcomes {
			a.Offers = append(a.Offers, tool.Offer{Outcome: o})
		}
		return a
	}
	const session, saved = tool.ProceedAlways, tool.ProceedAlwaysAndSave
	for _, tt := range []struct {
		name    string
		details tool.Confirmation
		want    []int
	}{
		{"edit", &tool.EditConfirmation{Modifiable: true, Approval: offers(session, saved)}, []int{1, 2, 3, 4, 5}},
		{"edit for this session", &tool.EditConfirmation{Modifiable: true, Approval: offers(session)}, []int{1, 2, 4, 5}},
		{"edit once", &tool.EditConfirmation{Modifiable: true}, []int{1, 4, 5}},
		{"edit that cannot be modified", &tool.EditConfirmation{Approval: offers(session, saved)}, []int{1, 2, 3, 5}},
		{"command", &tool.ExecConfirmation{Approval: offers(session, saved)}, []int{1, 2, 3, 4}},
		{"command to save", &tool.ExecConfirmation{Approval: offers(saved)}, []int{1, 3, 4}},
		{"command once", &tool.ExecConfirmation{UntrustedFlags: []string{"-x"}, Approval: offers(session, saved)}, []int{1, 4}},
		{"text", &tool.InfoConfirmation{}, []int{1, 4}},
		{"server", &tool.RemoteConfirmation{Approval: offers(tool.ProceedAlwaysTool, tool.ProceedAlwaysServer, saved)}, []int{1, 2, 3, 4, 5}},
		{"server once", &tool.RemoteConfirmation{}, []int{1, 5}},
		{"an unknown order", &tool.ExecConfirmation{Approval: offers(saved, session)}, []int{0, 0, 0, 0}},
		{"an unknown answer", &tool.ExecConfirmation{Approval: offers(tool.ProceedAlwaysTool)}, []int{0, 0, 0}},
		{"plan", &tool.PlanConfirmation{}, []int{0, 0, 0, 0, 0}},
	} {
		for _, isOfCall := range []bool{true, false} {
			var got []int
			for _, o := range NewQuestion(tt.details, isOfCall, nil).Options {
				got = append(got, o.Number)
			}
			if !cmp.Equal(got, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
		}
	}
}

// TestModeOfWarnings checks that the mode that allows redirections is not recommended to a person who has it.
func TestModeOfWarnings(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]int{"default": 1, "auto_edit": 0, "yolo": 0} {
		if q := NewQuestion(&tool.ExecConfirmation{Roots: []string{"redirection (>)"}}, true, home{mode}); len(q.Warnings) != want {
			t.Errorf("%s: %q", mode, q.Warnings)
		}
	}
}

// TestFields checks which texts answer a question of a form.
func TestFields(t *testing.T) {
	t.Parallel()
	options := []tool.Option{{Label: "Linux", Key: "l"}, {Label: "macOS"}, {Label: "BSD"}}
	for _, tt := range []struct {
		q            tool.Question
		text         string
		want, reason string
	}{
		{tool.Question{Kind: tool.TextQuestion}, "x", "x", ""},
		{tool.Question{Kind: tool.YesNoQuestion}, "Y", "Yes", ""},
		{tool.Question{Kind: tool.YesNoQuestion}, "no", "No", ""},
		{tool.Question{Kind: tool.YesNoQuestion}, "perhaps", "perhaps", ""},
		{tool.Question{Kind: tool.SecretQuestion}, "y", "y", ""},
		{tool.Question{Kind: tool.ChoiceQuestion, Options: options}, "L", "Linux", ""},
		{tool.Question{Kind: tool.ChoiceQuestion, Options: options}, "", "", ""},
		{tool.Question{Kind: tool.ChoiceQuestion, Options: options}, "4", "", "Type a number from 1 to 3, or ? for help. To answer 4 itself, add a word."},
		{tool.Question{Kind: tool.ChoiceQuestion, Options: options}, "1 2", "", "Choose only one."},
		{tool.Question{Kind: tool.ChoiceQuestion, Options: options}, "Plan 9", "Plan 9", ""},
		{tool.Question{Kind: tool.ChoiceQuestion, Options: options, Multi: true}, "3, 1", "BSD, Linux", ""},
		{tool.Question{Kind: tool.ChoiceQuestion, Options: options, Multi: true}, "4", "Linux, macOS, BSD", ""},
		{tool.Question{Kind: tool.ChoiceQuestion, Options: options, Multi: true, Closed: true}, "Plan 9", "", "Type a number from 1 to 4, or ? for help."},
		{tool.Question{Kind: tool.ChoiceQuestion, Options: options, Closed: true}, "2.", "macOS", ""},
		{tool.Question{Kind: tool.ChoiceQuestion, Options: options, Closed: true}, "", "", "Type a number from 1 to 3, or ? for help."},
		{tool.Question{Kind: tool.ChoiceQuestion, Options: options, Closed: true}, "1 2", "", "Type a number from 1 to 3, or ? for help."},
		{tool.Question{Kind: tool.ChoiceQuestion, Options: options[:1], Closed: true}, "x", "", "Type 1, or ? for help."},
	} {
		q := NewQuestion(&tool.QuestionConfirmation{Questions: []tool.Question{tt.q}}, true, nil)
		if got, reason := q.Form[0].Parse(tt.text); got != tt.want || reason != tt.reason {
			t.Errorf("%+v: %q is %q, %q", tt.q, tt.text, got, reason)
		}
		if q.Form[0].Name != "question 1" || q.IsSecret() != (tt.q.Kind == tool.SecretQuestion) {
			t.Errorf("%+v", q)
		}
	}
	q := &Question{}
	if got := q.Reply([]string{"a", "", "c"}); !cmp.Equal(got, reply(tool.Reply{Answers: map[string]string{"0": "a", "2": "c"}})) {
		t.Errorf("%+v", got)
	}
}
