package oauth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"pollux/llm/adc"
)

// answers is a transport that answers each request itself.
type answers func(*http.Request) (*http.Response, error)

func (f answers) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// machine returns options with default credentials whose token is t, and with Google's service for ID
// tokens.
func machine(t *testing.T) Options {
	t.Helper()
	return Options{
		Google: adc.Source{Custom: func(context.Context) (string, string, error) { return "t", "payer", nil }},
		Transport: func() (http.RoundTripper, error) {
			return answers(func(req *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(req.Body)
				got := req.URL.String() + " " + req.Header.Get("Authorization") + " " + strings.TrimSpace(string(body))
				const want = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b:generateIdToken Bearer t {"audience":"https://x.example","includeEmail":true}`
				if err != nil || got != want {
					t.Errorf("request %s, want %s", got, want)
				}
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"token":"id"}`))}, nil
			}), nil
		},
	}
}

func TestGoogle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make    func(Options) (*Google, error)
		token   string
		project string
	}{
		"access token": {func(o Options) (*Google, error) { return NewGoogle("https://x.googleapis.com/mcp", []string{"s"}, o) }, "t", "payer"},
		"ID token": {func(o Options) (*Google, error) {
			return NewImpersonated("https://y.example/mcp", "https://x.example", "a@b", false, o)
		}, "id", ""},
		"of a project": {func(o Options) (*Google, error) {
			return NewImpersonated("https://x.example/mcp", "https://x.example", "a@b", true, o)
		}, "id", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, err := c.make(machine(t))
			if err != nil {
				t.Fatal(err)
			}
			h := http.Header{}
			if err := g.Sign(t.Context(), h); err != nil || h.Get("Authorization") != "Bearer "+c.token || h.Get("X-Goog-User-Project") != c.project {
				t.Errorf("header %v, %v", h, err)
			}
			if renewed, err := g.Renew(t.Context(), h); renewed || err != nil {
				t.Errorf("renewed: %v, %v", renewed, err)
			}
		})
	}
}

func TestGoogleRefuses(t *testing.T) {
	t.Parallel()
	o := machine(t)
	for _, endpoint := range []string{"https://googleapis.com.evil.example/", "https://evilgoogleapis.com/", "http://x.googleapis.com/", "https://x.googleapis.com@evil.example/"} {
		if _, err := NewGoogle(endpoint, []string{"s"}, o); err == nil {
			t.Errorf("%s gets a token", endpoint)
		}
	}
	for _, audience := range []string{"https://y.example", "123.apps.googleusercontent.com", "https://x.example:8443", ""} {
		if _, err := NewImpersonated("https://x.example/mcp", audience, "a@b", true, o); err == nil {
			t.Errorf("a project gets a token for %q", audience)
		}
	}
	o.Google.Custom = func(context.Context) (string, string, error) {
		return "", "", errors.New("no\x1b[31m file\nPollux: ok")
	}
	g, err := NewGoogle("https://x.googleapis.com/mcp", []string{"s"}, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Sign(t.Context(), http.Header{}); err == nil || err.Error() != "cannot get a token of Google Cloud: no file Pollux: ok" {
		t.Errorf("no credentials: %v", err)
	}
}
