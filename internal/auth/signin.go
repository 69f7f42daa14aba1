package auth

import (
	"context"
	"errors"
	"strings"

	"pollux/internal/exit"
	"pollux/llm/provider"
	"pollux/tool"
)

// SignIn is the result of a sign-in.
type SignIn struct {
	// Type is the value of security.auth.selectedType for the provider, "" if the person has
	// cancelled. ID is the provider's id.
	Type Type
	ID   string
	// Key is the new key, empty for a server on this machine, which has Model instead: the
	// model that the person chose, by the name that --model takes. A key for a gateway is not
	// stored: IsStored is false.
	Key      Key
	IsStored bool
	Model    string
	// WantsSignOut means that the person wants to remove a stored key instead. Type is empty then.
	WantsSignOut bool
	// IsDefault reports whether the sign-in has selected the provider in the user's settings.
	IsDefault bool
	// Text is a message for the person. It contains no key.
	Text string
	// Advice says when a program uses the result, "" if it does by default. It begins with a line feed.
	Advice string
}

// SignIn asks the person for a provider, unless name is one, and for its key, tests the key
// and stores it. It does not store a key for a gateway.
func (c Command) SignIn(ctx context.Context, ask tool.Ask, name string) (SignIn, error) {
	s := signIn{Command: c, accounts: c.open(ctx), ctx: ctx, ask: ask}
	done, err := s.run(name)
	switch {
	case err != nil || done.WantsSignOut:
	case done.Type == "":
		done.Text = unchanged
	default:
		err = s.offerDefault(&done)
		done.Advice = s.advice(&done)
	}
	return done, err
}

func (s *signIn) advice(done *SignIn) string {
	if done.Model != "" {
		return "\nTo use it: pollux --model " + done.Model
	}
	return s.accounts.advice(s.accounts.Table().Find(done.ID), done.IsDefault)
}

type signIn struct {
	Command
	accounts *Accounts
	ctx      context.Context
	ask      tool.Ask
	stored   map[string]string // where keys are stored, by provider id
}

func (s *signIn) run(name string) (SignIn, error) {
	if name != "" {
		p, err := s.accounts.StorableFor(name)
		if err != nil {
			return SignIn{}, err
		}
		if err = s.refuse(p); err != nil {
			return SignIn{}, err
		}
		done, err := s.askKey(p)
		if err == errBack {
			return SignIn{}, nil
		}
		return done, err
	}
	s.stored, _ = s.accounts.StoredKeys() // without the keychain, none is shown
	problem := ""
	for {
		p, other, err := s.pickProvider(problem)
		problem = ""
		var done SignIn
		switch {
		case err == errBack:
			continue
		case err != nil || p == nil && other == "":
			return SignIn{}, err
		case other == removeLabel:
			return SignIn{WantsSignOut: true}, nil
		case other == gatewayLabel:
			done, err = s.addGateway()
		case other == cloudLabel:
			if done, err = s.useCloudLogin(); err != nil {
				problem = err.Error() + "\n"
				continue
			}
		case other == localLabel:
			if done, problem, err = s.pickServer(); problem != "" {
				continue
			}
		default:
			if ready := s.readyAccount(); ready != nil && ready.ConfiguredID == p.ID {
				return s.useReady(ready), nil
			}
			if err := s.refuse(p); err != nil {
				problem = err.Error() + "\n"
				continue
			}
			done, err = s.askKey(p)
		}
		if err != errBack {
			return done, err
		}
	}
}

// errBack means that the person did not answer a question that follows from the first one. The
// sign-in then asks the first one again.
var errBack = errors.New("back to the first question")

// refuse returns an error if a key for this provider could neither be stored nor used: it would be
// for a gateway, and no session follows or a project's .env file sets the address.
func (s *signIn) refuse(p *provider.Profile) error {
	if g := s.accounts.gatewayOf(p); g != nil && (s.StoresOnly || g.isProject) {
		return g.refusal()
	}
	return nil
}

// next asks a question that follows from the first one. The error is [errBack] if the person does
// not answer.
func (s *signIn) next(q tool.Question) (string, error) {
	answer, err := question(s.ctx, s.ask, q)
	switch {
	case s.ctx.Err() != nil:
		return "", context.Cause(s.ctx)
	case answer == "" && err == nil:
		err = errBack
	}
	return answer, err
}

// QuestionTitle is the title of the questions of a sign-in.
const QuestionTitle = "Sign in"

// question asks one question. It returns "" if the person does not answer.
func question(ctx context.Context, ask tool.Ask, q tool.Question) (string, error) {
	if ask == nil {
		return "", exit.Errorf(exit.Input, "Signing in needs a terminal. Without one, use: pollux auth set < key.txt")
	}
	answer, err := ask(ctx, &tool.QuestionConfirmation{Title: QuestionTitle, Questions: []tool.Question{q}})
	if err != nil || answer.Outcome == tool.Cancel || answer.Reply == nil {
		return "", err
	}
	return strings.TrimSpace(answer.Reply.Answers["0"]), nil
}
