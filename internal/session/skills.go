package session

import (
	"context"
	"slices"

	"pollux/agent"
)

// PrepareSkill activates a skill, as a call of activate_skill that passes the gate, and returns a prompt with the
// instructions of the skill and text, which may name files with "@". People see the prompt as line. The error is [owncalls.ErrRefused] if the user
// has refused the skill.
func (s *Session) PrepareSkill(ctx context.Context, name, line, text string) (agent.Prompt, error) {
	parts, err := s.Calls.Activate(ctx, name)
	if err != nil {
		return agent.Prompt{}, err
	}
	p, err := s.attach(ctx, agent.TextPrompt(text))
	return agent.Prompt{Parts: slices.Concat(parts, p.Parts), Shown: line}, err
}
