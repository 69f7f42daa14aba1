package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"pollux/internal/crash"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/kit"
	"pollux/internal/terminal"
	"pollux/tool"
)

// maxAnswer is the size of the longest text that is an answer, in bytes.
const maxAnswer = 64 << 10

// canFill reports whether the client has the person fill in a form.
func (s *server) canFill() bool { return schema.IsSet(s.clientInfo().Capabilities.Elicitation.Form) }

// isForForm reports whether a question is asked with a form: it has several parts, or its answer may be a text. Forms never ask
// for secrets, which editors show and keep.
func (c *chat) isForForm(q *kit.Question) bool {
	if len(q.Form) == 0 || !c.server.canFill() {
		return false
	}
	if slices.ContainsFunc(q.Form, func(f kit.Field) bool { return f.Kind == tool.SecretQuestion }) {
		return false
	}
	f := &q.Form[0]
	return len(q.Choices()) < 2 || f.Kind == tool.ChoiceQuestion && !f.Closed
}

// fill has the client show a form, and returns the answers. A malformed one refuses, and the model reads why.
func (c *chat) fill(q *kit.Question, callID string) tool.Answer {
	var response schema.ElicitResponse
	request := schema.ElicitRequest{SessionID: c.id, CallID: callID, Mode: "form", Message: formMessage(q), Schema: formSchema(q.Form)}
	err := c.server.conn.Call(q.Context(), schema.Elicit, request, &response)
	var answers []string
	if err == nil && response.Action == "accept" {
		if answers, err = formAnswers(q.Form, response.Content); err == nil {
			return q.Reply(answers)
		}
	}
	no := tool.Answer{Outcome: tool.Cancel}
	switch {
	case !q.IsOfCall || q.Context().Err() != nil:
	case err != nil:
		no.Feedback = "Not answered: the editor has not asked the user. " + terminal.Line(err.Error())
	case response.Action == "decline":
		no.Feedback = declinedForm
	}
	return no
}

// declinedForm is the result, for the model, of a question that the person does not want to answer.
const declinedForm = "The user has declined to answer. Decide yourself, and say what you have assumed."

// openPage has the client offer the person a page. It returns when they have agreed, and tells the client about the end of ctx, which is
// that of the visit.
func (c *chat) openPage(ctx context.Context, page string) error {
	host := page
	if address, err := url.Parse(page); err == nil {
		host = address.Host
	}
	id := uuid.NewString()
	var response schema.ElicitResponse
	err := c.server.conn.Call(ctx, schema.Elicit, schema.ElicitRequest{
		SessionID: c.id, Mode: "url", Message: "Open this page of " + terminal.Line(host) + ".", ID: id, URL: page,
	}, &response)
	if err == nil && response.Action != "accept" {
		err = errors.New("you have not opened the page in the editor")
	}
	if err == nil {
		context.AfterFunc(ctx, func() {
			defer crash.Recover()
			_ = c.server.conn.Notify(schema.ElicitationDone, schema.ElicitationID{ID: id}) // who does not read is gone
		})
	}
	return err
}

// formMessage returns the heading of a form.
func formMessage(q *kit.Question) string {
	heading := q.Title
	if q.Call != nil && q.Call.Name == "ask_user" {
		heading = "The model asks you"
	}
	if q.Agent != "" {
		heading = terminal.Line(q.Agent) + ": " + heading
	}
	if len(q.Form) == 1 {
		return heading + ": " + terminal.Text(q.Form[0].Text)
	}
	return heading
}

// fieldID returns the name of the field for a question. Clients may sort fields by their names.
func fieldID(i int) string { return fmt.Sprintf("answer_%02d", i+1) }

// otherID returns the name of the field for the answer to a question that is none of its choices.
func otherID(i int) string { return fieldID(i) + "_other" }

// formSchema describes the fields of a form.
func formSchema(form []kit.Field) *schema.Form {
	s := &schema.Form{Type: "object", Properties: map[string]schema.Field{}}
	for i := range form {
		f := &form[i]
		field := fieldOf(f)
		s.Properties[fieldID(i)] = field
		switch {
		case f.Kind != tool.ChoiceQuestion:
		case !f.Closed:
			s.Properties[otherID(i)] = schema.Field{Type: "string", Title: cmp.Or(terminal.Line(f.FreeText), "Another answer"), Description: "In your own words, in place of the choices."}
		case !f.Multi:
			s.Required = append(s.Required, fieldID(i))
		}
	}
	return s
}

// fieldOf describes the field for a question.
func fieldOf(f *kit.Field) schema.Field {
	field := schema.Field{Type: "string", Title: terminal.Line(f.Name), Description: terminal.Text(f.Text)}
	if f.Placeholder != "" {
		field.Description += "\nFor example: " + terminal.Line(f.Placeholder)
	}
	switch {
	case f.Kind == tool.YesNoQuestion:
		field.OneOf = []schema.Choice{{Const: "Yes", Title: "Yes"}, {Const: "No", Title: "No"}}
	case f.Kind != tool.ChoiceQuestion:
	case f.Multi:
		field.Type, field.Items = "array", &schema.Choices{AnyOf: choicesOfField(f)}
	default:
		field.OneOf = choicesOfField(f)
	}
	return field
}

// choicesOfField returns the choices of a field. Their values are the labels as the question has them.
func choicesOfField(f *kit.Field) (list []schema.Choice) {
	for i, o := range f.Options {
		list = append(list, schema.Choice{Const: o.Label, Title: f.Choices[i].Label, Description: f.Choices[i].Description})
	}
	return list
}

// formAnswers returns the answers in the content of a form, "" for a question without one.
func formAnswers(form []kit.Field, content map[string]any) ([]string, error) {
	answers := make([]string, len(form))
	for i := range form {
		f := &form[i]
		given, err := textsOf(content[fieldID(i)])
		if err == nil && f.Kind == tool.ChoiceQuestion {
			err = areChoices(f, given)
		}
		if err != nil {
			return nil, fmt.Errorf("its answer to %q: %w", f.Name, err)
		}
		answers[i] = strings.Join(given, ", ")
		if f.Kind != tool.ChoiceQuestion || f.Closed {
			continue
		}
		other, err := textsOf(content[otherID(i)])
		if err != nil {
			return nil, fmt.Errorf("its answer to %q: %w", f.Name, err)
		}
		if text := strings.TrimSpace(strings.Join(other, " ")); text != "" {
			answers[i] = text
		}
	}
	return answers, nil
}

// areChoices returns an error for texts that are not among the choices of a question, or too many of them.
func areChoices(f *kit.Field, texts []string) error {
	for _, text := range texts {
		if !slices.ContainsFunc(f.Options, func(o tool.Option) bool { return o.Label == text }) {
			return fmt.Errorf("there is no choice %q", terminal.Cut(text, 40))
		}
	}
	if len(texts) > 1 && !f.Multi {
		return errors.New("it has several choices")
	}
	return nil
}

// textsOf returns the values of a field.
func textsOf(value any) (list []string, err error) {
	items, isList := value.([]any)
	if !isList {
		items = []any{value}
	}
	size := 0
	for _, item := range items {
		switch item := item.(type) {
		case nil:
			continue
		case string:
			list = append(list, item)
		case bool:
			list = append(list, map[bool]string{true: "Yes", false: "No"}[item])
		case float64:
			list = append(list, fmt.Sprint(item))
		default:
			return nil, errors.New("it is neither a text nor a list of texts")
		}
		if size += len(list[len(list)-1]); size > maxAnswer {
			return nil, fmt.Errorf("it is longer than %d KiB", maxAnswer>>10)
		}
	}
	return list, nil
}
