package a2a

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pollux/internal/oauth"
)

// signIn is a credential for which a person signs in with a browser.
type signIn struct{ tokens *oauth.Source }

// newSignIn returns the credential of a sign-in by a person. The card fills in fields that the
// definition lacks.
func (o *Options) newSignIn(endpoint *url.URL, c *card) (credential, error) {
	a := o.Auth
	config := oauth.Config{
		AuthorizationURL: a.AuthorizationURL, TokenURL: a.TokenURL, RegistrationURL: a.RegistrationURL, Issuer: a.Issuer,
		RedirectURI: a.RedirectURI, Scopes: a.Scopes, Audiences: a.Audiences, NoResource: true, IsOwn: o.IsOwn,
	}
	config.ClientID, config.ClientSecret = a.ClientID, a.ClientSecret
	if c != nil && c.signInFlow() != nil {
		if err := complete(&config, c.signInFlow(), endpoint); err != nil {
			return nil, err
		}
	}
	return &signIn{oauth.New(o.Name, endpoint.String(), config, *o.OAuth)}, nil
}

// complete adds the sign-in fields of a card. The addresses of the card get no client secret, unless they are
// those of the agent.
func complete(config *oauth.Config, flow *oauthFlow, endpoint *url.URL) error {
	for _, one := range []struct {
		to   *string
		from string
	}{{&config.AuthorizationURL, flow.AuthorizationURL}, {&config.TokenURL, flow.TokenURL}} {
		if *one.to != "" || one.from == "" {
			continue
		}
		u, err := parseAddress(one.from)
		if err == nil {
			err = checkStep(endpoint, u)
		}
		if err != nil {
			return fmt.Errorf("the agent card names no address to sign in: %w", err)
		}
		there, getsSecret := oauth.Origin(u), one.to == &config.TokenURL && config.ClientSecret != ""
		if getsSecret && there != oauth.Origin(endpoint) {
			return fmt.Errorf("the agent card wants the client secret to go to %s. "+
				"To allow that, set auth.token_url in its definition", there)
		}
		*one.to = one.from
	}
	if config.Scopes == nil {
		config.Scopes = slices.Sorted(maps.Keys(flow.Scopes))
	}
	return nil
}

func (s *signIn) sign(ctx context.Context, header http.Header, p oauth.Person) error {
	if err := s.tokens.Sign(ctx, header); err != nil || header.Get("Authorization") != "" || p.Ask == nil {
		return err
	}
	if err := s.authorize(ctx, nil, p); err != nil {
		return err
	}
	return s.tokens.Sign(ctx, header)
}

func (s *signIn) renew(ctx context.Context, request, response http.Header, p oauth.Person) (bool, error) {
	renewed, err := s.tokens.Renew(ctx, request)
	switch {
	case renewed, err != nil:
		return renewed, err
	case p.Ask == nil:
		return false, &authError{ErrSignIn}
	}
	if err := s.authorize(ctx, response.Values("WWW-Authenticate"), p); err != nil {
		return false, err
	}
	return true, nil
}

func (s *signIn) authorize(ctx context.Context, challenge []string, p oauth.Person) error {
	err := s.tokens.Authorize(ctx, challenge, p)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, oauth.ErrNoPerson):
		return &authError{ErrSignIn}
	}
	return &authError{err}
}

// google is a credential from the default credentials of Google Cloud.
type google struct{ tokens *oauth.Google }

// newGoogle returns the credential of Google Cloud, which only Google's services get.
func (o *Options) newGoogle(endpoint *url.URL) (credential, error) {
	host := strings.ToLower(endpoint.Hostname())
	if host == "run.app" || strings.HasSuffix(host, ".run.app") {
		return nil, errors.New("there are no ID tokens for Cloud Run here. Set in auth: type: http, scheme: Bearer, token: \"!gcloud auth print-identity-token\"")
	}
	scopes := o.Auth.Scopes
	if len(scopes) == 0 {
		scopes = []string{"https://www.googleapis.com/auth/cloud-platform"}
	}
	tokens, err := oauth.NewGoogle(endpoint.String(), scopes, *o.OAuth)
	if err != nil {
		return nil, err
	}
	return &google{tokens}, nil
}

func (g *google) sign(ctx context.Context, header http.Header, _ oauth.Person) error {
	return g.tokens.Sign(ctx, header)
}

func (g *google) renew(context.Context, http.Header, http.Header, oauth.Person) (bool, error) {
	return false, nil
}
