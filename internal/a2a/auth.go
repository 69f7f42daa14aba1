package a2a

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/http/httpguts"

	"pollux/internal/oauth"
)

// Auth is how to authenticate to an agent, the member auth of its definition.
type Auth struct {
	Type string `json:"type"` // apiKey, http, oauth or google-credentials

	// Of apiKey: the key, and the header that has it, X-API-Key by default.
	Key  string `json:"key"`
	Name string `json:"name"`

	// Of http: the scheme Bearer has a token, Basic a user name and a password, and any scheme a value.
	Scheme   string `json:"scheme"`
	Token    string `json:"token"`
	Username string `json:"username"`
	Password string `json:"password"`
	Value    string `json:"value"`

	// Of oauth, and the scopes of google-credentials.
	ClientID         string   `json:"client_id"`
	ClientSecret     string   `json:"client_secret"`
	Scopes           []string `json:"scopes"`
	AuthorizationURL string   `json:"authorization_url"`
	TokenURL         string   `json:"token_url"`
	RegistrationURL  string   `json:"registration_url"`
	Issuer           string   `json:"issuer"`
	Audiences        []string `json:"audiences"`
	RedirectURI      string   `json:"redirect_uri"`
}

// String keeps secrets out of formatted text.
func (a *Auth) String() string { return "auth of type " + a.Type }

// satisfies reports whether a implements a scheme of a card. A nil Auth satisfies none.
func (a *Auth) satisfies(s *scheme) bool {
	if a == nil {
		return false
	}
	switch s.Type {
	case "apiKey":
		return a.Type == "apiKey"
	case "http":
		return a.Type == "http" && strings.EqualFold(a.Scheme, s.Scheme) || a.Type == "google-credentials" && strings.EqualFold(s.Scheme, "bearer")
	case "oauth2":
		return a.Type == "oauth"
	}
	return false
}

// credential adds authentication to requests. Its errors contain no secret.
type credential interface {
	// sign adds it to the header of a request. If a person is there, they may have to sign in.
	sign(ctx context.Context, header http.Header, p oauth.Person) error
	// renew reports whether there is another one than the one in the header of a request that the agent
	// has refused with the response's header.
	renew(ctx context.Context, request, response http.Header, p oauth.Person) (bool, error)
}

// newCredential returns the credential that the definition describes, nil if it describes none. endpoint is the
// address that gets it, and c the card, nil if it is not known yet.
func (o *Options) newCredential(endpoint *url.URL, c *card) (credential, error) {
	a := o.Auth
	if a == nil {
		return nil, nil
	}
	switch {
	case a.Type == "apiKey":
		form := func(v []string) string { return v[0] }
		name, values := cmp.Or(a.Name, "X-API-Key"), []secretText{secretText(a.Key)}
		return &static{o: o, header: name, values: values, form: form}, nil
	case a.Type == "http":
		return a.http(o)
	case a.Type == "oauth" && o.OAuth != nil:
		return o.newSignIn(endpoint, c)
	case a.Type == "google-credentials" && o.OAuth != nil:
		return o.newGoogle(endpoint)
	case a.Type == "oauth", a.Type == "google-credentials":
		return nil, fmt.Errorf("auth of type %s is not available here", a.Type)
	}
	return nil, fmt.Errorf("auth type %q is none of apiKey, http, oauth and google-credentials", clean(a.Type))
}

func (a *Auth) http(o *Options) (credential, error) {
	s := &static{o: o, header: "Authorization"}
	switch {
	case a.Token != "":
		s.values = []secretText{secretText(a.Token)}
		s.form = func(v []string) string { return "Bearer " + v[0] }
	case a.Username != "" && a.Password != "":
		s.values = []secretText{secretText(a.Username), secretText(a.Password)}
		s.form = func(v []string) string {
			return "Basic " + base64.StdEncoding.EncodeToString([]byte(v[0]+":"+v[1]))
		}
	case a.Value != "":
		s.values = []secretText{secretText(a.Value)}
		s.form = func(v []string) string { return a.Scheme + " " + v[0] }
	default:
		return nil, errors.New("auth of type http needs a token, a username and a password, or a value")
	}
	return s, nil
}

// static is a credential that the definition contains, or names the variable or the command of.
type static struct {
	o      *Options
	header string // its name
	values []secretText
	form   func(values []string) string

	mu    sync.Mutex
	value string // of the header, "" if it is not resolved yet
}

func (s *static) sign(ctx context.Context, header http.Header, _ oauth.Person) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.value == "" {
		value, err := s.resolve(ctx)
		if err != nil {
			return err
		}
		s.value = value
	}
	header.Set(s.header, s.value)
	return nil
}

func (s *static) resolve(ctx context.Context) (string, error) {
	values := make([]string, len(s.values))
	for i, v := range s.values {
		var err error
		if values[i], err = v.resolve(ctx, s.o); err != nil {
			return "", &authError{err}
		}
	}
	value := s.form(values)
	if !httpguts.ValidHeaderFieldName(s.header) || !httpguts.ValidHeaderFieldValue(value) {
		return "", &authError{fmt.Errorf("the header %q or its value contains a character that HTTP does not allow", clean(s.header))}
	}
	return value, nil
}

// renew runs the command again that prints the secret, if there is one.
func (s *static) renew(ctx context.Context, request, _ http.Header, _ oauth.Person) (bool, error) {
	if !slices.ContainsFunc(s.values, secretText.isCommand) {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.value == request.Get(s.header) { // else another call has renewed it
		value, err := s.resolve(ctx)
		if err != nil {
			return false, err
		}
		s.value = value
	}
	return s.value != request.Get(s.header), nil
}
