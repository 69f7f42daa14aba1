package session

import (
	"context"

	"pollux/agent"
	"pollux/internal/person"
	"pollux/tool"
)

// The answers to the question about a loop, as in Gemini CLI.
const (
	keepLoops    = "Keep loop detection enabled"
	disableLoops = "Disable loop detection for this session"
)

// loopQuestion returns [agent.Config.AtLoop]: the question whether the model may go on, nil if there is no one to ask.
func (s *Session) loopQuestion() func(context.Context, agent.Loop) bool {
	asker := s.Project.Options.Asker
	if asker == nil || !s.Project.Options.Interactive {
		return nil
	}
	return func(ctx context.Context, _ agent.Loop) bool {
		answer, err := person.Choose(ctx, asker, person.Choice{
			Header: "A potential loop was detected",
			Text:   "This can happen when the model repeats its tool calls or its text. Do you want to keep loop detection enabled?",
			Options: []tool.Option{
				{Label: keepLoops, Description: "the work on this prompt ends"},
				{Label: disableLoops, Description: "the model goes on"},
			},
			Help: "Pollux has warned the model once, and it repeats itself again. Each round costs a request.",
		})
		if err != nil || answer != disableLoops {
			return false
		}
		s.AllowLoops()
		s.Project.Options.Notify("Loop detection has been disabled for this session. Retrying request...")
		return true
	}
}

// AllowLoops turns off the detection of loops as long as the session. It may be called during a run.
func (s *Session) AllowLoops() { s.builder.AllowLoops() }
