package oauth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/oauth2"

	"pollux/tool"
)

// ErrNoPerson is the error of a sign-in if no person is there.
var ErrNoPerson = errors.New("a person has to sign in")

// ErrDeclined is the error of a sign-in that the person does not want.
var ErrDeclined = errors.New("the sign-in was cancelled")

// Authorize signs in: a person agrees, a browser opens the page of the authorization server, and Pollux
// stores the tokens that it gets. challenge has the WWW-Authenticate headers with which the server has
// refused a request; nil if they are not known.
func (s *Source) Authorize(ctx context.Context, challenge []string, p Person) error {
	if p.Ask == nil {
		return ErrNoPerson
	}
	if !s.asks.CompareAndSwap(false, true) {
		return errors.New("another sign-in to it is in progress")
	}
	defer s.asks.Store(false)
	if _, err := checkURL("its URL", s.endpoint); err != nil {
		return err
	}
	server, err := s.discover(ctx, challenge)
	if err != nil {
		return err
	}
	if err := s.askConsent(ctx, p.Ask, server); err != nil {
		return err
	}
	state := rand.Text()
	back, err := s.listen(state)
	if err != nil {
		return err
	}
	defer back.start()()
	client, err := s.identify(ctx, server, back.Redirect)
	if err != nil {
		return err
	}
	t, err := s.signIn(ctx, p, server, client, back)
	if err != nil {
		return err
	}
	text, err := s.keep(ctx, server, client, t)
	if text != "" {
		p.Notify(text)
	}
	return err
}

func (s *Source) askConsent(ctx context.Context, ask tool.Ask, p *provider) error {
	u, err := url.Parse(p.AuthorizationURL)
	if err != nil {
		return err
	}
	server, err := resourceOf(s.endpoint) // its query may have a key
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s %q at %s wants you to sign in.\nThe sign-in page is at %s.", s.o.Noun, clean(s.name), clean(server), Origin(u))
	if len(p.Scopes) > 0 {
		text += "\nIt will ask you to allow: " + clean(strings.Join(p.Scopes, " "))
	}
	const yes = "Open the page"
	answer, err := ask(ctx, &tool.QuestionConfirmation{Title: "Sign in", Questions: []tool.Question{{
		Text: text, Header: "Sign in", Kind: tool.ChoiceQuestion, Closed: true,
		Options: []tool.Option{{Key: "y", Label: yes, Description: "in your browser"}, {Key: "n", Label: "Cancel", Description: "it stays without a sign-in"}},
	}}})
	switch {
	case err != nil:
		return err
	case answer.Unattended:
		return ErrNoPerson
	case answer.Outcome == tool.Cancel || answer.Reply == nil || answer.Reply.Answers["0"] != yes:
		return ErrDeclined
	}
	return nil
}

// signIn sends the person to the sign-in page and returns the tokens that result.
func (s *Source) signIn(ctx context.Context, p Person, server *provider, client identity, back *callback) (*tokens, error) {
	verifier := oauth2.GenerateVerifier()
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	if !s.config.NoResource {
		options = append(options, oauth2.SetAuthURLParam("resource", server.Resource))
	}
	if len(s.config.Audiences) > 0 {
		options = append(options, oauth2.SetAuthURLParam("audience", strings.Join(s.config.Audiences, " ")))
	}
	page := (&oauth2.Config{
		ClientID: client.ID, RedirectURL: back.Redirect, Scopes: server.Scopes, Endpoint: oauth2.Endpoint{AuthURL: server.AuthorizationURL},
	}).AuthCodeURL(back.state, options...)
	p.Notify("Sign in to " + s.o.Noun + " " + clean(s.name) + " on this page: " + page)
	if s.o.Open != nil {
		if err := s.o.Open(ctx, page); err != nil {
			p.Notify("Cannot open a browser: " + clean(err.Error()) + ". Open the page yourself.")
		}
	}
	code, issuer, err := back.wait(ctx)
	if err != nil {
		return nil, err
	}
	if err := server.checkIssuer(issuer); err != nil {
		return nil, err
	}
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {back.Redirect}, "code_verifier": {verifier},
	}
	if !s.config.NoResource {
		form.Set("resource", server.Resource)
	}
	if len(s.config.Scopes) > 0 {
		form.Set("scope", strings.Join(s.config.Scopes, " "))
	}
	return s.exchange(ctx, server.TokenURL, client, form)
}

// checkIssuer returns an error if a response comes from another authorization server than the one that was
// asked (RFC 9207).
func (p *provider) checkIssuer(named string) error {
	switch {
	case named == "" && p.SendsIssuer:
		return errors.New("the response does not name its issuer, as the authorization server says that it does")
	case named != "" && p.Issuer != "" && !sameURL(named, p.Issuer):
		return fmt.Errorf("the response is from the wrong issuer: %q, not %q", clean(named), clean(p.Issuer))
	}
	return nil
}

// keep stores the tokens of a sign-in and uses them from now on. It leaves the file of Gemini CLI
// unchanged. The text, if any, is a message for the user.
func (s *Source) keep(ctx context.Context, p *provider, client identity, t *tokens) (text string, err error) {
	if err := s.begin(ctx); err != nil {
		return "", err
	}
	defer s.end()
	c := &credential{Server: s.name}
	if before, _ := s.o.Store.get(ctx, s.name); before != nil { // without it, the sign-in goes to the keychain
		c.inFile, c.stored = before.inFile, before.stored
	}
	c.ClientID, c.TokenURL, c.ServerURL, c.Resource = client.ID, p.TokenURL, s.endpoint, p.Resource
	if s.config.ClientID == "" {
		c.ClientSecret = client.Secret // the settings do not have it
	}
	return s.adopt(ctx, c, t), nil
}
