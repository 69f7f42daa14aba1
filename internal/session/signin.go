package session

import (
	"context"
	"errors"
	"fmt"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/firstmodel"
	"pollux/internal/models"
	"pollux/internal/person"
)

// SignedOut makes the session stop using the key of a provider that the person has removed. It
// reports whether the person had typed the key in this session, and returns a sentence about the
// current model if the key was for it. It must not be called during a run.
func (s *Session) SignedOut(ctx context.Context, id string) (hadTyped bool, text string) {
	hadTyped = s.Project.ForgetKey(id)
	before := s.Models.Current().Account
	accounts, _ := auth.Open(s.authInputs(ctx)) // without accounts, no model can be used
	s.Models.ReplaceAccounts(accounts)
	now := s.Models.Current().Account
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
	in := s.Project.AuthInputs(context.WithoutCancel(ctx))
	in.Interactive, in.Typed = s.Project.Options.Interactive, s.Project.NewKeys()
	return in
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
	s.Models.ReplaceAccounts(accounts)
	account := s.Models.Current().Account
	if account.ID != done.ID && account.ConfiguredID != done.ID {
		model := "NAME"
		if p := accounts.FindProfile(done.ID); p != nil && p.Model != "" {
			model = p.Model
		}
		return "To use it now: /model set " + done.ID + "/" + model, nil
	}
	for _, name := range auth.Variables(account.Profile) {
		if done.IsStored && s.Project.Env().Get(name) != "" {
			return "This session uses the new key.\nFuture sessions use " + s.Project.DescribeSource(name) + ". Change it to the new key.", nil
		}
	}
	return "This session uses the new key.", nil
}

// resolve asks the person for the key or the name of a model that a session lacks, and builds the
// session with it.
func (b *builder) resolve(ctx context.Context, problem error) (s *Session, err error) {
	for signedIn := false; ; problem = err {
		unchosen, _ := errors.AsType[*models.UnchosenError](problem)
		needsKey := exit.CodeOf(problem) == exit.Auth || unchosen != nil && unchosen.IsKeyRefused()
		switch {
		case unchosen != nil && unchosen.CanName():
			s, err = b.askModel(ctx, unchosen, problem)
		case needsKey && auth.CheckNetwork(b.project.Env()) == nil && !signedIn:
			signedIn = true
			s, err = b.signIn(ctx, problem)
		default:
			return nil, problem
		}
		if shown, _ := errors.AsType[*exit.Shown](err); err == nil || shown != nil || ctx.Err() != nil || err == problem {
			return s, err
		}
	}
}

// askModel has the person choose a model, and builds the session with it. The error is problem if
// the person chooses none.
func (b *builder) askModel(ctx context.Context, unchosen *models.UnchosenError, problem error) (*Session, error) {
	name, err := person.Choose(ctx, b.project.Options.Asker, unchosen.Choice())
	switch {
	case err != nil:
		return nil, err
	case name == "" || ctx.Err() != nil:
		return nil, problem
	}
	b.notify("Using the model " + name + ".\nTo keep it for future sessions: /model set " + name + " --persist")
	b.project.UseModel(name)
	return b.rebuild(ctx, nil)
}

// notify shows the person a message that is no warning.
func (b *builder) notify(text string) {
	b.project.Options.Notify(b.project.Paths.DisplayText(text))
}

// signIn has the person store a key, and builds the session with it.
func (b *builder) signIn(ctx context.Context, missing error) (*Session, error) {
	command := auth.Command{Inputs: b.project.AuthInputs(ctx), Paths: b.project.Paths, Notify: b.notify}
	switch {
	case command.IsUnset(ctx) && b.project.IsModelSetting() && config.LocalServers.In(b.project.Settings()):
		b.project.Warn(fmt.Sprintf("No provider is set up, and no server on this machine answers\nthat could have the model %s (%s).", b.project.Model, b.project.DescribeSource(string(config.ModelName))))
	case command.IsUnset(ctx):
		b.notify("No model is set up yet.")
	default:
		b.project.Warn(missing.Error())
	}
	done, err := command.SignIn(ctx, b.project.Options.Asker.Ask, "")
	if err == nil {
		err = ctx.Err() // a cancelled question may pass for one without an answer
	}
	if err != nil {
		return nil, err
	}
	if done.Type == "" {
		done.Text += "\nTo sign in later, start pollux again."
	}
	b.notify(done.Text)
	b.project.KeepKey(done)
	if err := b.project.Renew(done.Type); err != nil {
		return nil, err
	}
	if done.Model != "" {
		b.project.UseModel(done.Model)
	}
	s, err := b.rebuild(ctx, nil)
	if err != nil && err.Error() == missing.Error() {
		return nil, &exit.Shown{Err: err}
	}
	if err != nil || done.Type == "" || b.project.Named || s.Models.Current().Account.ConfiguredID != done.ID {
		return s, err
	}
	name, err := firstmodel.Choose(ctx, b.project.Options.Asker, s.Models)
	if err == nil && name == "" {
		return s, nil
	}
	s.closeParts()
	if err != nil {
		return nil, err
	}
	b.notify(firstmodel.Store(b.project.Paths, name))
	b.project.UseModel(name)
	if err := b.project.Reload(); err != nil {
		return nil, err
	}
	return b.rebuild(ctx, nil)
}
