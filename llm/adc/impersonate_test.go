package adc_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"pollux/llm/adc"
)

// toServer sends all requests to a server.
type toServer struct{ url *url.URL }

func (s toServer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host = s.url.Scheme, s.url.Host
	return http.DefaultTransport.RoundTrip(req)
}

// An ID token of a service account is asked for once, with the source's own token.
func TestIDTokens(t *testing.T) {
	t.Parallel()
	status, reply, asked := http.StatusForbidden, `{"error": {"message": "no permission"}}`, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.URL.Path != "/v1/projects/-/serviceAccounts/a@b.example:generateIdToken" ||
			r.Header.Get("Authorization") != "Bearer mine" || string(body) != `{"audience":"https://x.example","includeEmail":true}` {
			t.Errorf("%s %s %v %s", r.Method, r.URL, r.Header, body)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, reply)
	}))
	defer server.Close()
	address, _ := url.Parse(server.URL)
	client := func() (*http.Client, error) { return &http.Client{Transport: toServer{address}}, nil }
	own := adc.Source{Custom: adc.TokenFunc(func(context.Context) (string, error) { return "mine", nil })}
	tokens, err := own.IDTokens("https://x.example", "a@b.example", client)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := tokens(t.Context()); err == nil || !strings.Contains(err.Error(), "no permission (status 403)") {
		t.Errorf("refused: %v", err)
	}
	for status, reply = range map[int]string{http.StatusOK: "{}", http.StatusCreated: `{"token": "x"}`} {
		if token, _, err := tokens(t.Context()); err == nil {
			t.Errorf("%d %s is the token %q", status, reply, token)
		}
	}
	status, reply, asked = http.StatusOK, `{"token": "id"}`, 0
	for range 2 {
		if token, _, err := tokens(t.Context()); token != "id" || err != nil {
			t.Error(token, err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}
