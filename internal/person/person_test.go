package person_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/person"
	"pollux/tool"
)

// asker gives one answer to all questions, and keeps the last one.
type asker struct {
	answer tool.Answer
	err    error
	asked  tool.Question
}

// Ask implements [person.Asker].
func (a *asker) Ask(_ context.Context, details tool.Confirmation) (tool.Answer, error) {
	a.asked = details.(*tool.QuestionConfirmation).Questions[0]
	return a.answer, a.err
}

// Approve implements [person.Asker].
func (a *asker) Approve(context.Context, *agent.Question) (tool.Answer, error) {
	return a.answer, a.err
}

// reply is an answer in a text.
func reply(text string) tool.Answer {
	return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": text}}}
}

// TestChoose checks the choices that answers stand for.
func TestChoose(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		answer tool.Answer
		free   string
		want   string
	}{
		{reply("Apple"), "", "Apple"},
		{reply(" aPPLE\n"), "", "Apple"},
		{reply("Red\x1b[31m pear"), "", ""},
		{reply("Red pear"), "", "Red\x1b[2J pear"},
		{reply("Fig"), "", ""},
		{reply(" Fig "), "a fruit", "Fig"},
		{reply(""), "a fruit", ""},
		{tool.Answer{Outcome: tool.ProceedOnce}, "", ""},
		{tool.Answer{Outcome: tool.Cancel, Reply: reply("Apple").Reply}, "", ""},
	} {
		a := &asker{answer: tt.answer}
		got, err := person.Choose(t.Context(), a, person.Choice{
			Header: "Fruit", Text: "Which\x1b[31m?", Free: tt.free, Help: "Eat.", Options: []tool.Option{{Label: "Apple", Key: "a", Description: "red\nround"}, {Label: "Red\x1b[2J pear"}},
		})
		if got != tt.want || err != nil {
			t.Errorf("%+v: %q, %v", tt.answer.Reply, got, err)
		}
		q := a.asked
		if q.Kind != tool.ChoiceQuestion || q.Closed != (tt.free == "") || q.FreeText != tt.free || q.Header != "Fruit" || q.Help != "Eat." || q.Options[0].Key != "a" {
			t.Errorf("asked %+v", q)
		}
		if shown := q.Text + q.Options[0].Label + q.Options[1].Label; strings.Contains(shown, "\x1b") || strings.Contains(q.Options[0].Description, "\n") {
			t.Errorf("the screen shows %q", shown)
		}
	}
	a := &asker{answer: reply("x")}
	if got, err := person.Choose(t.Context(), a, person.Choice{Free: "a name"}); got != "x" || err != nil || a.asked.Kind != tool.TextQuestion {
		t.Errorf("without options: %q, %v, %+v", got, err, a.asked)
	}
}

// TestChooseErrors checks questions without an answer.
func TestChooseErrors(t *testing.T) {
	t.Parallel()
	if _, err := person.Choose(t.Context(), nil, person.Choice{}); !errors.Is(err, person.ErrNoPerson) || exit.CodeOf(err) != exit.Input {
		t.Errorf("without a person: %v", err)
	}
	failure := errors.New("the screen is gone")
	if got, err := person.Choose(t.Context(), &asker{answer: reply("Apple"), err: failure}, person.Choice{Free: "a fruit"}); !errors.Is(err, failure) || got != "" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestConsent checks that the answer no is selected in a question of consent, and none in another one.
func TestConsent(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]bool{"Yes": true, "No": false} {
		a := &asker{answer: reply(label)}
		if got, err := person.Consent(t.Context(), a, "Extension", "Install it?"); got != want || err != nil || a.asked.Options[0].IsDefault || !a.asked.Options[1].IsDefault || a.asked.Options[1].Label != "No" {
			t.Errorf("%s: %v, %v, %+v", label, got, err, a.asked.Options)
		}
		if got, _ := person.Confirm(t.Context(), a, "Undo", "Undo it?"); got != want || a.asked.Options[1].IsDefault {
			t.Errorf("%s: %v, %+v", label, got, a.asked.Options)
		}
	}
}

// TestConfirm checks yes and no.
func TestConfirm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"Yes": true, "yes": true, "No": false, "y": false, "": false} {
		a := &asker{answer: reply(text)}
		if got, err := person.Confirm(t.Context(), a, "Sure", "Really?"); got != want || err != nil || len(a.asked.Options) != 2 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if _, err := person.Confirm(t.Context(), nil, "", ""); !errors.Is(err, person.ErrNoPerson) {
		t.Error(err)
	}
}
