package kit

import (
	"fmt"
	"strconv"
	"strings"

	"pollux/internal/terminal"
	"pollux/tool"
)

// Field is one question of a form.
type Field struct {
	tool.Question
	// Name is the header of the question, or its number if it has none.
	Name string
	// Choices are the options of a choice; "All of the above" is the last one if several may be chosen.
	Choices []Option
}

// newForm returns the fields of questions.
func newForm(questions []tool.Question) []Field {
	form := make([]Field, len(questions))
	for i, q := range questions {
		f := Field{Question: q, Name: Brief(q.Header)}
		if f.Name == "" {
			f.Name = "question " + strconv.Itoa(i+1)
		}
		if q.Kind == tool.ChoiceQuestion {
			for _, o := range q.Options {
				f.Choices = append(f.Choices, Option{Key: o.Key, Label: Brief(o.Label), Description: terminal.Line(o.Description)})
			}
			if q.Multi {
				f.Choices = append(f.Choices, Option{Label: "All of the above"})
			}
		}
		form[i] = f
	}
	return form
}

// Parse returns the answer that a text stands for: the labels of the options that it selects, or the text itself.
// problem is the message for a text that is no answer, "" if it is one.
func (f *Field) Parse(text string) (answer, problem string) {
	switch f.Kind {
	case tool.ChoiceQuestion:
		if text != "" || f.Closed {
			return f.parseChoice(text)
		}
	case tool.YesNoQuestion:
		switch strings.ToLower(text) {
		case "y", "yes":
			return "Yes", ""
		case "n", "no":
			return "No", ""
		}
	}
	return text, ""
}

// parseChoice returns the labels of the options that text selects, or text itself if it is not a number.
func (f *Field) parseChoice(text string) (answer, problem string) {
	if i := Match(f.Choices, text); i >= 0 && i < len(f.Options) {
		return f.Options[i].Label, ""
	}
	if f.Closed && !f.Multi {
		return "", NoOption(len(f.Choices))
	}
	var labels []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		switch {
		case err != nil && f.Closed:
			return "", NoOption(len(f.Choices))
		case err != nil:
			return text, "" // free text
		case n > len(f.Options) && n == len(f.Choices):
			labels = nil
			for _, o := range f.Options {
				labels = append(labels, o.Label)
			}
			return strings.Join(labels, ", "), ""
		case n < 1 || n > len(f.Choices):
			problem = NoOption(len(f.Choices))
			if !f.Closed {
				problem += " To answer " + word + " itself, add a word."
			}
			return "", problem
		case len(labels) > 0 && !f.Multi:
			return "", "Choose only one."
		}
		labels = append(labels, f.Options[n-1].Label)
	}
	if len(labels) == 0 {
		return "", NoOption(len(f.Choices))
	}
	return strings.Join(labels, ", "), ""
}

// NoOption is the message for an answer that selects none of n options.
func NoOption(n int) string {
	if n == 1 {
		return "Type 1, or ? for help."
	}
	return fmt.Sprintf("Type a number from 1 to %d, or ? for help.", n)
}
