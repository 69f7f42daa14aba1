package session

import (
	"context"
	"iter"
	"slices"

	"pollux/agent"
	"pollux/llm"
)

// RunPrompt is [Session.Run] for a prompt of several parts.
func (s *Session) RunPrompt(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		s.titler.Stop()
		p, err := s.complete(ctx, p)
		switch {
		case err != nil && ctx.Err() != nil:
			yield(agent.Cancelled{}, nil)
		case err != nil:
			yield(nil, err)
		default:
			defer s.endTurn()
			s.records.Run(ctx, p, s.agent.Run)(func(e agent.Event, err error) bool {
				s.Servers.Wake(e)
				return yield(e, err)
			})
		}
	}
}

// SteerPrompt is [Session.Steer] for a prompt of several parts.
func (s *Session) SteerPrompt(ctx context.Context, p agent.Prompt) error {
	p, err := s.complete(ctx, p)
	if err == nil {
		s.agent.Steer(p)
		s.steerAgents(p)
	}
	return err
}

// complete puts the files that the texts of a prompt mention into it, and what hooks and servers add. The other parts
// follow. A prompt with Shown mentions no files.
func (s *Session) complete(ctx context.Context, p agent.Prompt) (agent.Prompt, error) {
	s.expanding.Lock()
	defer s.expanding.Unlock()
	if p.Shown != "" {
		s.prepare(p.Shown, prepared{parts: p.Parts})
		return s.expand(ctx, p.Shown)
	}
	full, err := s.expand(ctx, llm.PartsText(p.Parts))
	media := slices.DeleteFunc(slices.Clone(p.Parts), func(part llm.Part) bool { return part.IsText() })
	if len(media) > 0 {
		full.Parts = append(slices.DeleteFunc(full.Parts, func(part llm.Part) bool { return part.IsEmpty() }), media...)
	}
	return full, err
}
