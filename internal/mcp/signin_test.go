package mcp

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pollux/internal/keychain"
	"pollux/internal/mcp/mcptest"
	"pollux/internal/oauth"
	"pollux/tool"
)

// signInOptions returns the options of a sign-in with a person that agrees, and their answer.
func signInOptions(t *testing.T, warn func(string)) (*oauth.Options, tool.Ask) {
	t.Helper()
	dir := t.TempDir()
	o := &oauth.Options{
		Store: oauth.Store{
			File:     filepath.Join(dir, "mcp-oauth-tokens.json"),
			Keychain: keychain.Open(keychain.Options{File: filepath.Join(dir, "gemini-credentials.json"), FileOnly: true}),
		},
		Open: func(ctx context.Context, page string) error {
			_, err := mcptest.Browse(ctx, page)
			return err
		},
		Warn: warn,
	}
	return o, func(_ context.Context, c tool.Confirmation) (tool.Answer, error) {
		label := c.(*tool.QuestionConfirmation).Questions[0].Options[0].Label
		return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": label}}}, nil
	}
}

// transport makes the requests of a test, and leaves no connection behind.
func transport(t *testing.T) func() (http.RoundTripper, error) {
	t.Helper()
	own := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(own.CloseIdleConnections)
	return func() (http.RoundTripper, error) { return own, nil }
}

func newAuth(t *testing.T, o mcptest.AuthOptions) *mcptest.Auth {
	t.Helper()
	a := mcptest.NewAuth(o)
	t.Cleanup(a.Close)
	return a
}

// safeBuffer is a log that several goroutines write.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// A server that wants a token has no tools until a person has signed in. Tokens that the server refuses
// later are refreshed without notice.
func TestSignIn(t *testing.T) {
	t.Parallel()
	a := newAuth(t, mcptest.AuthOptions{})
	var w warnings
	var log safeBuffer
	o, ask := signInOptions(t, w.add)
	s, r, warned := run(t, Options{
		Configs: []Config{{Name: "toy", URL: a.URL}}, OAuth: o, Transport: transport(t),
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	const want = "MCP server 'toy' requires authentication using: /mcp auth toy, or in a terminal: pollux mcp auth toy"
	if got := strings.Join(warned(), "|"); got != want || names(r) != "" || s.Status()[0].SignIn != oauth.SignedOut {
		t.Errorf("warnings %q, tools %q, status %+v", got, names(r), s.Status()[0])
	}
	if err := s.Authorize(t.Context(), "toy", nil, w.add); err == nil || err.Error() != `signing in to MCP server "toy" needs a person. Run in a terminal: pollux mcp auth toy` {
		t.Errorf("without a person: %v", err)
	}
	if err := s.Authorize(t.Context(), "toy", ask, w.add); err != nil {
		t.Fatal(err)
	}
	wait(t, "the tools", func() bool { return strings.HasPrefix(names(r), toyTools) })
	if got := s.Status()[0].SignIn; got != oauth.SignedIn {
		t.Errorf("sign-in: %q", got)
	}
	a.Revoke(false)
	if got := callTool(t.Context(), t, r, "mcp_toy_echo", `{"text":"hi"}`, tool.Host{}); got.Error != nil || a.Count("refresh") != 1 {
		t.Errorf("call: %+v, log %q", got.Error, a.Log())
	}
	a.Revoke(true)
	got := callTool(t.Context(), t, r, "mcp_toy_echo", `{"text":"hi"}`, tool.Host{})
	if got.Error == nil || a.Count("refresh") != 2 {
		t.Errorf("call without a sign-in: %+v, log %q", got, a.Log())
	}
	wait(t, "the end of the connection", func() bool { return s.Status()[0].State == Disconnected })
	if got := warned()[1:]; len(got) != 1 || !strings.HasSuffix(got[0], " using: /mcp auth toy, or in a terminal: pollux mcp auth toy") {
		t.Errorf("warnings %q", got)
	}
	if err := s.SignOut(t.Context(), "toy"); err != nil {
		t.Error(err)
	}
	s.Close()
	if all := strings.Join(append(w.all(), warned()...), "\n") + log.b.String() + got.Error.Message; strings.Contains(all, "secret-") {
		t.Errorf("a token is in the user's messages: %s", all)
	}
}

// Pollux signs in to a server at its request if the entry allows it.
func TestSignInAtOnce(t *testing.T) {
	t.Parallel()
	for kind, isSSE := range map[string]bool{"": false, "http": false, "sse": true} {
		a := newAuth(t, mcptest.AuthOptions{SSE: isSSE})
		var w warnings
		o, ask := signInOptions(t, w.add)
		_, r, warned := run(t, Options{
			Configs: []Config{{Name: "toy", URL: a.URL, Type: kind, OAuth: oauth.Config{Enabled: true}}},
			OAuth:   o, Ask: ask, Notify: w.add, Transport: transport(t),
		})
		if got := names(r); !strings.HasPrefix(got, toyTools) {
			t.Errorf("%q: tools %q, warnings %q", kind, got, warned())
		}
	}
}

// A token for another audience is refused by the server, and the user learns it.
func TestWrongAudience(t *testing.T) {
	t.Parallel()
	a := newAuth(t, mcptest.AuthOptions{Fault: "audience"})
	var w warnings
	o, ask := signInOptions(t, w.add)
	_, r, warned := run(t, Options{
		Configs: []Config{{Name: "toy", URL: a.URL, OAuth: oauth.Config{Enabled: true}}},
		OAuth:   o, Ask: ask, Notify: w.add, Transport: transport(t),
	})
	const want = "MCP server 'toy' rejected stored OAuth token. Please re-authenticate using: /mcp auth toy"
	if got := strings.Join(warned(), "|"); got != want || names(r) != "" {
		t.Errorf("warnings %q, tools %q", got, names(r))
	}
}

// Only the server itself gets its token, not where it redirects.
func TestTokenStaysAtServer(t *testing.T) {
	t.Parallel()
	a := newAuth(t, mcptest.AuthOptions{})
	elsewhere := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere <- r.Header.Get("Authorization")
		http.Error(w, "no", http.StatusBadRequest)
	}))
	t.Cleanup(other.Close)
	own := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own <- r.Header.Get("Authorization")
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	var w warnings
	o, ask := signInOptions(t, w.add)
	c := Config{Name: "toy", HTTPURL: server.URL, OAuth: oauth.Config{ClientID: "known", AuthorizationURL: a.Issuer + "/authorize", TokenURL: a.Issuer + "/token"}}
	s, _, _ := run(t, Options{Configs: []Config{c}, OAuth: o, Transport: transport(t)})
	if err := s.Authorize(t.Context(), "toy", ask, w.add); err != nil {
		t.Fatal(err)
	}
	wait(t, "the server's answer", func() bool { return s.Status()[0].State == Disconnected })
	close(own)
	close(elsewhere)
	last := ""
	for last = range own {
	}
	if !strings.HasPrefix(last, "Bearer secret-access-") {
		t.Errorf("the server gets %q", last)
	}
	for got := range elsewhere {
		if got != "" {
			t.Errorf("the other server gets %q", got)
		}
	}
}

// Some servers have no sign-in, and some entries are wrong.
func TestNoSignIn(t *testing.T) {
	t.Parallel()
	a := newAuth(t, mcptest.AuthOptions{})
	header := Config{Name: "header", URL: a.URL, Headers: map[string]string{"authorization": "Bearer x"}}
	google := Config{Name: "google", URL: a.URL, AuthProvider: "google_credentials", OAuth: oauth.Config{Scopes: []string{"s"}}}
	scopes := Config{Name: "scopes", URL: "https://x.googleapis.com/mcp", AuthProvider: "google_credentials"}
	target := Config{Name: "target", URL: a.URL, AuthProvider: "service_account_impersonation"}
	project := Config{Name: "project", URL: a.URL, AuthProvider: "service_account_impersonation", TargetAudience: "https://other.example", TargetServiceAccount: "a", IsProject: true}
	unknown := Config{Name: "unknown", URL: a.URL, AuthProvider: "magic"}
	var w warnings
	o, ask := signInOptions(t, w.add)
	s, _, warned := run(t, Options{Configs: []Config{header, google, scopes, target, project, unknown}, OAuth: o, Transport: transport(t)})
	got := strings.Join(warned(), "\n")
	for _, want := range []string{
		`"header": it does not accept the Authorization header of its entry in mcpServers`,
		`"google": 127.0.0.1 gets no Google credentials: google_credentials is for *.googleapis.com and *.luci.app`,
		`"scopes": google_credentials needs oauth.scopes`,
		`"target": service_account_impersonation needs targetAudience and targetServiceAccount`,
		`"project": targetAudience is not the server itself`,
		`"unknown": authProviderType "magic" is none of`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no warning %q in:\n%s", want, got)
		}
	}
	if err := s.Authorize(t.Context(), "header", ask, w.add); err == nil || !strings.Contains(err.Error(), "remove the header to sign in") {
		t.Errorf("header: %v", err)
	}
	if err := s.Authorize(t.Context(), "none", ask, w.add); err == nil || err.Error() != `MCP server "none" not found` {
		t.Errorf("none: %v", err)
	}
}
