package conversation

import (
	"context"
	"errors"
	"strings"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

// aside asks the model a question about the conversation, which keeps neither the question nor the answer.
func aside(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	question := strings.TrimSpace(c.Text)
	if question == "" {
		return outcome.Outcome{}, manage.Usage("/btw <question>")
	}
	if err := c.Live.Models.Unreachable(); err != nil {
		return outcome.Outcome{}, err
	}
	answer, err := c.Live.Aside(ctx, question)
	if errors.Is(err, agent.ErrNoText) {
		return outcome.Outcome{}, exit.Errorf(exit.General, "The model has answered without text. Ask in other words, or send the question as a prompt.")
	}
	if refused, ok := errors.AsType[*agent.HookError](err); ok {
		return outcome.Outcome{}, exit.Errorf(exit.General, "A hook for the requests to the model has refused the question: %s", terminal.Line(refused.Verdict.Reason))
	}
	if err != nil {
		return outcome.Outcome{}, err
	}
	return outcome.New(outcome.Text(answer)), nil
}
