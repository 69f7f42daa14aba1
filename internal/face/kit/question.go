package kit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Question is a question to a person in the form that faces draw: the title, the words of a hook, the blocks and the warnings, then either the
// options or the form. All its texts are clean, those of blocks excepted.
type Question struct {
	Title string
	// Number and Count are the position among the questions that are asked together; Count is 1 for a single one.
	Number, Count int
	// Agent is the name of the agent that asks, "" for the main agent or Pollux itself.
	Agent string
	// IsOfCall reports whether a call of the model asks. Call is that call then, and Within are those in which it runs, the
	// outermost first.
	IsOfCall bool
	Call     *agent.ToolCall
	Within   []*agent.ToolCall

	Hook     []string // words of the hook that requires the question, a line each: above the blocks
	Blocks   []Block
	Warnings []string // a line each
	Prompt   string   // the question itself, "" for a form
	Options  []Option // the possible answers, nil for a form
	Help     string   // why Pollux asks, for a person who wants to know; "" if that is obvious
	Form     []Field  // questions to answer one after the other, nil if there are options

	ctx context.Context // nil for a question that no driver asks
}

// Context ends when the driver needs no answer any more: because of the answer, or because the question is settled.
func (q *Question) Context() context.Context { return q.ctx }

// Block is a part of the subject of a question. [Blocks] lists the kinds.
type Block interface{ block() }

// Change is a change to a file. ShownPath is the path of the file as people read it.
type Change struct {
	ShownPath string
	*tool.DiffDisplay
}

// Command is a command line.
type Command struct{ Text string }

// Text is a text to read.
type Text struct{ Text string }

// Request is a call of a tool of an MCP server.
type Request struct {
	Server, Tool string
	Args         json.RawMessage
}

// Plan is a plan in Markdown, which is in a file. ShownPath is the path of the file as people read it.
type Plan struct{ Path, ShownPath, Text string }

func (*Change) block()  {}
func (*Command) block() {}
func (*Text) block()    {}
func (*Request) block() {}
func (*Plan) block()    {}

// Blocks returns a value of each kind of [Block], for the tests of faces.
func Blocks() []Block {
	return []Block{&Change{DiffDisplay: &tool.DiffDisplay{}}, &Command{}, &Text{}, &Request{}, &Plan{}}
}

// Names is how a session calls things on screen.
type Names interface {
	// ModeName returns the approval mode by its name in flags and settings, such as "auto_edit".
	ModeName() string
	// ToolTitle returns the title of a tool for people, "" if it has none.
	ToolTitle(tool string) string
	// ShortPath returns an absolute path relative to the workspace, else with ~ for the home directory. ShortText does
	// the latter with the paths in a text.
	ShortPath(path string) string
	ShortText(text string) string
}

// NewQuestion returns the question of a confirmation. isOfCall reports whether a call of the model asks: a refusal can
// then contain a text for the model. names may be nil. The result is nil for an unknown kind.
func NewQuestion(details tool.Confirmation, isOfCall bool, names Names) *Question {
	q := &Question{Number: 1, Count: 1, IsOfCall: isOfCall, Warnings: warnings(details, names)}
	switch c := details.(type) {
	case *tool.EditConfirmation:
		q.Title, q.Prompt = c.Title, "Apply this change?"
		q.Blocks = []Block{&Change{shortPath(names, c.FilePath), &c.DiffDisplay}}
		q.approval(details, &c.Approval, "Allow for this file in all future sessions", c.Modifiable)
	case *tool.ExecConfirmation:
		q.Title, q.Prompt = c.Title, "Run this command?"
		q.Blocks = []Block{&Command{c.Command}}
		q.approval(details, &c.Approval, "Allow this command for all future sessions", false)
	case *tool.InfoConfirmation:
		q.Title, q.Prompt = c.Title, "Do you want to proceed?"
		q.Blocks = []Block{&Text{c.Prompt}}
		q.approval(details, &c.Approval, "Allow for all future sessions", false)
		switch {
		case c.IsReview:
			q.review()
		case c.IsWaiting:
			q.waiting()
		}
	case *tool.RemoteConfirmation:
		q.Title, q.Prompt = c.Title, "Do you want to proceed?"
		q.Blocks = []Block{&Request{c.Server, c.Tool, c.Args}}
		q.approval(details, &c.Approval, "Allow for all future sessions", false)
	case *tool.PlanConfirmation:
		q.Title, q.Prompt = c.Title, "Ready to start implementation?"
		q.Blocks = []Block{&Plan{c.Path, shortPath(names, c.Path), c.Plan}}
		q.Options = planOptions()
	case *tool.QuestionConfirmation:
		q.Title, q.Form = c.Title, newForm(c.Questions)
	default:
		return nil
	}
	q.Title = terminal.Line(q.Title)
	return q
}

// shortPath returns a path as people read it.
func shortPath(names Names, path string) string {
	if names != nil {
		path = names.ShortPath(path)
	}
	return terminal.Line(path)
}

// IsSecret reports whether the question asks for a secret.
func (q *Question) IsSecret() bool {
	return slices.ContainsFunc(q.Form, func(f Field) bool { return f.Kind == tool.SecretQuestion })
}

// Option returns the option that the user selects with a number, a key or a label; nil if there is none.
func (q *Question) Option(answer string) *Option {
	if i := Match(q.Options, answer); i >= 0 {
		return &q.Options[i]
	}
	return nil
}

// Reply returns the answer to a form: the answers to its fields as [Field.Parse] returns them, "" for none.
func (q *Question) Reply(answers []string) tool.Answer {
	given := map[string]string{}
	for i, text := range answers {
		if text != "" {
			given[strconv.Itoa(i)] = text
		}
	}
	return reply(tool.Reply{Answers: given})
}

func reply(r tool.Reply) tool.Answer { return tool.Answer{Outcome: tool.ProceedOnce, Reply: &r} }

// Field is one question of a form.
type Field struct {
	tool.Question
	// Name is the header of the question, or its number if it has none.
	Name string
	// Choices are the options of a choice; "All of the above" is the last one if several may be chosen.
	Choices []Option
}

func newForm(questions []tool.Question) []Field {
	form := make([]Field, len(questions))
	for i, q := range questions {
		f := Field{Question: q, Name: cmp.Or(Brief(q.Header), "question "+strconv.Itoa(i+1))}
		if q.Kind == tool.ChoiceQuestion {
			for _, o := range q.Options {
				f.Choices = append(f.Choices, Option{Key: o.Key, Label: Brief(o.Label), Description: terminal.Line(o.Description), IsDefault: o.IsDefault})
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
