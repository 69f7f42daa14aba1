package slash

import (
	"context"
	"errors"
	"strings"

	"pollux/internal/extension"
	"pollux/internal/person"
	"pollux/internal/terminal"
	"pollux/tool"
)

// extensionUser asks the questions of a manager in a session.
type extensionUser struct{ *Runner }

// Confirm implements install.User. It offers the answers of its own, so the question is not shown.
func (u extensionUser) Confirm(ctx context.Context, text, question string, _ bool) (bool, error) {
	if text == "" {
		text, _, _ = strings.Cut(question, " [")
	}
	yes, err := u.confirm(ctx, "Extension", text)
	if errors.Is(err, person.ErrNoPerson) {
		return false, nil
	}
	return yes, err
}

// Value implements install.User.
func (u extensionUser) Value(ctx context.Context, s extension.Setting) (string, bool, error) {
	if u.Session.Project.Options.Asker == nil {
		return "", false, nil
	}
	kind := tool.TextQuestion
	if s.IsSensitive {
		kind = tool.SecretQuestion
	}
	answer, err := u.Session.Project.Options.Asker.Ask(ctx, &tool.QuestionConfirmation{Title: "Extension", Questions: []tool.Question{{
		Text: terminal.Line(s.Name + ": " + s.Description), Header: terminal.Cut(terminal.Line(s.Name), 40), Kind: kind,
	}}})
	if err != nil || answer.Outcome == tool.Cancel || answer.Reply == nil {
		return "", false, err
	}
	return strings.TrimSpace(answer.Reply.Answers["0"]), true, nil
}
