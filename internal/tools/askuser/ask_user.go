// Package askuser has the tool ask_user, with which a model asks the user questions.
package askuser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"pollux/llm"
	"pollux/tool"
)

// New returns the tool ask_user. It needs a user to answer: the questions are its confirmation,
// and the answers are in the [tool.Reply].
func New() tool.Tool { return askUser{} }

type askUser struct{}

var spec = tool.Spec{
	Name:        "ask_user",
	DisplayName: "Ask User",
	Aliases:     []string{"AskUserTool"},
	Kind:        tool.KindCommunicate,
	Description: "Asks the user up to four questions at once and returns the answers. Use it where the request leaves open what only the user can " +
		"decide and a wrong guess would cost work: which of several designs, what a word means here, how far a change may go. Look first whether " +
		"the project answers the question. An answer may also come in words of the user's own, or not at all: then decide yourself and say what you assumed.",
	Brief: "Asks the user up to four questions at once. Use it where the request leaves open what only the user can decide and a wrong guess would cost " +
		"work. An answer may come in the user's own words, or not at all: then decide yourself and say what you assumed.",
	Schema: json.RawMessage(`{"type":"object","properties":{"questions":{"type":"array","minItems":1,"maxItems":4,` +
		`"description":"What to ask, the most important first.","items":{"type":"object","properties":{` +
		`"question":{"type":"string","description":"The whole question, ending in a question mark."},` +
		`"header":{"type":"string","description":"Name of the question in a word or two, such as 'Database'."},` +
		`"type":{"type":"string","enum":["choice","text","yesno"],"description":"How it is answered: by choosing among options, in words, or with yes or no."},` +
		`"options":{"type":"array","description":"For a choice: 2 to 4 answers. The user can always give another.","items":{"type":"object","properties":{` +
		`"label":{"type":"string","description":"The answer in one to five words."},` +
		`"description":{"type":"string","description":"What choosing it means."}},"required":["label","description"]}},` +
		`"multiSelect":{"type":"boolean","description":"For a choice: several options may be chosen together."},` +
		`"placeholder":{"type":"string","description":"For an answer in words: an example of one."}` +
		`},"required":["question","header","type"]}}},"required":["questions"]}`),
}

func (askUser) Spec() *tool.Spec { return &spec }

func (askUser) Build(raw json.RawMessage) (tool.Invocation, error) {
	var args struct {
		Questions []question `json:"questions"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("read the questions: %w", err)
	}
	c := &call{}
	for i, q := range args.Questions {
		if wrong := q.problem(); wrong != "" {
			//lint:ignore ST1005 models know the text
			return nil, fmt.Errorf("Question %d%s", i+1, wrong)
		}
		c.questions = append(c.questions, q.clean())
	}
	return c, nil
}

// question is a question as written by the model.
type question struct {
	Question    string            `json:"question"`
	Header      string            `json:"header"`
	Type        tool.QuestionKind `json:"type"`
	Options     []option          `json:"options"`
	MultiSelect bool              `json:"multiSelect"`
	Placeholder string            `json:"placeholder"`
}

type option struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// problem returns the error in a question that matches the schema, as the rest of a sentence
// that begins with "Question 1"; "" for none.
func (q *question) problem() string {
	const least, most = 2, 4
	if q.Type == tool.ChoiceQuestion && len(q.Options) < least {
		return ": type='choice' requires 'options' array with 2-4 items."
	}
	if len(q.Options) > most {
		return ": 'options' array must have at most 4 items."
	}
	for j, o := range q.Options {
		if strings.TrimSpace(o.Label) == "" {
			return fmt.Sprintf(", option %d: 'label' is required and must be a non-empty string.", j+1)
		}
	}
	return ""
}

func (q *question) clean() tool.Question {
	// Models often escape line ends once too often.
	breaks := strings.NewReplacer(`\r\n`, "\n", `\n`, "\n").Replace
	clean := tool.Question{
		Text: breaks(q.Question), Header: breaks(q.Header), Kind: q.Type,
		Multi: q.MultiSelect, Placeholder: breaks(q.Placeholder),
	}
	for _, o := range q.Options {
		clean.Options = append(clean.Options, tool.Option{Label: breaks(o.Label), Description: breaks(o.Description)})
	}
	return clean
}

type call struct {
	questions []tool.Question
	answers   map[string]string
}

var _ tool.Answerable = (*call)(nil)

func (c *call) Summary() string {
	var headers []string
	for _, q := range c.questions {
		headers = append(headers, strings.Join(strings.Fields(q.Header), " "))
	}
	return "Asking user: " + strings.Join(headers, ", ")
}

func (*call) Locations() []tool.Location { return nil }

func (c *call) Confirmation(context.Context) (tool.Confirmation, error) {
	return &tool.QuestionConfirmation{Title: spec.DisplayName, Questions: c.questions}, nil
}

// Answer implements [tool.Answerable].
func (c *call) Answer(r tool.Reply) {
	c.answers = map[string]string{}
	for i := range c.questions {
		key := strconv.Itoa(i)
		if a, ok := r.Answers[key]; ok {
			c.answers[key] = a
		}
	}
}

func (c *call) Run(context.Context, tool.Host) *tool.Result {
	answers := maps.Clone(c.answers)
	if answers == nil {
		answers = map[string]string{}
	}
	kinds := make([]string, len(c.questions))
	shown := "**User answered:**"
	for i, q := range c.questions {
		kinds[i] = string(q.Kind)
		if a, ok := answers[strconv.Itoa(i)]; ok {
			shown += "\n  " + strings.Join(strings.Fields(q.Header), " ") + " → " + a
		}
	}
	if len(answers) == 0 {
		shown = "The user gave no answer."
	}
	return &tool.Result{
		Content: []llm.Part{llm.Text(encode(answers))},
		Display: tool.TextDisplay(shown),
		Summary: fmt.Sprintf("%d of %d answered", len(answers), len(c.questions)),
		Data: map[string]any{"ask_user": map[string]any{
			"question_types":   kinds,
			"dismissed":        false,
			"empty_submission": len(answers) == 0,
			"answer_count":     len(answers),
		}},
	}
}

func encode(answers map[string]string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(map[string]any{"answers": answers}) // never fails for strings
	return strings.TrimSuffix(b.String(), "\n")
}
