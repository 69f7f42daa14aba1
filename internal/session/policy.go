package session

import (
	"context"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/project"
)

// loadRules reads the policy files, and asks the person about those of the project.
func (s *Session) loadRules(ctx context.Context) (project.Rules, error) {
	return s.Project.ReadPolicies(func(project policy.Integrity) bool { return s.Project.AcceptsPolicies(ctx, project) })
}

// Allowed reports whether the gate would now let a call of the main agent run without a question. It may
// be called during a run, as may what follows.
func (s *Session) Allowed(p *agent.PreparedCall) bool {
	return !p.Call().MustAsk && s.policy.Check(guard.PreparedPolicyCall(p)).Decision == policy.Allow
}

// Grants returns the lasting answers that were given in this session.
func (s *Session) Grants() []policy.Grant { return s.policy.Grants() }

// Revoke takes one of [Session.Grants] back, by its id, and reports whether there was
// one. An error says that it is still in its file.
func (s *Session) Revoke(id int) (bool, error) {
	ok, err := s.policy.Revoke(id)
	if ok {
		s.refresh() // tools that only it allowed are gone
	}
	return ok, err
}
