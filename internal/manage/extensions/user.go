package extensions

import (
	"context"
	"errors"
	"strings"

	"pollux/internal/extension"
	"pollux/internal/manage"
	"pollux/internal/person"
	"pollux/internal/terminal"
	"pollux/tool"
)

// liveUser asks the questions of a manager in a session. It implements [install.User].
type liveUser struct{ *manage.Call }

// Confirm asks for consent. It offers answers of its own instead of those in the question.
func (u liveUser) Confirm(ctx context.Context, text, question string, _ bool) (bool, error) {
	if text == "" {
		text, _, _ = strings.Cut(question, " [")
	}
	yes, err := u.Call.Confirm(ctx, "Extension", text)
	if errors.Is(err, person.ErrNoPerson) {
		return false, nil
	}
	return yes, err
}

// Value asks for the value of a setting.
func (u liveUser) Value(ctx context.Context, s extension.Setting) (string, bool, error) {
	if !u.HasPerson() {
		return "", false, nil
	}
	kind := tool.TextQuestion
	if s.IsSensitive {
		kind = tool.SecretQuestion
	}
	answer, err := u.Live.Project.Options.Asker.Ask(ctx, &tool.QuestionConfirmation{Title: "Extension", Questions: []tool.Question{{
		Text: terminal.Line(s.Name + ": " + s.Description), Header: terminal.Cut(terminal.Line(s.Name), 40), Kind: kind,
	}}})
	if err != nil || answer.Outcome == tool.Cancel || answer.Reply == nil {
		return "", false, err
	}
	return strings.TrimSpace(answer.Reply.Answers["0"]), true, nil
}
