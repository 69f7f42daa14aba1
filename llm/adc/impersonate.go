package adc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"
)

// IDTokens returns ID tokens of a service account for an audience. The credentials of s must be allowed to
// impersonate the account. client is called once for each request to Google.
//
// Google's own package for this brings gRPC with it, which every start of the program would pay for.
func (s Source) IDTokens(audience, account string, client func() (*http.Client, error)) (Tokens, error) {
	body, err := json.Marshal(map[string]any{"audience": audience, "includeEmail": true})
	if err != nil {
		return nil, err
	}
	i := &impersonation{
		url:  "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/" + url.PathEscape(account) + ":generateIdToken",
		body: body, own: s.Tokens(client), client: client,
	}
	token := renew(i.token)
	return TokenFunc(func(ctx context.Context) (string, error) {
		t, err := token(ctx)
		if err != nil {
			return "", err
		}
		return t.AccessToken, nil
	}), nil
}

// impersonation requests ID tokens of a service account.
type impersonation struct {
	url    string
	body   []byte
	own    Tokens
	client func() (*http.Client, error)
}

const (
	idTokenLife  = time.Hour // of those that Google issues
	maxTokenBody = 1 << 20   // bytes of a response
)

func (i *impersonation) token(ctx context.Context) (*oauth2.Token, error) {
	client, err := i.client()
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, i.url, bytes.NewReader(i.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if err := i.own.Authorize(ctx, req.Header); err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxTokenBody))
	if err != nil {
		return nil, err
	}
	var reply struct {
		Token string `json:"token"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	err = json.Unmarshal(data, &reply)
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("cannot impersonate the service account: %s (status %d)", reply.Error.Message, resp.StatusCode)
	case err != nil || reply.Token == "":
		return nil, fmt.Errorf("cannot impersonate the service account: the response has no token")
	}
	return &oauth2.Token{AccessToken: reply.Token, Expiry: time.Now().Add(idTokenLife)}, nil
}
