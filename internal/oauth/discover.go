package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// provider is an authorization server with its metadata.
type provider struct {
	Issuer           string // "" if unknown
	AuthorizationURL string
	TokenURL         string
	RegistrationURL  string   // "" for none
	Resource         string   // the tokens' resource
	Scopes           []string // to ask for
	SecretInHeader   bool
	// SendsIssuer reports whether it names itself in each response.
	SendsIssuer bool
}

// discover finds the authorization server of the server. challenge has the WWW-Authenticate headers with
// which the server has refused a request; nil if there was none.
func (s *Source) discover(ctx context.Context, challenge []string) (*provider, error) {
	resource, err := resourceOf(s.endpoint)
	if err != nil {
		return nil, err
	}
	c := &s.config
	if c.AuthorizationURL != "" && c.TokenURL != "" {
		return s.configured(ctx, resource)
	}
	if challenge == nil {
		if challenge, err = s.provoke(ctx); err != nil {
			return nil, err
		}
	}
	hints := readChallenge(challenge)
	protected, err := s.protectedResource(ctx, hints.Metadata, resource)
	if err != nil {
		return nil, err
	}
	issuer, err := s.issuer(protected, resource)
	if err != nil {
		return nil, err
	}
	meta, err := s.serverMetadata(ctx, issuer)
	if err != nil {
		return nil, err
	}
	p := &provider{
		Issuer: meta.Issuer, Resource: protected.Resource, SendsIssuer: meta.AuthorizationResponseIssParameterSupported,
		AuthorizationURL: cmp.Or(c.AuthorizationURL, meta.AuthorizationEndpoint),
		TokenURL:         cmp.Or(c.TokenURL, meta.TokenEndpoint),
		RegistrationURL:  cmp.Or(c.RegistrationURL, meta.RegistrationEndpoint),
		SecretInHeader:   secretInHeader(meta.TokenEndpointAuthMethodsSupported),
		Scopes:           s.scopes(hints.Scopes, protected.ScopesSupported, meta.ScopesSupported),
	}
	return p, p.check()
}

// configured returns the authorization server that the settings describe.
func (s *Source) configured(ctx context.Context, resource string) (*provider, error) {
	c := &s.config
	p := &provider{
		Issuer: c.Issuer, Resource: resource, Scopes: c.Scopes,
		AuthorizationURL: c.AuthorizationURL, TokenURL: c.TokenURL, RegistrationURL: c.RegistrationURL,
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	if p.RegistrationURL == "" && c.ClientID == "" {
		u, err := url.Parse(c.AuthorizationURL)
		if err != nil {
			return nil, err
		}
		meta, err := s.serverMetadata(ctx, cmp.Or(c.Issuer, Origin(u)))
		if err != nil {
			return nil, err
		}
		p.RegistrationURL = meta.RegistrationEndpoint
	}
	return p, nil
}

// check returns an error if one of the addresses cannot be used.
func (p *provider) check() error {
	_, err := checkURL("the URL of the sign-in page", p.AuthorizationURL)
	if err == nil {
		_, err = checkURL("the URL for tokens", p.TokenURL)
	}
	if err == nil && p.RegistrationURL != "" {
		_, err = checkURL("the URL for registration", p.RegistrationURL)
	}
	return err
}

// provoke makes the server refuse a request, and returns its WWW-Authenticate headers.
func (s *Source) provoke(ctx context.Context) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, s.endpoint, nil)
	if err != nil {
		return nil, err
	}
	r, err := s.send(req, refuseRedirect)
	if err != nil {
		return nil, err
	}
	return r.header.Values("WWW-Authenticate"), nil
}

// hints are the sign-in parameters in a server's refusal of a request.
type hints struct {
	Metadata string // the URL of its metadata, "" if unknown
	Scopes   []string
}

// readChallenge reads WWW-Authenticate headers. It ignores those that are invalid.
func readChallenge(headers []string) (h hints) {
	const longest = 4 << 10
	for _, header := range headers {
		if len(header) > longest {
			continue
		}
		challenges, err := oauthex.ParseWWWAuthenticate([]string{header})
		if err != nil {
			continue
		}
		for _, c := range challenges {
			if c.Scheme != "bearer" {
				continue
			}
			h.Metadata = cmp.Or(h.Metadata, c.Params["resource_metadata"])
			if h.Scopes == nil {
				h.Scopes = validScopes(strings.Fields(c.Params["scope"]))
			}
		}
	}
	return h
}

// protectedResource returns the metadata of the server: from the address that it has named, or from the
// well-known ones. A server that has none is its own authorization server, as in the protocol's version
// 2025-03-26.
func (s *Source) protectedResource(ctx context.Context, named, resource string) (*oauthex.ProtectedResourceMetadata, error) {
	u, err := url.Parse(resource)
	if err != nil {
		return nil, err
	}
	const wellKnown = "/.well-known/oauth-protected-resource"
	root, path := Origin(u), strings.TrimSuffix(u.EscapedPath(), "/")
	var candidates []string
	for _, address := range []string{named, root + wellKnown + path, root + wellKnown} {
		if address != "" && !slices.Contains(candidates, address) {
			candidates = append(candidates, address)
		}
	}
	for _, address := range candidates {
		var m oauthex.ProtectedResourceMetadata
		err := s.metadata(ctx, address, &m)
		of, _ := resourceOf(m.Resource)
		switch {
		case errors.Is(err, errNoMetadata):
			continue
		case err != nil:
			return nil, err
		case !sameURL(of, resource) && (!sameURL(of, root) || address != root+wellKnown):
			return nil, fmt.Errorf("its metadata is for another server: %q, not %q", clean(m.Resource), resource)
		case len(m.AuthorizationServers) == 0 && s.config.Issuer == "":
			return nil, errors.New("its metadata names no authorization server")
		}
		return &m, nil
	}
	return &oauthex.ProtectedResourceMetadata{Resource: resource}, nil
}

// issuer returns which authorization server to use.
func (s *Source) issuer(m *oauthex.ProtectedResourceMetadata, resource string) (string, error) {
	wanted := s.config.Issuer
	if len(m.AuthorizationServers) == 0 {
		u, err := url.Parse(resource)
		if err != nil {
			return "", err
		}
		return cmp.Or(wanted, Origin(u)), nil
	}
	if wanted == "" {
		return m.AuthorizationServers[0], nil
	}
	if slices.ContainsFunc(m.AuthorizationServers, func(one string) bool { return sameURL(one, wanted) }) {
		return wanted, nil
	}
	return "", fmt.Errorf("its authorization server is %q, and its settings want %q", clean(m.AuthorizationServers[0]), clean(wanted))
}

// serverMetadata returns the metadata of an authorization server.
func (s *Source) serverMetadata(ctx context.Context, issuer string) (*oauthex.AuthServerMeta, error) {
	if err := s.checkFound("the URL of its authorization server", issuer); err != nil {
		return nil, err
	}
	u, err := url.Parse(issuer)
	if err != nil {
		return nil, err
	}
	failure := fmt.Errorf("its authorization server %q has no metadata", clean(issuer))
	for _, address := range metadataURLs(u) {
		var m oauthex.AuthServerMeta
		switch err := s.metadata(ctx, address, &m); {
		case errors.Is(err, errNoMetadata):
			continue
		case err != nil:
			return nil, err
		case !sameURL(m.Issuer, issuer):
			failure = fmt.Errorf("its authorization server has the wrong issuer: %q, not %q", clean(m.Issuer), clean(issuer))
			continue
		}
		return &m, s.checkMetadata(&m)
	}
	return nil, failure
}

// metadataURLs returns where the metadata of an issuer may be.
func metadataURLs(issuer *url.URL) []string {
	const asOAuth, asOpenID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	root, path := Origin(issuer), strings.TrimSuffix(issuer.EscapedPath(), "/")
	if path == "" {
		return []string{root + asOAuth, root + asOpenID}
	}
	return []string{root + asOAuth + path, root + asOpenID + path, root + path + asOpenID, root + asOAuth, root + asOpenID}
}

// checkMetadata returns an error for metadata of an authorization server that cannot be used.
func (s *Source) checkMetadata(m *oauthex.AuthServerMeta) error {
	for what, address := range map[string]string{
		"the URL of the sign-in page": m.AuthorizationEndpoint, "the URL for tokens": m.TokenEndpoint,
		"the URL for registration": m.RegistrationEndpoint,
	} {
		if address != "" {
			if err := s.checkFound(what, address); err != nil {
				return err
			}
		}
	}
	if m := m.CodeChallengeMethodsSupported; len(m) > 0 && !slices.Contains(m, "S256") {
		return errors.New("its authorization server does not support PKCE with S256")
	}
	return nil
}

// scopes returns the scopes to ask for: those of the settings, else those that the server asks for. With
// offline_access, an authorization server that has it sends a refresh token.
func (s *Source) scopes(asked, ofResource, ofServer []string) []string {
	list := s.config.Scopes
	if list == nil {
		list = asked
	}
	if list == nil {
		list = validScopes(ofResource)
	}
	const offline = "offline_access"
	if s.config.Scopes == nil && slices.Contains(ofServer, offline) && !slices.Contains(list, offline) {
		list = append(slices.Clone(list), offline)
	}
	return list
}

// validScopes returns the scopes that can be part of a request, at most 100 of them.
func validScopes(list []string) (valid []string) {
	const most = 100
	for _, scope := range list {
		if isToken(scope) && !strings.ContainsAny(scope, `"\`) && len(valid) < most {
			valid = append(valid, scope)
		}
	}
	return valid
}
