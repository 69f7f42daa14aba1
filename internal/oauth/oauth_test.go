package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pollux/internal/keychain"
	"pollux/internal/mcp/mcptest"
	"pollux/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// place is a machine with a person, and the messages that Pollux has shown.
type place struct {
	dir     string
	options Options
	page    string // the last page that the browser has shown

	mu    sync.Mutex
	shown []string
	now   time.Time
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{dir: t.TempDir(), now: time.Now()}
	p.options = Options{
		Store: p.store(),
		Open: func(ctx context.Context, url string) (err error) {
			p.page, err = mcptest.Browse(ctx, url)
			return err
		},
		Warn: p.note,
		Now: func() time.Time {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.now
		},
	}
	return p
}

// store returns a store as another process has it.
func (p *place) store() Store {
	return Store{
		File:     filepath.Join(p.dir, "mcp-oauth-tokens.json"),
		Keychain: keychain.Open(keychain.Options{File: filepath.Join(p.dir, "gemini-credentials.json"), FileOnly: true}),
	}
}

func (p *place) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = append(p.shown, text)
}

func (p *place) notes() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.shown, "\n")
}

// wait lets time pass.
func (p *place) wait(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

// agrees is a person that agrees, and notes the question.
func (p *place) agrees() Person {
	return Person{Notify: p.note, Ask: func(_ context.Context, c tool.Confirmation) (tool.Answer, error) {
		q := c.(*tool.QuestionConfirmation).Questions[0]
		p.note(q.Text)
		return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": q.Options[0].Label}}}, nil
	}}
}

func newAuth(t *testing.T, o mcptest.AuthOptions) *mcptest.Auth {
	t.Helper()
	a := mcptest.NewAuth(o)
	t.Cleanup(a.Close)
	return a
}

// token returns the token that a request would have.
func token(t *testing.T, s *Source) string {
	t.Helper()
	h := http.Header{}
	if err := s.Sign(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
}

// renew reports whether a source has another token than a refused one.
func renew(t *testing.T, s *Source, refused string) bool {
	t.Helper()
	renewed, err := s.Renew(t.Context(), http.Header{"Authorization": {"Bearer " + refused}})
	if err != nil {
		t.Fatal(err)
	}
	return renewed
}

// signIn signs in to the server of a, which is called x.
func signIn(t *testing.T, p *place, a *mcptest.Auth, c Config) *Source {
	t.Helper()
	s := New("x", a.URL, c, p.options)
	if err := s.Authorize(t.Context(), nil, p.agrees()); err != nil {
		t.Fatal(err)
	}
	return s
}

// A person signs in, and the next run has the token.
func TestAuthorize(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		auth   mcptest.AuthOptions
		config func(*mcptest.Auth) Config
		log    string
	}{
		"registers":   {mcptest.AuthOptions{Scopes: []string{"read", "write"}}, nil, "register authorize code"},
		"known":       {mcptest.AuthOptions{Closed: true}, func(*mcptest.Auth) Config { return Config{ClientID: "known"} }, "authorize code"},
		"form":        {mcptest.AuthOptions{Form: true, Lifetime: time.Hour}, nil, "register authorize code"},
		"secret":      {mcptest.AuthOptions{Basic: true}, nil, "register authorize code"},
		"root":        {mcptest.AuthOptions{Root: true}, nil, "register authorize code"},
		"own issuer":  {mcptest.AuthOptions{}, func(a *mcptest.Auth) Config { return Config{Issuer: a.Issuer + "/"} }, "register authorize code"},
		"audience":    {mcptest.AuthOptions{}, func(*mcptest.Auth) Config { return Config{Audiences: []string{"a", "b"}, Scopes: []string{"s"}} }, "register authorize code"},
		"no metadata": {mcptest.AuthOptions{Fault: "issuer"}, ownEndpoints, "authorize code"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, a := newPlace(t), newAuth(t, c.auth)
			var config Config
			if c.config != nil {
				config = c.config(a)
			}
			s := signIn(t, p, a, config)
			if got := token(t, s); !strings.HasPrefix(got, "secret-access-") || s.State() != SignedIn {
				t.Errorf("token %q, state %q", got, s.State())
			}
			if got := token(t, New("x", a.URL, config, p.options)); got != token(t, s) {
				t.Errorf("the next run has %q", got)
			}
			if got := strings.Join(a.Log(), " "); got != c.log {
				t.Errorf("log %q, want %q", got, c.log)
			}
			if !strings.Contains(p.page, "You can close this page") || !strings.Contains(p.notes(), "Sign in to MCP server x on this page: "+a.Issuer+"/authorize?") {
				t.Errorf("page %q, notes %q", p.page, p.notes())
			}
			if strings.Contains(p.notes(), "secret") {
				t.Errorf("notes contain a secret: %s", p.notes())
			}
			// A refresh needs the results of the sign-in.
			old := token(t, s)
			if !renew(t, s, old) || token(t, s) == old {
				t.Error("no new token")
			}
		})
	}
}

// TestUserAgent checks that all requests of a sign-in and of a refresh name Pollux.
func TestUserAgent(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{})
	agents := &agentNotes{}
	p.options.UserAgent = "Pollux/1"
	p.options.Transport = func() (http.RoundTripper, error) { return agents, nil }
	s := signIn(t, p, a, Config{})
	if !renew(t, s, token(t, s)) {
		t.Error("no new token")
	}
	if len(agents.of) < 5 || slices.ContainsFunc(agents.of, func(request string) bool { return !strings.HasSuffix(request, " Pollux/1") }) {
		t.Errorf("requests %q", agents.of)
	}
}

// agentNotes is a transport that notes the User-Agent of each request.
type agentNotes struct{ of []string }

// RoundTrip implements [http.RoundTripper].
func (n *agentNotes) RoundTrip(req *http.Request) (*http.Response, error) {
	n.of = append(n.of, req.URL.Path+" "+req.Header.Get("User-Agent"))
	return http.DefaultTransport.RoundTrip(req)
}

func ownEndpoints(a *mcptest.Auth) Config {
	return Config{ClientID: "known", AuthorizationURL: a.Issuer + "/authorize", TokenURL: a.Issuer + "/token"}
}

// A sign-in with a server that is wrong in some way fails, and stores nothing.
func TestAuthorizeRefuses(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"issuer":   `its authorization server has the wrong issuer: "https://other.example", not "ISSUER"`,
		"resource": `its metadata is for another server: "https://other.example/mcp", not "ISSUER/mcp"`,
		"iss":      `the response is from the wrong issuer: "https://other.example", not "ISSUER"`,
		"no iss":   "the response does not name its issuer, as the authorization server says that it does",
		"plain":    "its authorization server does not support PKCE with S256",
		"http":     `the URL of the sign-in page is not an https URL: "http://other.example/authorize"`,
		"mac":      `the authorization server sends a token of the type "mac", not Bearer`,
		"huge":     "HOST sent more than 1 MiB",
		"redirect": "the authorization server answers a request for tokens with status 307",
		"broken":   "the authorization server answers a request for tokens with status 500",
		"denied":   "the authorization server refuses: access_denied (no Pollux: signed in\\u202e" + strings.Repeat("x", 200-len(`no Pollux: signed in\u202e`)) + "…)",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{Fault: fault})
			s := New("x", a.URL, Config{}, p.options)
			err := s.Authorize(t.Context(), nil, p.agrees())
			want := strings.NewReplacer("ISSUER", a.Issuer, "HOST", strings.TrimPrefix(a.Issuer, "http://")).Replace(want)
			if err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if got := token(t, s); got != "" {
				t.Errorf("token %q", got)
			}
			if files, _ := os.ReadDir(p.dir); len(files) > 0 {
				t.Errorf("files: %v", files)
			}
		})
	}
}

// A response with another state is refused, and the right one is still accepted, once.
func TestCallbackState(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{Fault: "state"})
	var pages []string
	p.options.Open = func(ctx context.Context, url string) error {
		for _, fault := range []string{"state", "", ""} {
			a.Set(func(o *mcptest.AuthOptions) { o.Fault = fault })
			page, err := mcptest.Browse(ctx, url)
			if err != nil {
				return err
			}
			pages = append(pages, strings.TrimSpace(page))
		}
		return nil
	}
	signIn(t, p, a, Config{})
	if want := []string{
		"This response belongs to another sign-in. Pollux does not accept it.", "Pollux has got the response. You can close this page.",
		"Pollux has got a response before.",
	}; !slices.Equal(pages, want) {
		t.Errorf("pages %q, want %q", pages, want)
	}
	if got := a.Count("code"); got != 1 {
		t.Errorf("%d requests with a code", got)
	}
	a.Set(func(o *mcptest.AuthOptions) { o.Fault = "state" })
	ctx, cancel := context.WithCancel(t.Context())
	p.options.Open = func(ctx context.Context, url string) error {
		_, err := mcptest.Browse(ctx, url)
		cancel()
		return err
	}
	if err := New("y", a.URL, Config{}, p.options).Authorize(ctx, nil, p.agrees()); !errors.Is(err, context.Canceled) {
		t.Errorf("wrong state: %v", err)
	}
}

// mark is the mark of a port.
type mark struct {
	port     int
	isClosed bool
}

func (m *mark) Close() error {
	m.isClosed = true
	return nil
}

// TestCallbackMark checks that the port for the browser is marked while the sign-in lasts, and before the browser has its number.
func TestCallbackMark(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{})
	var marked []*mark
	p.options.Mark = func(port int) (io.Closer, error) {
		marked = append(marked, &mark{port: port})
		return marked[len(marked)-1], nil
	}
	p.options.Open = func(ctx context.Context, page string) error {
		u, err := url.Parse(page)
		if err != nil {
			return err
		}
		back, err := url.Parse(u.Query().Get("redirect_uri"))
		if err != nil || len(marked) != 1 || strconv.Itoa(marked[0].port) != back.Port() || marked[0].isClosed {
			t.Errorf("the browser is to return to %s, %v; marked: %+v", back, err, marked)
		}
		_, err = mcptest.Browse(ctx, page)
		return err
	}
	signIn(t, p, a, Config{})
	if !marked[0].isClosed {
		t.Error("the mark stays")
	}
	p.options.Mark = func(port int) (io.Closer, error) {
		p.options.CallbackPort = strconv.Itoa(port)
		return nil, errors.New("no marks")
	}
	if err := New("y", a.URL, Config{}, p.options).Authorize(t.Context(), nil, p.agrees()); err == nil || !strings.Contains(err.Error(), "cannot wait for the browser: no marks") {
		t.Errorf("without a mark: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+p.options.CallbackPort)
	if err != nil {
		t.Fatalf("the port is still in use: %v", err)
	}
	_ = l.Close()
}

// A code that was used before is refused.
func TestReplayedCode(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{})
	s := signIn(t, p, a, ownEndpoints(a))
	form := map[string][]string{"grant_type": {"authorization_code"}, "code": {"code-1"}, "resource": {a.URL}}
	if _, err := s.exchange(t.Context(), a.Issuer+"/token", identity{ID: "known"}, form); err == nil || !strings.Contains(err.Error(), "refuses") {
		t.Errorf("replay: %v", err)
	}
}

// Nothing happens unless a person agrees.
func TestConsent(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{Scopes: []string{"read"}})
	s := New("x", a.URL, Config{}, p.options)
	if err := s.Authorize(t.Context(), nil, Person{}); err != ErrNoPerson {
		t.Errorf("no person: %v", err)
	}
	declines := Person{Notify: p.note, Ask: func(_ context.Context, c tool.Confirmation) (tool.Answer, error) {
		p.note(c.(*tool.QuestionConfirmation).Questions[0].Text)
		return tool.Answer{Outcome: tool.Cancel}, nil
	}}
	if err := s.Authorize(t.Context(), nil, declines); err != ErrDeclined {
		t.Errorf("declined: %v", err)
	}
	want := `MCP server "x" at ` + a.URL + " wants you to sign in.\nThe sign-in page is at " + a.Issuer + ".\nIt will ask you to allow: read"
	if p.notes() != want || len(a.Log()) > 0 {
		t.Errorf("question %q, log %q", p.notes(), a.Log())
	}
}

// A token is refreshed before it expires, once for all requests.
func TestRefresh(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{Lifetime: time.Hour})
	s := signIn(t, p, a, Config{})
	first := token(t, s)
	p.wait(54 * time.Minute)
	if got := token(t, s); got != first {
		t.Errorf("after 54 minutes: %q", got)
	}
	p.wait(2 * time.Minute)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := token(t, s); got == first {
				t.Errorf("after 56 minutes: %q", got)
			}
		})
	}
	wg.Wait()
	if got := a.Count("refresh"); got != 1 {
		t.Errorf("%d refreshes", got)
	}
}

// Two processes do not use the same refresh token.
func TestRefreshOfTwo(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{Lifetime: time.Hour})
	first := signIn(t, p, a, Config{})
	old := token(t, first)
	list := []*Source{first}
	for range 3 {
		o := p.options
		o.Store = p.store()
		other := New("x", a.URL, Config{}, o)
		token(t, other) // as it is now
		list = append(list, other)
	}
	p.wait(58 * time.Minute)
	var wg sync.WaitGroup
	got := make([]string, len(list))
	for i, s := range list {
		wg.Go(func() { got[i] = token(t, s) })
	}
	wg.Wait()
	if a.Count("refresh") != 1 || a.Count("reuse") != 0 || got[0] == old || len(slices.Compact(got)) != 1 {
		t.Errorf("tokens %q, log %q", got, a.Log())
	}
}

// A token that the server refuses is refreshed once; a sign-in that is over is removed.
func TestRenew(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{})
	s := signIn(t, p, a, Config{})
	old := token(t, s)
	for range 2 {
		if !renew(t, s, old) || a.Count("refresh") != 1 {
			t.Errorf("log %q", a.Log())
		}
	}
	a.Revoke(true)
	if renew(t, s, token(t, s)) || token(t, s) != "" || s.State() != SignedOut {
		t.Errorf("over: %q", s.State())
	}
	if got := token(t, New("x", a.URL, Config{}, p.options)); got != "" {
		t.Errorf("the next run has %q", got)
	}
}

// A sign-in of another process is used when the server asks for one.
func TestSignInElsewhere(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{})
	s := New("x", a.URL, Config{}, p.options)
	if got := token(t, s); got != "" {
		t.Fatalf("token %q", got)
	}
	other := signIn(t, p, a, Config{})
	if renewed, err := s.Renew(t.Context(), http.Header{}); !renewed || err != nil || token(t, s) != token(t, other) {
		t.Errorf("renewed: %v, %v", renewed, err)
	}
}

// While the authorization server is down, a token is used until it expires. Then the error has the
// reason, and the sign-in stays.
func TestRefreshFails(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{Lifetime: time.Hour})
	s := signIn(t, p, a, Config{})
	a.Set(func(o *mcptest.AuthOptions) { o.Fault = "broken" })
	p.wait(56 * time.Minute)
	if token(t, s) == "" {
		t.Error("no token, although it is valid")
	}
	p.wait(5 * time.Minute)
	for range 2 {
		err := s.Sign(t.Context(), http.Header{})
		if want := "cannot refresh the sign-in: the authorization server answers a request for tokens with status 500"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	a.Set(func(o *mcptest.AuthOptions) { o.Fault = "" })
	p.wait(time.Minute)
	if token(t, s) == "" || s.State() != SignedIn {
		t.Error("no token after the failure")
	}
}

// A refresh goes on when the request that needs it is cancelled.
func TestRefreshOutlivesRequest(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{Lifetime: time.Hour})
	s := signIn(t, p, a, Config{})
	old := token(t, s)
	unlock, err := p.options.Store.lock(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	p.wait(58 * time.Minute)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Sign(ctx, http.Header{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled: %v", err)
	}
	unlock()
	if got := token(t, s); got == old || a.Count("refresh") != 1 {
		t.Errorf("token %q, log %q", got, a.Log())
	}
}

// geminiFile writes the file of Gemini CLI with a sign-in to x.
func geminiFile(t *testing.T, p *place, url, tokenURL, access, refresh string, expires time.Time) string {
	t.Helper()
	text, err := json.MarshalIndent([]any{
		map[string]any{"serverName": "other", "token": map[string]any{"accessToken": "o"}, "future": []int{1}},
		map[string]any{
			"serverName": "x", "clientId": "known", "tokenUrl": tokenURL, "mcpServerUrl": url, "updatedAt": 1.0, "extra": "kept",
			"token": map[string]any{"accessToken": access, "tokenType": "Bearer", "refreshToken": refresh, "expiresAt": expires.UnixMilli(), "id": 7},
		},
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(p.dir, "mcp-oauth-tokens.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A user of Gemini CLI is signed in already. The new tokens are where Gemini CLI finds them.
func TestGeminiFile(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{Lifetime: time.Hour})
	access, refresh := a.Grant()
	path := geminiFile(t, p, a.URL+"?a=1", a.Issuer+"/token", access, refresh, p.now.Add(time.Minute))
	s := New("x", a.URL, Config{}, p.options)
	got := token(t, s)
	if got == access || got == "" || a.Count("refresh") != 1 {
		t.Fatalf("token %q, log %q", got, a.Log())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]any
	if err := json.Unmarshal(data, &list); err != nil || len(list) != 2 {
		t.Fatalf("%v: %s", err, data)
	}
	kept := list[1]["token"].(map[string]any)
	if kept["accessToken"] != got || kept["refreshToken"] == refresh || kept["id"] != 7.0 || list[1]["extra"] != "kept" || list[0]["future"] == nil {
		t.Errorf("file: %s", data)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode: %v, %v", info.Mode(), err)
	}
	files, _ := filepath.Glob(filepath.Join(p.dir, "*"))
	if !slices.Equal(files, []string{path}) {
		t.Errorf("files: %v", files)
	}
	// A new sign-in is in the file too, and signing out leaves the other entry.
	signIn(t, p, a, Config{})
	if files, _ = filepath.Glob(filepath.Join(p.dir, "*")); !slices.Equal(files, []string{path}) {
		t.Errorf("files after a sign-in: %v", files)
	}
	if err := s.SignOut(t.Context()); err != nil {
		t.Fatal(err)
	}
	data, _ = os.ReadFile(path)
	if token(t, s) != "" || strings.Contains(string(data), `"x"`) || !strings.Contains(string(data), `"other"`) {
		t.Errorf("after signing out: %s", data)
	}
}

// Gemini CLI may refresh without the lock: its new token is used.
func TestGeminiRefreshes(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{Lifetime: time.Hour})
	access, refresh := a.Grant()
	geminiFile(t, p, a.URL, a.Issuer+"/token", access, refresh, p.now.Add(time.Hour))
	s := New("x", a.URL, Config{}, p.options)
	if got := token(t, s); got != access {
		t.Fatalf("token %q", got)
	}
	newAccess, newRefresh := a.Grant()
	geminiFile(t, p, a.URL, a.Issuer+"/token", newAccess, newRefresh, p.now.Add(2*time.Hour))
	p.wait(58 * time.Minute)
	if got := token(t, s); got != newAccess || a.Count("refresh") != 0 {
		t.Errorf("token %q, log %q", got, a.Log())
	}
}

// A server does not get the tokens of another one by taking its name.
func TestOtherServer(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{})
	s := signIn(t, p, a, Config{})
	for _, url := range []string{
		"https://evil.example/mcp", a.Issuer + "/other", strings.Replace(a.URL, "127.0.0.1", "localhost", 1), a.URL + "/..", "https://" + strings.TrimPrefix(a.URL, "http://"),
	} {
		if got := token(t, New("x", url, Config{TokenURL: "https://evil.example/token"}, p.options)); got != "" {
			t.Errorf("%s gets %q", url, got)
		}
	}
	if got := token(t, New("x", a.URL+"/?q", Config{TokenURL: "https://evil.example/token"}, p.options)); got != token(t, s) {
		t.Errorf("the server itself gets %q", got)
	}
}

// With GEMINI_FORCE_ENCRYPTED_FILE_STORAGE, the file is neither read nor written.
func TestKeychainOnly(t *testing.T) {
	t.Parallel()
	p, a := newPlace(t), newAuth(t, mcptest.AuthOptions{})
	access, refresh := a.Grant()
	path := geminiFile(t, p, a.URL, a.Issuer+"/token", access, refresh, p.now.Add(time.Hour))
	before, _ := os.ReadFile(path)
	p.options.Store.KeychainOnly = true
	if got := token(t, New("x", a.URL, Config{}, p.options)); got != "" {
		t.Errorf("token %q", got)
	}
	s := signIn(t, p, a, Config{})
	if got := token(t, New("x", a.URL, Config{}, p.options)); got != token(t, s) {
		t.Errorf("the next run has %q", got)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Errorf("the file is different: %s", after)
	}
}

// A file that cannot be read is not overwritten.
func TestBrokenFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path := filepath.Join(p.dir, "mcp-oauth-tokens.json")
	if err := os.WriteFile(path, []byte(`{"secret-token`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := New("x", "https://x.example/mcp", Config{}, p.options)
	token(t, s)
	if got := token(t, s); got != "" {
		t.Errorf("token %q", got)
	}
	if got, want := p.notes(), `Cannot read the sign-in to MCP server "x": cannot read `+path+": it is not a JSON array."; got != want {
		t.Errorf("notes %q, want %q", got, want)
	}
	if err := s.SignOut(t.Context()); err == nil {
		t.Error("signed out")
	}
	if data, _ := os.ReadFile(path); string(data) != `{"secret-token` {
		t.Errorf("file: %s", data)
	}
}
