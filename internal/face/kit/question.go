package kit

import (
	"context"
	"encoding/json"
	"strconv"

	"pollux/internal/terminal"
	"pollux/tool"
)

// Question is a question to a person in the form that faces draw: the title, the blocks and the warnings, then either the
// options or the form. All its texts are clean, those of blocks excepted.
type Question struct {
	Title string
	// Number and Count are the position among the questions that are asked together; Count is 1 for a single one.
	Number, Count int
	// Agent is the name of the agent that asks, "" for the main agent or Pollux itself.
	Agent string
	// IsOfCall reports whether a call of the model asks.
	IsOfCall bool

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
	for i := range q.Form {
		if q.Form[i].Kind == tool.SecretQuestion {
			return true
		}
	}
	return false
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

// reply returns the answer with a reply.
func reply(r tool.Reply) tool.Answer { return tool.Answer{Outcome: tool.ProceedOnce, Reply: &r} }
