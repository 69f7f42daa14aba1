package askuser_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/tools/askuser"
	"pollux/tool"
)

const three = `{"questions":[
	{"question":"Which database?","header":"Database","type":"choice","multiSelect":true,"options":[{"label":"SQLite","description":"A file"},{"label":"Postgres","description":"A server"}]},
	{"question":"Name it?\\nIn one word.","header":"Name","type":"text","placeholder":"a\\r\\nb"},
	{"question":"Tests too?","header":"Tests","type":"yesno"}]}`

func TestQuestionsAsked(t *testing.T) {
	t.Parallel()
	inv, err := tool.Build(askuser.New(), json.RawMessage(three))
	if err != nil {
		t.Fatal(err)
	}
	got, err := inv.Confirmation(t.Context())
	want := &tool.QuestionConfirmation{Title: "Ask User", Questions: []tool.Question{
		{Text: "Which database?", Header: "Database", Kind: tool.ChoiceQuestion, Multi: true, Options: []tool.Option{{Label: "SQLite", Description: "A file"}, {Label: "Postgres", Description: "A server"}}},
		{Text: "Name it?\nIn one word.", Header: "Name", Kind: tool.TextQuestion, Placeholder: "a\nb"},
		{Text: "Tests too?", Header: "Tests", Kind: tool.YesNoQuestion},
	}}
	if err != nil || !cmp.Equal(got, tool.Confirmation(want)) {
		t.Errorf("err %v, %s", err, cmp.Diff(tool.Confirmation(want), got))
	}
	if got := inv.Summary(); got != "Asking user: Database, Name, Tests" {
		t.Error(got)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		reply       *tool.Reply
		text, shown string
		answered    int
	}{
		{
			name: "all", reply: &tool.Reply{Answers: map[string]string{"0": "SQLite, Postgres", "1": "<a & b>", "2": "yes"}},
			text: `{"answers":{"0":"SQLite, Postgres","1":"<a & b>","2":"yes"}}`, answered: 3,
			shown: "**User answered:**\n  Database → SQLite, Postgres\n  Name → <a & b>\n  Tests → yes",
		},
		{name: "some", reply: &tool.Reply{Answers: map[string]string{"2": "no"}}, text: `{"answers":{"2":"no"}}`, shown: "**User answered:**\n  Tests → no", answered: 1},
		{name: "to other questions", reply: &tool.Reply{Answers: map[string]string{"3": "x", "-1": "y", "": "z", "01": "w"}}, text: `{"answers":{}}`, shown: "The user gave no answer."},
		{name: "none", reply: &tool.Reply{}, text: `{"answers":{}}`, shown: "The user gave no answer."},
		{name: "no question", text: `{"answers":{}}`, shown: "The user gave no answer."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			inv, err := tool.Build(askuser.New(), json.RawMessage(three))
			if err != nil {
				t.Fatal(err)
			}
			if c.reply != nil {
				inv.(tool.Answerable).Answer(*c.reply)
			}
			r := inv.Run(t.Context(), tool.Host{})
			if got := r.Content[0].Text; r.Error != nil || got != c.text {
				t.Errorf("got %s, want %s", got, c.text)
			}
			if got := string(r.Display.(tool.TextDisplay)); got != c.shown {
				t.Errorf("shown %q, want %q", got, c.shown)
			}
			want := map[string]any{"ask_user": map[string]any{
				"question_types": []string{"choice", "text", "yesno"}, "dismissed": false,
				"empty_submission": c.answered == 0, "answer_count": c.answered,
			}}
			if diff := cmp.Diff(want, r.Data); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBadQuestions(t *testing.T) {
	t.Parallel()
	choice := func(options string) string {
		return `{"questions":[{"question":"a?","header":"a","type":"text"},{"question":"b?","header":"b","type":"choice"` + options + `}]}`
	}
	const o = `{"label":"x","description":""}`
	for _, c := range []struct{ name, args, want string }{
		{"none", `{"questions":[]}`, "params/questions must NOT have fewer than 1 items"},
		{"five", `{"questions":[1,2,3,4,5]}`, "params/questions must NOT have more than 4 items"},
		{"missing", `{}`, "params must have required property 'questions'; 'questions' is " +
			"[{question: string, header: string, type: string, multiSelect?: boolean, options?: [{label: string, description: string}], placeholder?: string}]"},
		{"no type", `{"questions":[{"question":"a?","header":"a"}]}`, "params/questions/0 must have required property 'type'"},
		{"unknown type", `{"questions":[{"question":"a?","header":"a","type":"number"}]}`, "params/questions/0/type must be equal to one of the allowed values"},
		{"a choice of nothing", choice(``), "Question 2: type='choice' requires 'options' array with 2-4 items."},
		{"a choice of one", choice(`,"options":[` + o + `]`), "Question 2: type='choice' requires 'options' array with 2-4 items."},
		{"a choice of five", choice(`,"options":[` + o + `,` + o + `,` + o + `,` + o + `,` + o + `]`), "Question 2: 'options' array must have at most 4 items."},
		{"an option without a name", choice(`,"options":[` + o + `,{"label":" ","description":"d"}]`), "Question 2, option 2: 'label' is required and must be a non-empty string."},
		{"an option without words", choice(`,"options":[` + o + `,{"label":"x"}]`), "params/questions/1/options/1 must have required property 'description'"},
		{"options that are none", choice(`,"options":[1,2]`), "params/questions/1/options/0 must be object: {label: string, description: string}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := tool.Build(askuser.New(), json.RawMessage(c.args)); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
