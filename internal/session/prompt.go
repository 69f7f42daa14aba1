package session

import (
	"context"
	"iter"

	"pollux/agent"
	"pollux/internal/auth"
	"pollux/internal/wording"
)

// Run puts a prompt to the model and works until the model has no more to ask for: see [agent.Agent.Run]. It adds the files
// that the texts name with "@", and warns of files that it leaves out. A prompt with Shown is sent as it is.
func (s *Session) Run(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		s.titler.Stop()
		if s.Companion.TakeDistrust() {
			s.SetTrusted(ctx, false)
		}
		p, err := s.Composer.Expand(ctx, p)
		switch {
		case err != nil && ctx.Err() != nil:
			yield(agent.Cancelled{}, nil)
		case err != nil:
			yield(nil, err)
		default:
			s.completion.AddNews(&p)
			defer s.endTurn()
			s.Observers.Records.Run(ctx, p, s.agent.Run)(func(e agent.Event, err error) bool {
				s.Servers.Wake(e)
				return yield(e, err)
			})
		}
	}
}

// Steer adds a prompt with its files to the next request, also during a run: see [agent.Agent.Steer]. An error adds nothing.
func (s *Session) Steer(ctx context.Context, p agent.Prompt) error {
	p, err := s.Composer.Expand(ctx, p)
	if err == nil {
		s.agent.Steer(p)
		s.Agents.Steer(p)
	}
	return err
}

// Aside asks the current model a question about the conversation: see [agent.Agent.Aside]. It may be called during a run.
func (s *Session) Aside(ctx context.Context, q string) (string, error) {
	return s.agent.Aside(ctx, s.Models.Current().Model, q)
}

// Withdraw takes back the prompts of [Session.Steer] that no request has taken, as they were written, also during a run.
func (s *Session) Withdraw() (texts []string) {
	for _, p := range s.agent.Withdraw() {
		texts = append(texts, p.Text())
	}
	return texts
}

// Place returns the context of advice about a failed request to a model, "" for the current one. inSession reports whether
// the user can type commands.
func (s *Session) Place(inSession bool, model string) wording.Place {
	p := s.Models.PlaceOf(model)
	p.KeyFrom, p.AddressVar = s.Project.DescribeSource(p.KeyFrom), s.Project.DescribeSource(p.AddressVar)
	p.InSession, p.ProxyVar = inSession, auth.ProxyVariable(s.Project.Env().User())
	return p
}
