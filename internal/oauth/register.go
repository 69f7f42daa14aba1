package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// identify returns Pollux's identity at an authorization server: that of the settings, or a new
// client.
func (s *Source) identify(ctx context.Context, p *provider, redirect string) (identity, error) {
	if s.config.ClientID != "" {
		return identity{s.config.ClientID, s.config.ClientSecret, p.SecretInHeader}, nil
	}
	if p.RegistrationURL == "" {
		return identity{}, fmt.Errorf("its authorization server registers no clients. Set %s", s.o.ClientIDKey)
	}
	id, err := s.register(ctx, p, redirect)
	if err != nil {
		return id, fmt.Errorf("cannot register with its authorization server: %w", err)
	}
	return id, nil
}

// register makes Pollux a client of an authorization server (RFC 7591). The SDK's function would follow a
// redirect, and has the whole response in its errors.
func (s *Source) register(ctx context.Context, p *provider, redirect string) (identity, error) {
	about, err := json.Marshal(&oauthex.ClientRegistrationMetadata{
		ClientName: "Pollux", RedirectURIs: []string{redirect}, TokenEndpointAuthMethod: "none", ApplicationType: "native",
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, Scope: strings.Join(p.Scopes, " "),
	})
	if err != nil {
		return identity{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.RegistrationURL, bytes.NewReader(about))
	if err != nil {
		return identity{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	r, err := s.send(req, refuseRedirect)
	if err != nil {
		return identity{}, err
	}
	var client struct {
		ID          string `json:"client_id"`
		Secret      string `json:"client_secret"`
		Method      string `json:"token_endpoint_auth_method"`
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	invalid := json.Unmarshal(r.body, &client)
	switch {
	case client.Error != "":
		return identity{}, &refusal{client.Error, client.Description}
	case r.status != http.StatusOK && r.status != http.StatusCreated:
		return identity{}, fmt.Errorf("it answers with status %d", r.status)
	case invalid != nil, client.ID == "":
		return identity{}, errors.New("it sends no client ID")
	}
	return identity{client.ID, client.Secret, client.Method == "client_secret_basic" || p.SecretInHeader}, nil
}
