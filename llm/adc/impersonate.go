package adc

import (
	"context"
	"net/http"

	"cloud.google.com/go/auth/credentials/impersonate"
)

// IDTokens returns ID tokens of a service account for an audience. The credentials of s must be allowed to
// impersonate the account. client is called once for each request to Google.
func (s Source) IDTokens(audience, account string, client func() (*http.Client, error)) (Tokens, error) {
	own := s.Tokens(client)
	creds, err := impersonate.NewIDTokenCredentials(&impersonate.IDTokenOptions{
		Audience: audience, TargetPrincipal: account, IncludeEmail: true,
		Client: &http.Client{Transport: signedTransport{own, client}},
	})
	if err != nil {
		return nil, err
	}
	return TokenFunc(func(ctx context.Context) (string, error) {
		token, err := creds.Token(ctx)
		if err != nil {
			return "", err
		}
		return token.Value, nil
	}), nil
}

// signedTransport makes requests with tokens.
type signedTransport struct {
	tokens Tokens
	client func() (*http.Client, error)
}

// RoundTrip implements [http.RoundTripper].
func (t signedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	client, err := t.client()
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	if err := t.tokens.Authorize(req.Context(), req.Header); err != nil {
		return nil, err
	}
	next := client.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	return next.RoundTrip(req)
}
