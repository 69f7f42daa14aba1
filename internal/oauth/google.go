package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pollux/llm/adc"
)

// Google has the tokens of Google Cloud for one server, from the default credentials of this machine.
type Google struct{ tokens adc.Tokens }

// NewGoogle returns the access tokens of the default credentials. Only Google's own services get them.
func NewGoogle(endpoint string, scopes []string, o Options) (*Google, error) {
	u, err := checkURL("its URL", endpoint)
	if err != nil {
		return nil, err
	}
	isGoogles := slices.ContainsFunc([]string{".googleapis.com", ".luci.app"}, func(domain string) bool {
		return strings.HasSuffix(strings.ToLower(u.Hostname()), domain)
	})
	switch {
	case !isGoogles:
		return nil, fmt.Errorf("%s gets no Google credentials: google_credentials is for *.googleapis.com and *.luci.app", clean(u.Hostname()))
	case len(scopes) == 0:
		return nil, errors.New("google_credentials needs oauth.scopes")
	}
	o.Google.Scopes = scopes
	return &Google{o.Google.Tokens(o.httpClient)}, nil
}

// NewImpersonated returns the ID tokens of a service account, which the default credentials have to be
// allowed to impersonate. If the server's entry is that of others, such as a project, the audience must be
// the server itself, so that it cannot use the tokens elsewhere.
func NewImpersonated(endpoint, audience, account string, isOthers bool, o Options) (*Google, error) {
	u, err := checkURL("its URL", endpoint)
	if err != nil {
		return nil, err
	}
	switch of, err := url.Parse(audience); {
	case audience == "" || account == "":
		return nil, errors.New("service_account_impersonation needs targetAudience and targetServiceAccount")
	case isOthers && (err != nil || Origin(of) != Origin(u)):
		return nil, errors.New("targetAudience is not the server itself. Move the server to your own settings")
	}
	tokens, err := o.Google.IDTokens(audience, account, o.httpClient)
	if err != nil {
		return nil, err
	}
	return &Google{tokens}, nil
}

// Sign adds a token to the header of a request, and the project that pays for it.
func (g *Google) Sign(ctx context.Context, header http.Header) error {
	token, project, err := g.tokens(ctx)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("cannot get a token of Google Cloud: %s", clean(err.Error()))
	case !isToken(token):
		return errors.New("cannot get a token of Google Cloud: it is not valid")
	}
	header.Set("Authorization", "Bearer "+token)
	if project != "" {
		header.Set("X-Goog-User-Project", project)
	}
	return nil
}

// Renew implements the same method as [Source.Renew]. Google's tokens are new as long as they are valid.
func (*Google) Renew(context.Context, http.Header) (bool, error) { return false, nil }
