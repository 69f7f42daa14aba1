package form

import (
	"fmt"
	"strings"

	"pollux/internal/terminal"
	"pollux/tool"
)

// noAnswer is the option that leaves a field out, or to the server.
const noAnswer = "No answer"

// Titles returns the titles of the form's fields, for people.
func (f *Form) Titles() []string {
	var list []string
	for i := range f.fields {
		list = append(list, f.fields[i].title)
	}
	return list
}

// Questions returns the questions that ask for the fields, in their order. server is the name of the server
// that asks.
func (f *Form) Questions(server string) []tool.Question {
	list := make([]tool.Question, len(f.fields))
	for i := range f.fields {
		list[i] = f.fields[i].question(server)
	}
	return list
}

func (f *field) question(server string) tool.Question {
	q := tool.Question{Header: f.title, Kind: tool.TextQuestion, Text: f.title + " (optional)"}
	if f.isRequired {
		q.Text = f.title + " (required)"
	}
	if f.description != "" {
		q.Text += "\n" + f.description
	}
	if f.isSecret {
		q.Kind = tool.SecretQuestion
		q.Text += fmt.Sprintf("\nMCP server %q gets what you type. Servers should not ask for secrets in this way.", server)
	}
	if hint := f.hint(); hint != "" {
		q.Text += "\n" + hint
	}
	switch f.kind {
	case boolean:
		q.Kind, q.Closed = tool.ChoiceQuestion, true
		q.Options = []tool.Option{{Label: "Yes", Key: "y"}, {Label: "No", Key: "n"}}
	case choice:
		q.Kind, q.Closed = tool.ChoiceQuestion, true
		q.Options = f.labels()
	case choices:
		q.Kind, q.Closed, q.Multi = tool.ChoiceQuestion, true, true
		q.Options = f.labels()
	}
	if q.Closed && !q.Multi && (!f.isRequired || f.fallback != nil) {
		q.Options = append(q.Options, tool.Option{Label: noAnswer, Key: "0"})
	}
	if q.Multi { // no answer is an answer
		q.Closed = f.isRequired && f.fallback == nil
		q.FreeText = "Enter for no answer"
	}
	return q
}

func (f *field) labels() []tool.Option {
	var list []tool.Option
	for _, o := range f.options {
		one := tool.Option{Label: o.label}
		if value := terminal.Cut(terminal.Line(o.value), maxTitle); !strings.EqualFold(value, o.label) {
			one.Description = value
		}
		list = append(list, one)
	}
	return list
}

// hint describes the valid answers, and the meaning of an empty one.
func (f *field) hint() string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch f.kind {
	case number:
		add("a number")
	case integer:
		add("a whole number")
	}
	if name := map[string]string{"email": "an email address", "uri": "a URI", "date": "a date such as 2026-12-31", "date-time": "a time such as 2026-12-31T18:00:00Z"}[f.Format]; name != "" && f.kind == text {
		add("%s", name)
	}
	for _, limit := range []struct {
		value *float64
		words string
		of    bool
	}{
		{f.Minimum, "at least %s", f.kind == number || f.kind == integer},
		{f.Maximum, "at most %s", f.kind == number || f.kind == integer},
		{f.MinLength, "at least %s characters", f.kind == text},
		{f.MaxLength, "at most %s characters", f.kind == text},
		{f.MinItems, "at least %s of them", f.kind == choices},
		{f.MaxItems, "at most %s of them", f.kind == choices},
	} {
		if limit.of && limit.value != nil {
			add(limit.words, plain(*limit.value))
		}
	}
	text := ""
	if len(parts) > 0 {
		text = "Answer: " + strings.Join(parts, ", ") + "."
	}
	if f.fallback != nil && !f.isSecret {
		text = strings.TrimSpace(text + " Without an answer, it is: " + f.shownFallback() + ".")
	}
	return text
}

// shownFallback returns the value that an empty answer stands for, for people.
func (f *field) shownFallback() string {
	label := func(value string) string {
		for _, o := range f.options {
			if o.value == value {
				return o.label
			}
		}
		return terminal.Cut(terminal.Line(value), maxTitle)
	}
	switch v := f.fallback.(type) {
	case bool:
		return map[bool]string{true: "Yes", false: "No"}[v]
	case float64:
		return plain(v)
	case []string:
		var list []string
		for _, value := range v {
			list = append(list, label(value))
		}
		return strings.Join(list, ", ")
	case string:
		return label(v)
	}
	return ""
}
