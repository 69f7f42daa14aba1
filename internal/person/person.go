// Package person asks the person who uses a face: to choose, or to confirm. A face implements [Asker].
package person

import (
	"context"
	"strings"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Asker asks the person who uses a face.
type Asker interface {
	// Ask shows the person something and waits for the answer. It returns an error
	// only if ctx or the face ended first.
	Ask(ctx context.Context, details tool.Confirmation) (tool.Answer, error)
	// Approve is Ask for a question about calls that no run makes: the shell commands of a custom
	// command, and a skill that the person has named.
	Approve(ctx context.Context, q *agent.Question) (tool.Answer, error)
}

// ErrNoPerson is the error of a question for which there is no person.
var ErrNoPerson = &exit.Error{Code: exit.Input, Message: "Exiting due to a confirmation prompt requested by the command."}

// Choice is a question with answers to choose from.
type Choice struct {
	Header  string // a word or two
	Text    string
	Options []tool.Option
	// Free, if set, allows an answer that is not an option, and names it on screen, such as "a name".
	Free string
	// Help explains the choice to a person who asks for help.
	Help string
}

// Choose asks a person to choose. It returns the label of the chosen option, the text that the
// person typed if c.Free is set, or "" if they chose nothing. Without an asker the error is
// [ErrNoPerson].
func Choose(ctx context.Context, asker Asker, c Choice) (string, error) {
	if asker == nil {
		return "", ErrNoPerson
	}
	options := make([]tool.Option, len(c.Options))
	for i, o := range c.Options {
		options[i] = tool.Option{Label: terminal.Line(o.Label), Description: terminal.Line(o.Description), Key: o.Key, IsDefault: o.IsDefault}
	}
	kind := tool.ChoiceQuestion
	if len(options) == 0 {
		kind = tool.TextQuestion
	}
	answer, err := asker.Ask(ctx, &tool.QuestionConfirmation{Title: c.Header, Questions: []tool.Question{{
		Text: terminal.Text(c.Text), Header: c.Header, Kind: kind, Options: options, Closed: c.Free == "", FreeText: c.Free, Help: c.Help,
	}}})
	switch {
	case err != nil:
		return "", err
	case answer.Outcome == tool.Cancel || answer.Reply == nil:
		return "", nil
	}
	said := strings.TrimSpace(answer.Reply.Answers["0"])
	for i, o := range options {
		if strings.EqualFold(said, o.Label) {
			return c.Options[i].Label, nil
		}
	}
	if c.Free != "" {
		return said, nil
	}
	return "", nil
}

// Confirm asks a person a yes-or-no question, and reports whether the answer is yes.
func Confirm(ctx context.Context, asker Asker, header, question string) (bool, error) {
	return confirm(ctx, asker, header, question, false)
}

// Consent is [Confirm] for something that a person should have read first, such as the content of an extension: the answer that
// Enter alone gives is no.
func Consent(ctx context.Context, asker Asker, header, question string) (bool, error) {
	return confirm(ctx, asker, header, question, true)
}

func confirm(ctx context.Context, asker Asker, header, question string, isNoDefault bool) (bool, error) {
	const yes = "Yes"
	answer, err := Choose(ctx, asker, Choice{Header: header, Text: question, Options: []tool.Option{{Key: "y", Label: yes}, {Key: "n", Label: "No", IsDefault: isNoDefault}}})
	return answer == yes, err
}
