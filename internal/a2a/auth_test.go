package a2a

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"pollux/internal/a2a/a2atest"
	"pollux/internal/keychain"
	"pollux/internal/mcp/mcptest"
	"pollux/internal/oauth"
	"pollux/tool"
)

// accepts reports whether a request has a header with a value.
func accepts(name, value string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Header.Get(name) == value }
}

// env is an environment with one variable.
func env(name string) (string, error) {
	switch name {
	case "TOKEN":
		return "from-env", nil
	case "SECRET":
		return "", errors.New("the project must not have $SECRET")
	}
	return "", nil
}

func TestAuth(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		auth  Auth
		allow func(*http.Request) bool
	}{
		"key":        {Auth{Type: "apiKey", Key: "k1"}, accepts("X-API-Key", "k1")},
		"key header": {Auth{Type: "apiKey", Key: "$TOKEN", Name: "X-Own"}, accepts("X-Own", "from-env")},
		"bearer":     {Auth{Type: "http", Scheme: "Bearer", Token: "t1"}, accepts("Authorization", "Bearer t1")},
		"basic":      {Auth{Type: "http", Scheme: "Basic", Username: "u", Password: "p:w"}, accepts("Authorization", "Basic dTpwOnc=")},
		"value":      {Auth{Type: "http", Scheme: "Digest", Value: "a=b"}, accepts("Authorization", "Digest a=b")},
		"command":    {Auth{Type: "http", Scheme: "Bearer", Token: "! print x"}, accepts("Authorization", "Bearer ran print x")},
		"dollar":     {Auth{Type: "apiKey", Key: "$$TOKEN"}, accepts("X-API-Key", "$TOKEN")},
		"bang":       {Auth{Type: "apiKey", Key: "!!x"}, accepts("X-API-Key", "!x")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, isPrivate := range []bool{false, true} {
				s := serve(t, a2atest.Options{Allow: c.allow, PrivateCard: isPrivate, ShyCard: !isPrivate})
				a := New(Options{
					Name: "x", CardURL: s.CardURL, Auth: &c.auth, Env: env,
					RunCommand: func(_ context.Context, command string) (string, error) { return "  ran " + command + "\n", nil },
				})
				if got, err := a.Send(t.Context(), "y", nil); got != "hello" || err != nil {
					t.Errorf("private card %v: %q, %v", isPrivate, got, err)
				}
			}
		})
	}
}

func TestAuthErrors(t *testing.T) {
	t.Parallel()
	for want, auth := range map[string]Auth{
		"cannot authenticate: environment variable 'NONE' is not set or is empty. Please set it before using this agent": {Type: "apiKey", Key: "$NONE"},
		"cannot authenticate: the project must not have $SECRET":                                                         {Type: "apiKey", Key: "$SECRET"},
		"cannot authenticate: empty command in auth value. Expected format: !command":                                    {Type: "apiKey", Key: "! "},
		"cannot authenticate: command 'fail': it returned empty output":                                                  {Type: "apiKey", Key: "!fail"},
		"cannot authenticate: the header \"X-API-Key\" or its value contains a character that HTTP does not allow":       {Type: "apiKey", Key: "secret\nX: y"},
		"cannot authenticate: the header \"X Y\" or its value contains a character that HTTP does not allow":             {Type: "apiKey", Key: "secret", Name: "X Y"},
		`auth type "magic" is none of apiKey, http, oauth and google-credentials`:                                        {Type: "magic"},
		"auth of type http needs a token, a username and a password, or a value":                                         {Type: "http", Scheme: "Bearer"},
		"auth of type oauth is not available here":                                                                       {Type: "oauth"},
	} {
		s := serve(t, a2atest.Options{})
		a := New(Options{
			Name: "x", CardURL: s.CardURL, Auth: &auth, Env: env,
			RunCommand: func(context.Context, string) (string, error) { return " \n", nil },
		})
		if _, err := a.Send(t.Context(), "y", nil); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// A command that prints a secret runs again when the agent refuses the secret, at most twice.
func TestRenew(t *testing.T) {
	t.Parallel()
	for refusals, want := range map[int]string{1: "hello", 2: "hello", 3: ""} {
		s := serve(t, a2atest.Options{Allow: accepts("X-API-Key", fmt.Sprint("k", refusals+1))})
		runs := 0
		a := New(Options{
			Name: "x", CardURL: s.CardURL, Auth: &Auth{Type: "apiKey", Key: "!next"},
			RunCommand: func(context.Context, string) (string, error) { runs++; return fmt.Sprint("k", runs), nil },
		})
		got, err := a.Send(t.Context(), "y", nil)
		if got != want || (err != nil) != (want == "") || runs != min(refusals+1, 3) {
			t.Errorf("%d refusals: %q, %v, %d runs", refusals, got, err, runs)
		}
		if err != nil && err.Error() != ""+s.URL+` answers with status 401 Unauthorized. Check "auth" in its definition` {
			t.Error(err)
		}
	}
}

// Without auth in the definition, the error names the scheme of the card.
func TestMissingAuth(t *testing.T) {
	t.Parallel()
	for schemes, want := range map[string]string{
		`{"a":{"type":"apiKey","in":"header","name":"X-K"},"b":{"type":"oauth2","flows":{}},"c":{"type":"http","scheme":"bearer"}}`: "an API key in X-K or OAuth or HTTP bearer",
		`{"a":{"apiKeySecurityScheme":{"location":"header","name":"X-K"}}}`:                                                         "an API key in X-K",
		`{"a":{"type":"openIdConnect"}}`: "openIdConnect",
	} {
		c, err := parseCard([]byte(`{"securitySchemes":` + schemes + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.missingAuth(nil); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := c.missingAuth(&Auth{Type: "apiKey"}); (got == "") != strings.Contains(schemes, "apiKey") {
			t.Errorf("with a key: %q", got)
		}
	}
	s := serve(t, a2atest.Options{
		Allow: accepts("Authorization", "x"),
		Card: func(c map[string]any) {
			c["securitySchemes"] = map[string]any{"b": map[string]any{"type": "http", "scheme": "Bearer"}}
		},
	})
	var warned []string
	a := New(Options{Name: "x", CardURL: s.CardURL, Warn: func(text string) { warned = append(warned, text) }})
	_, err := a.Send(t.Context(), "y", nil)
	if want := "" + s.URL + ` answers with status 401 Unauthorized. Add "auth" to its definition`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if len(warned) != 1 || warned[0] != "[x] Agent requires authentication: HTTP Bearer" {
		t.Errorf("warnings %q", warned)
	}
}

// Credentials reach no other server, whatever the card or a redirect names.
func TestCredentialsStay(t *testing.T) {
	t.Parallel()
	var thefts atomic.Int32
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range r.Header {
			if strings.Contains(name+strings.Join(values, " "), "secret") || name == "X-Own" {
				thefts.Add(1)
			}
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(thief.Close)
	auths := []*Auth{{Type: "apiKey", Key: "secret1", Name: "X-Own"}, {Type: "http", Scheme: "Bearer", Token: "secret2"}, {Type: "http", Scheme: "Basic", Username: "u", Password: "secret3"}}
	for name, o := range map[string]a2atest.Options{
		"card":       {Card: func(c map[string]any) { c["url"] = thief.URL }},
		"https card": {Card: func(c map[string]any) { c["url"] = strings.Replace(thief.URL, "http:", "https:", 1) }},
		"redirect":   {Fault: "redirect", Elsewhere: thief.URL},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, auth := range auths {
				s := serve(t, o)
				text, err := New(Options{Name: "x", CardURL: s.CardURL, Auth: auth}).Send(t.Context(), "y", nil)
				want := "which gets no credentials. If it may have them, put the card into agent_card_json"
				if name == "redirect" {
					want = "answers with status 307 Temporary Redirect, a redirect to " + thief.URL
				}
				if err == nil || text != "" || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), want) {
					t.Errorf("%q, %v", text, err)
				}
			}
		})
	}
	t.Run("redirect of the card", func(t *testing.T) {
		t.Parallel()
		for _, auth := range auths {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") == "" && r.Header.Get("X-Own") == "" {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				http.Redirect(w, r, thief.URL, http.StatusFound)
			}))
			defer s.Close()
			if _, err := New(Options{Name: "x", CardURL: s.URL, Auth: auth}).Describe(t.Context()); err == nil {
				t.Error("no error")
			}
		}
	})
	t.Cleanup(func() {
		if thefts.Load() > 0 {
			t.Errorf("%d requests with credentials reached another server", thefts.Load())
		}
	})
}

// An error that repeats a credential does not show it.
func TestConcealed(t *testing.T) {
	t.Parallel()
	for _, auth := range []*Auth{{Type: "apiKey", Key: "secret1"}, {Type: "http", Scheme: "Bearer", Token: "secret2"}, {Type: "http", Scheme: "Basic", Username: "u", Password: "secret3"}} {
		for name, o := range wires {
			o.Fault = "echo"
			s := serve(t, o)
			_, err := New(Options{Name: "x", CardURL: s.CardURL, Auth: auth}).Send(t.Context(), "y", nil)
			if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "dTpz") || !strings.Contains(err.Error(), "500 Internal Server Error: wrong: ") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, a := range []*Auth{{Type: "apiKey", Key: "secret"}, {Type: "oauth", ClientSecret: "secret"}} {
		if text := fmt.Sprintf("%v %+v %s", a, a, a); strings.Contains(text, "secret") {
			t.Error(text)
		}
	}
}

// person agrees to everything.
func person(_ context.Context, c tool.Confirmation) (tool.Answer, error) {
	q := c.(*tool.QuestionConfirmation).Questions[0]
	return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": q.Options[0].Label}}}, nil
}

// A person signs in with the addresses that the card names. The next run has the token, an agent elsewhere does
// not get it.
func TestSignIn(t *testing.T) {
	t.Parallel()
	login := mcptest.NewAuth(mcptest.AuthOptions{})
	t.Cleanup(login.Close)
	s := serve(t, a2atest.Options{
		Allow: func(r *http.Request) bool {
			return strings.HasPrefix(r.Header.Get("Authorization"), "Bearer secret-access-")
		},
		Card: func(c map[string]any) {
			flow := map[string]any{"authorizationUrl": login.Issuer + "/authorize", "tokenUrl": login.Issuer + "/token", "scopes": map[string]any{"read": ""}}
			c["securitySchemes"] = map[string]any{"o": map[string]any{"type": "oauth2", "flows": map[string]any{"authorizationCode": flow}}}
		},
	})
	dir := t.TempDir()
	var page string
	signIns := &oauth.Options{
		Noun: "A2A agent", ClientIDKey: "auth.client_id in the definition of the agent",
		Store: oauth.Store{
			File: filepath.Join(dir, "a2a-oauth-tokens.json"), Service: "gemini-cli-a2a",
			Keychain: keychain.Open(keychain.Options{File: filepath.Join(dir, "gemini-credentials.json"), FileOnly: true}),
		},
		Open: func(ctx context.Context, url string) (err error) { page, err = mcptest.Browse(ctx, url); return err },
		Warn: func(text string) { t.Error(text) },
	}
	var notes []string
	o := Options{
		Name: "x", CardURL: s.CardURL, OAuth: signIns, Auth: &Auth{Type: "oauth", ClientID: "known"},
		Person: oauth.Person{Ask: person, Notify: func(text string) { notes = append(notes, text) }},
	}
	if got, err := New(o).Send(t.Context(), "y", nil); got != "hello" || err != nil {
		t.Fatalf("%q, %v, log %q", got, err, login.Log())
	}
	if !strings.Contains(page, "close this page") || !strings.Contains(strings.Join(notes, "\n"), "Sign in to A2A agent x on this page: "+login.Issuer+"/authorize?") || strings.Contains(notes[0], "resource=") {
		t.Errorf("page %q, notes %q", page, notes)
	}
	o.Person = oauth.Person{}
	if got, err := New(o).Send(t.Context(), "y", nil); got != "hello" || err != nil {
		t.Errorf("next run: %q, %v", got, err)
	}
	other := serve(t, a2atest.Options{Allow: func(r *http.Request) bool {
		if r.Header.Get("Authorization") != "" {
			t.Error("another agent gets the token")
		}
		return false
	}})
	o.CardURL = other.CardURL
	if _, err := New(o).Send(t.Context(), "y", nil); !errors.Is(err, ErrSignIn) {
		t.Errorf("another agent: %v", err)
	}
	private := serve(t, a2atest.Options{PrivateCard: true, Allow: accepts("Authorization", "x")})
	o.CardURL = private.CardURL
	if _, err := New(o).Describe(t.Context()); !errors.Is(err, ErrSignIn) || strings.Contains(err.Error(), "Connection") {
		t.Errorf("private card: %v", err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "a2a-oauth-tokens.json")); strings.Contains(string(data), "secret") {
		t.Error("the token is in the file, not in the keychain")
	}
}

// A sign-in of Gemini CLI, which names no address, serves only the agents of the user.
func TestSignInOfGeminiCLI(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a2a-oauth-tokens.json")
	if err := os.WriteFile(file, []byte(`[{"serverName":"x","token":{"accessToken":"theirs","tokenType":"Bearer"},"clientId":"c","tokenUrl":"https://t.example/token","updatedAt":1}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	for isOwn, want := range map[bool]string{true: "hello", false: ""} {
		s := serve(t, a2atest.Options{Allow: accepts("Authorization", "Bearer theirs")})
		signIns := &oauth.Options{
			Store: oauth.Store{File: file, Service: "gemini-cli-a2a", Keychain: keychain.Open(keychain.Options{File: filepath.Join(dir, "k.json"), FileOnly: true})},
			Warn:  func(text string) { t.Error(text) },
		}
		got, err := New(Options{Name: "x", CardURL: s.CardURL, OAuth: signIns, Auth: &Auth{Type: "oauth", ClientID: "c"}, IsOwn: isOwn}).Send(t.Context(), "y", nil)
		if got != want {
			t.Errorf("own %v: %q, %v", isOwn, got, err)
		}
	}
}

// The addresses of a card do not get the client's secret, and cannot be services without encryption elsewhere.
func TestSignInAddresses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ token, secret, want string }{
		"secret":   {"https://evil.example/token", "s3cret", "the agent card wants the client secret to go to https://evil.example. To allow that, set auth.token_url in its definition"},
		"metadata": {"http://169.254.169.254/token", "", "the agent card names no address to sign in: HOME leads to http://169.254.169.254, another host without https"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, a2atest.Options{Card: func(card map[string]any) {
				flow := map[string]any{"authorizationUrl": "https://evil.example/a", "tokenUrl": c.token}
				card["securitySchemes"] = map[string]any{"o": map[string]any{"type": "oauth2", "flows": map[string]any{"authorizationCode": flow}}}
			}})
			a := New(Options{Name: "x", CardURL: s.CardURL, OAuth: &oauth.Options{}, Auth: &Auth{Type: "oauth", ClientID: "c", ClientSecret: c.secret}})
			_, err := a.Describe(t.Context())
			if want := "[x] Failed to load remote agent: " + strings.ReplaceAll(c.want, "HOME", s.CardURL); err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestGoogle(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"https://x.run.app/card": "there are no ID tokens for Cloud Run here. ", "https://evil.example/card": "evil.example gets no Google credentials: ",
		"http://x.googleapis.com/card": "its URL is not an https URL",
	} {
		o := Options{CardJSON: `{"url":"` + host + `"}`, Auth: &Auth{Type: "google-credentials"}, OAuth: &oauth.Options{}}
		if _, err := New(o).Describe(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", host, err)
		}
	}
}
