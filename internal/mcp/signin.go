package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"

	"pollux/internal/oauth"
	"pollux/tool"
)

// signer adds tokens to the requests to a service.
type signer interface {
	// Sign adds a token to the header of a request, if there is one.
	Sign(ctx context.Context, header http.Header) error
	// Renew reports whether there is another token than the one in the header of a request that the
	// service has refused.
	Renew(ctx context.Context, refused http.Header) (bool, error)
}

// newSigner returns the signer that a server's entry describes, nil if its requests have no tokens.
func newSigner(c *Config, o *Options) (signer, error) {
	if c.Kind() == Stdio || c.hasAuthorization() {
		return nil, nil
	}
	switch c.AuthProvider {
	case "", "dynamic_discovery":
		if o.OAuth == nil {
			return nil, nil
		}
		return oauth.New(c.Name, c.Endpoint(), c.OAuth, *o.OAuth), nil
	case "google_credentials", "service_account_impersonation":
		if o.OAuth == nil {
			return nil, fmt.Errorf("%s is not available here", c.AuthProvider)
		}
		if c.AuthProvider == "google_credentials" {
			return oauth.NewGoogle(c.Endpoint(), c.OAuth.Scopes, *o.OAuth)
		}
		return oauth.NewImpersonated(c.Endpoint(), c.TargetAudience, c.TargetServiceAccount, c.IsProject || c.Extension != "", *o.OAuth)
	}
	return nil, fmt.Errorf("authProviderType %q is none of dynamic_discovery, google_credentials and service_account_impersonation", c.AuthProvider)
}

// hasAuthorization reports whether the entry itself configures authentication.
func (c *Config) hasAuthorization() bool {
	for name := range c.Headers {
		if textproto.CanonicalMIMEHeaderKey(name) == "Authorization" {
			return true
		}
	}
	return false
}

// ErrUnauthorized is the error for a service that refuses requests without a valid token.
var ErrUnauthorized = errors.New("it requires authentication")

// unauthorized is the [ErrUnauthorized] of a server, as Gemini CLI words it.
type unauthorized struct {
	server    string
	hadToken  bool
	hasPerson bool
}

func (e *unauthorized) Error() string {
	text := fmt.Sprintf("MCP server '%s' requires authentication using: /mcp auth %s", e.server, e.server)
	if e.hadToken {
		text = fmt.Sprintf("MCP server '%s' rejected stored OAuth token. Please re-authenticate using: /mcp auth %s", e.server, e.server)
	}
	if !e.hasPerson {
		text += ", or in a terminal: pollux mcp auth " + e.server
	}
	return text
}

// Is makes the error an [ErrUnauthorized].
func (*unauthorized) Is(target error) bool { return target == ErrUnauthorized }

// refusal returns the error for a server that has refused a request, with or without a token.
func (s *server) refusal(hadToken bool) error {
	switch s.signer.(type) {
	case *oauth.Google:
		return errors.New("it does not accept the Google credentials of this machine")
	case *oauth.Source:
		return &unauthorized{s.config.Name, hadToken, s.all.o.Ask != nil}
	}
	if s.config.hasAuthorization() {
		return errors.New("it does not accept the Authorization header of its entry in mcpServers")
	}
	return ErrUnauthorized
}

// signIn signs in to a server whose entry enables it, when the server has refused a request. It returns nil
// if the connection can be tried again, else err.
func (s *server) signIn(ctx context.Context, err error) error {
	source, ok := s.signer.(*oauth.Source)
	if !ok || !errors.Is(err, ErrUnauthorized) || !s.config.OAuth.Enabled || s.all.o.Ask == nil || s.all.o.Notify == nil {
		return err
	}
	failure := source.Authorize(ctx, s.challenged(), oauth.Person{Ask: s.all.o.Ask, Notify: s.all.o.Notify})
	switch {
	case errors.Is(failure, oauth.ErrDeclined), errors.Is(failure, oauth.ErrNoPerson):
		return err
	case failure != nil:
		return fmt.Errorf("cannot sign in: %w", s.conceal(failure))
	}
	return nil
}

// challenged returns the WWW-Authenticate headers with which the server has refused the last request.
func (s *server) challenged() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.challenge
}

// Authorize signs in to a server: it asks the person for consent, opens a page in the browser, whose address
// it passes to notify, and waits until the person has signed in there. The server, if it was started, is
// then connected again. Errors can be shown to the user.
func (s *Servers) Authorize(ctx context.Context, name string, ask tool.Ask, notify func(text string)) error {
	one, source, err := s.source(name)
	if err != nil {
		return err
	}
	if err := source.Authorize(ctx, one.challenged(), oauth.Person{Ask: ask, Notify: notify}); err != nil {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, oauth.ErrNoPerson):
			return fmt.Errorf("signing in to MCP server %q needs a person. Run in a terminal: pollux mcp auth %s", name, name)
		case errors.Is(err, oauth.ErrDeclined):
			return err
		}
		return fmt.Errorf("cannot sign in to MCP server %q: %w", name, one.conceal(err))
	}
	one.reconnect()
	return nil
}

// SignOut removes the tokens of a server from this machine, and ends its connection, if there is one.
func (s *Servers) SignOut(ctx context.Context, name string) error {
	one, source, err := s.source(name)
	if err != nil {
		return err
	}
	if err := source.SignOut(ctx); err != nil {
		return fmt.Errorf("the sign-in to MCP server %q may still be stored: %w", name, err)
	}
	_ = one.forget()
	one.reconnect()
	return nil
}

// source returns a server to which a person can sign in.
func (s *Servers) source(name string) (*server, *oauth.Source, error) {
	one := s.find(name)
	if one == nil {
		return nil, nil, fmt.Errorf("MCP server %q not found", name)
	}
	source, ok := one.signer.(*oauth.Source)
	switch {
	case ok:
		return one, source, nil
	case one.config.Kind() == Stdio:
		return nil, nil, fmt.Errorf("MCP server %q is a program: there is no sign-in", name)
	case one.config.hasAuthorization():
		return nil, nil, fmt.Errorf("MCP server %q has an Authorization header in mcpServers: remove the header to sign in", name)
	}
	return nil, nil, fmt.Errorf("MCP server %q has no sign-in: it uses %s", name, one.config.AuthProvider)
}

// reconnect connects to a server again that was started.
func (s *server) reconnect() {
	s.mu.Lock()
	wasStarted := s.end != nil
	s.mu.Unlock()
	if wasStarted {
		s.restart("")
	}
}
