package slash

import (
	"context"
	"strings"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/tool"
)

// choose asks a person to choose one of these options, and returns its label; ""
// if they would rather not. An answer in words of their own is returned as it is if
// free is set.
func (s *Session) choose(ctx context.Context, header, question string, free bool, options ...tool.Option) (string, error) {
	return choose(ctx, s.Ask, header, question, free, options...)
}

func choose(ctx context.Context, ask agent.Ask, header, question string, free bool, options ...tool.Option) (string, error) {
	if ask == nil {
		return "", errConfirm
	}
	for i, o := range options {
		options[i] = tool.Option{Label: terminal.Line(o.Label), Description: terminal.Line(o.Description)}
	}
	answer, err := ask(ctx, &tool.QuestionConfirmation{
		Title:     header,
		Questions: []tool.Question{{Text: terminal.Text(question), Header: header, Kind: tool.ChoiceQuestion, Options: options, Closed: !free}},
	})
	switch {
	case err != nil:
		return "", err
	case answer.Outcome == tool.Cancel || answer.Reply == nil:
		return "", nil
	}
	said := strings.TrimSpace(answer.Reply.Answers["0"])
	for _, o := range options {
		if strings.EqualFold(said, o.Label) {
			return o.Label, nil
		}
	}
	if free {
		return said, nil
	}
	return "", nil
}

// agrees asks a person whether something should be done.
func (s *Session) agrees(ctx context.Context, header, question string) (bool, error) {
	const yes = "Yes"
	said, err := s.choose(ctx, header, question, false, tool.Option{Label: yes}, tool.Option{Label: "No"})
	return said == yes, err
}
