package mcptest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Auth is an authorization server, with an MCP server behind it that wants its tokens. Its page agrees to
// everything.
type Auth struct {
	// URL is that of the MCP server, and Issuer that of the authorization server.
	URL, Issuer string

	http   *httptest.Server
	server *sdk.Server

	mu      sync.Mutex
	o       AuthOptions
	next    int
	clients map[string]string // secrets by ID
	codes   map[string]*grant
	refresh map[string]*grant
	access  map[string]access
	log     []string
}

// AuthOptions are how an authorization server behaves.
type AuthOptions struct {
	// Fault is the defect of the server, "" for none:
	//
	//	issuer      its metadata is of another server
	//	resource    the metadata of the MCP server is of another server
	//	audience    its tokens are for another server
	//	state       it returns with another state
	//	iss         it returns with another issuer
	//	no iss      it returns without the issuer that it has announced
	//	denied      it returns with an error that contains control characters
	//	redirect    it redirects requests for tokens
	//	huge        its reply has no end
	//	mac         its tokens are not bearer tokens
	//	plain       it supports no S256
	//	http        its page is not on https
	//	broken      requests for tokens fail
	Fault string
	// Lifetime is that of access tokens; 0 is unlimited.
	Lifetime time.Duration
	// Form makes it reply to requests for tokens with a form.
	Form bool
	// Basic makes it give clients a secret, which it accepts in the header only.
	Basic bool
	// Closed makes it register no clients.
	Closed bool
	// Root puts the metadata of the MCP server at the root, without a hint where it is.
	Root bool
	// SSE makes the MCP server speak HTTP with server-sent events.
	SSE bool
	// Scopes are those that the MCP server asks for.
	Scopes []string
}

// grant is a person's permission for a client.
type grant struct {
	client, redirect, challenge, resource string
	isUsed                                bool
}

type access struct {
	resource string
	expires  time.Time
}

// NewAuth starts an authorization server. The caller closes it.
func NewAuth(o AuthOptions) *Auth {
	a := &Auth{o: o, clients: map[string]string{"known": ""}, codes: map[string]*grant{}, refresh: map[string]*grant{}, access: map[string]access{}}
	mux := http.NewServeMux()
	a.http = httptest.NewUnstartedServer(mux)
	a.Issuer = "http://" + a.http.Listener.Addr().String()
	a.URL = a.Issuer + "/mcp"
	mux.HandleFunc("/.well-known/oauth-protected-resource", a.resourceMetadata)
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", a.resourceMetadata)
	mux.HandleFunc("/.well-known/oauth-authorization-server", a.metadata)
	mux.HandleFunc("POST /register", a.register)
	mux.HandleFunc("GET /authorize", a.authorize)
	mux.HandleFunc("POST /token", a.token)
	a.server = New("signed in", Process{})
	guard := &auth.RequireBearerTokenOptions{Scopes: o.Scopes, AllowMissingExpiration: true}
	if !o.Root {
		guard.ResourceMetadataURL = a.Issuer + "/.well-known/oauth-protected-resource/mcp"
	}
	pick := func(*http.Request) *sdk.Server { return a.server }
	var handler http.Handler = sdk.NewStreamableHTTPHandler(pick, nil)
	if o.SSE {
		handler = sdk.NewSSEHandler(pick, nil)
	}
	mux.Handle("/mcp", auth.RequireBearerToken(a.verify, guard)(handler))
	a.http.Start()
	return a
}

// Close stops the servers.
func (a *Auth) Close() {
	a.http.CloseClientConnections()
	a.http.Close()
	for session := range a.server.Sessions() {
		_ = session.Close() // the client may have gone without a word
	}
}

// Browse is a browser whose person agrees to everything. It returns the text of the last page.
func Browse(ctx context.Context, page string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// Set changes how the server behaves.
func (a *Auth) Set(change func(*AuthOptions)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.o)
}

// Log returns the events: "register", "authorize", "code", "refresh", and "reuse" for a code or
// refresh token that was used before.
func (a *Auth) Log() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.log)
}

// Count returns how often an event is in the log.
func (a *Auth) Count(event string) (n int) {
	for _, one := range a.Log() {
		if one == event {
			n++
		}
	}
	return n
}

// Revoke makes all access tokens invalid, and with refresh all refresh tokens.
func (a *Auth) Revoke(refresh bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.access)
	if refresh {
		clear(a.refresh)
	}
}

// Grant returns an access token and a refresh token for the client "known".
func (a *Auth) Grant() (accessToken, refreshToken string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.issue(&grant{client: "known", resource: a.URL})
}

func (a *Auth) resourceMetadata(w http.ResponseWriter, r *http.Request) {
	o := a.options()
	m := map[string]any{"resource": a.URL, "authorization_servers": []string{a.Issuer}, "scopes_supported": o.Scopes}
	isRoot := !strings.HasSuffix(r.URL.Path, "/mcp")
	switch {
	case isRoot != o.Root:
		http.NotFound(w, r)
		return
	case o.Fault == "resource":
		m["resource"] = "https://other.example/mcp"
	case isRoot:
		m["resource"] = a.Issuer
	}
	reply(w, http.StatusOK, m)
}

func (a *Auth) metadata(w http.ResponseWriter, _ *http.Request) {
	o := a.options()
	m := map[string]any{
		"issuer": a.Issuer, "authorization_endpoint": a.Issuer + "/authorize", "token_endpoint": a.Issuer + "/token",
		"registration_endpoint": a.Issuer + "/register", "code_challenge_methods_supported": []string{"S256"},
		"authorization_response_iss_parameter_supported": true, "response_types_supported": []string{"code"},
	}
	if o.Closed {
		delete(m, "registration_endpoint")
	}
	switch o.Fault {
	case "issuer":
		m["issuer"] = "https://other.example"
	case "plain":
		m["code_challenge_methods_supported"] = []string{"plain"}
	case "http":
		m["authorization_endpoint"] = "http://other.example/authorize"
	}
	reply(w, http.StatusOK, m)
}

func (a *Auth) register(w http.ResponseWriter, r *http.Request) {
	var client struct {
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
	}
	if json.NewDecoder(r.Body).Decode(&client) != nil || len(client.Redirects) != 1 {
		reply(w, http.StatusBadRequest, map[string]any{"error": "invalid_redirect_uri"})
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.log = append(a.log, "register")
	id := a.name("client")
	m := map[string]any{"client_id": id, "redirect_uris": client.Redirects}
	if a.clients[id] = ""; a.o.Basic {
		a.clients[id] = a.name("client-secret")
		m["client_secret"], m["token_endpoint_auth_method"] = a.clients[id], "client_secret_basic"
	}
	reply(w, http.StatusCreated, m)
}

func (a *Auth) authorize(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.log = append(a.log, "authorize")
	q := r.URL.Query()
	if _, ok := a.clients[q.Get("client_id")]; !ok || q.Get("code_challenge_method") != "S256" || q.Get("response_type") != "code" {
		http.Error(w, "invalid request", http.StatusBadRequest)
		return
	}
	code := a.name("code")
	a.codes[code] = &grant{client: q.Get("client_id"), redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"), resource: q.Get("resource")}
	back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {a.Issuer}}
	switch a.o.Fault {
	case "state":
		back.Set("state", "other")
	case "iss":
		back.Set("iss", "https://other.example")
	case "no iss":
		back.Del("iss")
	case "denied":
		back.Del("code")
		back.Set("error", "access_denied\x1b[31m")
		back.Set("error_description", "no\r\nPollux: signed in\u202e"+strings.Repeat("x", 1000))
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (a *Auth) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm() // an invalid form has no values
	a.mu.Lock()
	defer a.mu.Unlock()
	switch a.o.Fault {
	case "redirect":
		http.Redirect(w, r, a.Issuer+"/elsewhere", http.StatusTemporaryRedirect)
		return
	case "huge":
		for n := 0; n < 64; n++ {
			_, _ = io.WriteString(w, strings.Repeat("x", 1<<16)) // the client may have gone
		}
		return
	case "broken":
		http.Error(w, "the database is down", http.StatusInternalServerError)
		return
	}
	g, problem := a.redeem(r)
	if problem != "" {
		reply(w, http.StatusBadRequest, map[string]any{"error": problem, "error_description": "see the log"})
		return
	}
	accessToken, refreshToken := a.issue(g)
	m := map[string]any{"access_token": accessToken, "token_type": "bearer", "refresh_token": refreshToken}
	if a.o.Fault == "mac" {
		m["token_type"] = "mac"
	}
	if a.o.Lifetime > 0 {
		m["expires_in"] = a.o.Lifetime.Seconds()
	}
	if a.o.Form {
		form := url.Values{}
		for name, value := range m {
			form.Set(name, fmt.Sprint(value))
		}
		w.Header().Set("Content-Type", "application/x-www-form-urlencoded")
		_, _ = io.WriteString(w, form.Encode())
		return
	}
	reply(w, http.StatusOK, m)
}

// redeem returns the grant of a request for tokens, or the code of an error.
func (a *Auth) redeem(r *http.Request) (g *grant, problem string) {
	id, secret := r.Form.Get("client_id"), r.Form.Get("client_secret")
	if a.o.Basic {
		if id, secret, _ = r.BasicAuth(); r.Form.Has("client_secret") {
			return nil, "invalid_client"
		}
	}
	if want, ok := a.clients[id]; !ok || secret != want {
		return nil, "invalid_client"
	}
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		a.log = append(a.log, "code")
		g = a.codes[r.Form.Get("code")]
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		if g != nil && (base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge || g.redirect != r.Form.Get("redirect_uri")) {
			return nil, "invalid_request"
		}
	case "refresh_token":
		a.log = append(a.log, "refresh")
		g = a.refresh[r.Form.Get("refresh_token")]
	default:
		return nil, "unsupported_grant_type"
	}
	switch {
	case g == nil || g.client != id:
		return nil, "invalid_grant"
	case g.isUsed:
		a.log = append(a.log, "reuse")
		return nil, "invalid_grant"
	case g.resource != r.Form.Get("resource"):
		return nil, "invalid_target"
	}
	g.isUsed = true
	return g, ""
}

// issue returns new tokens. The caller holds a.mu.
func (a *Auth) issue(g *grant) (accessToken, refreshToken string) {
	next := *g
	next.isUsed = false
	accessToken, refreshToken = a.name("secret-access"), a.name("secret-refresh")
	a.refresh[refreshToken] = &next
	one := access{resource: g.resource}
	if a.o.Fault == "audience" {
		one.resource = "https://other.example/mcp"
	}
	if a.o.Lifetime > 0 {
		one.expires = time.Now().Add(a.o.Lifetime)
	}
	a.access[accessToken] = one
	return accessToken, refreshToken
}

// verify checks a token for the MCP server.
func (a *Auth) verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one, ok := a.access[token]
	if !ok || one.resource != a.URL && one.resource != a.Issuer {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{Scopes: a.o.Scopes, Expiration: one.expires}, nil
}

// name returns a name that was not used before. The caller holds a.mu.
func (a *Auth) name(kind string) string {
	a.next++
	return fmt.Sprintf("%s-%d", kind, a.next)
}

func (a *Auth) options() AuthOptions {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.o
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have gone
}
