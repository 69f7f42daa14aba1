package oauth

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A token request is ours, because golang.org/x/oauth2 cannot add parameters to a refresh, sends a code a
// second time to find out how to authenticate, and has the whole reply in its errors.

// tokens are the reply to a token request.
type tokens struct {
	Access, Type, Refresh, Scope string
	Lifetime                     time.Duration // 0 if unknown
}

// refusal is the error that an authorization server has sent.
type refusal struct{ Code, Description string }

func (r *refusal) Error() string {
	text := "the authorization server refuses: " + clean(r.Code)
	if d := clean(r.Description); d != "" {
		text += " (" + d + ")"
	}
	return text
}

// identity is how Pollux is known to an authorization server.
type identity struct {
	ID, Secret string
	InHeader   bool // the server takes the secret in the header only
}

// exchange requests tokens. It follows no redirect, which could take the code or the refresh token
// elsewhere. A server that refuses a client's secret in the form gets it in the header.
func (s *Source) exchange(ctx context.Context, address string, client identity, form url.Values) (*tokens, error) {
	t, err := s.exchangeOnce(ctx, address, client, form)
	if r, ok := errors.AsType[*refusal](err); ok && r.Code == "invalid_client" && client.Secret != "" && !client.InHeader {
		client.InHeader = true
		form.Del("client_secret")
		return s.exchangeOnce(ctx, address, client, form)
	}
	return t, err
}

func (s *Source) exchangeOnce(ctx context.Context, address string, client identity, form url.Values) (*tokens, error) {
	if _, err := checkURL("the URL for tokens", address); err != nil {
		return nil, err
	}
	form.Set("client_id", client.ID)
	if client.Secret != "" && !client.InHeader {
		form.Set("client_secret", client.Secret)
	}
	if len(s.config.Audiences) > 0 {
		form.Set("audience", strings.Join(s.config.Audiences, " "))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if client.Secret != "" && client.InHeader {
		req.SetBasicAuth(url.QueryEscape(client.ID), url.QueryEscape(client.Secret))
	}
	r, err := s.send(req, refuseRedirect)
	if err != nil {
		return nil, err
	}
	return parseTokens(r.status, r.body)
}

// parseTokens reads the reply to a token request: JSON or form-encoded, as some servers send it.
func parseTokens(status int, body []byte) (*tokens, error) {
	fields := tokenFields(body)
	if code := fields["error"]; code != "" {
		return nil, &refusal{code, fields["error_description"]}
	}
	if status != http.StatusOK && status != http.StatusCreated {
		return nil, fmt.Errorf("the authorization server answers a request for tokens with status %d", status)
	}
	t := &tokens{Access: fields["access_token"], Refresh: fields["refresh_token"], Scope: fields["scope"]}
	t.Type = cmp.Or(fields["token_type"], "Bearer")
	switch {
	case !isToken(t.Access), t.Refresh != "" && !isToken(t.Refresh):
		return nil, errors.New("the authorization server sends no token")
	case !strings.EqualFold(t.Type, "Bearer"):
		return nil, fmt.Errorf("the authorization server sends a token of the type %q, not Bearer", clean(t.Type))
	}
	const longest = 100 * 365 * 24 * time.Hour
	if seconds, err := strconv.ParseFloat(fields["expires_in"], 64); err == nil && seconds > 0 {
		t.Lifetime = longest
		if seconds < longest.Seconds() {
			t.Lifetime = time.Duration(seconds * float64(time.Second))
		}
	}
	return t, nil
}

// tokenFields returns the members of a reply that are texts or numbers.
func tokenFields(body []byte) map[string]string {
	fields := map[string]string{}
	if body = bytes.TrimSpace(body); bytes.HasPrefix(body, []byte("{")) {
		var members map[string]json.RawMessage
		_ = json.Unmarshal(body, &members) // an invalid reply has no members
		for name, raw := range members {
			var text string
			if json.Unmarshal(raw, &text) == nil {
				fields[name] = text
			} else if _, err := strconv.ParseFloat(string(raw), 64); err == nil {
				fields[name] = string(raw)
			}
		}
		return fields
	}
	form, _ := url.ParseQuery(string(body)) // with the valid part
	for name := range form {
		fields[name] = form.Get(name)
	}
	return fields
}

// secretInHeader reports whether a server takes a client's secret in the header only.
func secretInHeader(methods []string) bool {
	return slices.Contains(methods, "client_secret_basic") && !slices.Contains(methods, "client_secret_post")
}
