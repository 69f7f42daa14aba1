package session

import (
	"context"
	"maps"

	"pollux/internal/auth"
)

// SignedOut makes the session stop using the key of a provider that the person has removed. It
// reports whether the person had typed the key in this session, and returns a sentence about the
// current model if the key was for it. It must not be called during a run.
func (s *Session) SignedOut(ctx context.Context, id string) (hadTyped bool, text string) {
	_, hadTyped = s.Project.NewKeys[id]
	s.Project.NewKeys = maps.Clone(s.Project.NewKeys)
	delete(s.Project.NewKeys, id)
	before := s.Current().Account
	accounts, _ := auth.Open(s.authInputs(ctx)) // without accounts, no model can be used
	s.models.ReplaceAccounts(accounts)
	now := s.Current().Account
	switch {
	case before.ConfiguredID != id || before.APIKey == now.APIKey:
		return hadTyped, ""
	case now.APIKey == "":
		return hadTyped, "The current model has no key now. Enter one with /auth, or choose another model with /model."
	}
	return hadTyped, "This session now uses the key in " + s.Project.DescribeSource(now.From) + "."
}

// authInputs are the inputs of the accounts of a session that has begun. The end of ctx, which may
// be that of a command, does not end later queries.
func (s *Session) authInputs(ctx context.Context) auth.Inputs {
	return auth.Inputs{Settings: s.Project.Settings(), Env: s.Project.Env, Launcher: s.Project.Launcher, Context: context.WithoutCancel(ctx), Interactive: s.Project.Options.Interactive, Typed: s.Project.NewKeys}
}

// SignedIn makes the session use the result of a sign-in. It returns a sentence about what to
// do to use it, "" if the current model uses it from now on. It must not be called during a
// run.
func (s *Session) SignedIn(ctx context.Context, done auth.SignIn) (string, error) {
	if done.Model != "" {
		_, err := s.SetModel(done.Model)
		return "", err
	}
	s.Project.KeepKey(done)
	if err := s.Project.Reload(); err != nil {
		return "", err
	}
	accounts, err := auth.Open(s.authInputs(ctx))
	if err != nil {
		return "", err
	}
	s.models.ReplaceAccounts(accounts)
	account := s.Current().Account
	if account.ID != done.ID && account.ConfiguredID != done.ID {
		model := "NAME"
		if p := accounts.FindProfile(done.ID); p != nil && p.Model != "" {
			model = p.Model
		}
		return "To use it now: /model set " + done.ID + "/" + model, nil
	}
	for _, name := range auth.Variables(account.Profile) {
		if done.IsStored && s.Project.Env.Get(name) != "" {
			return "This session uses the new key.\nFuture sessions use " + s.Project.DescribeSource(name) + ". Change it to the new key.", nil
		}
	}
	return "This session uses the new key.", nil
}
