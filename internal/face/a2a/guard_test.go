package a2a

import (
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/exit"
)

// TestBrowsers checks that pages in browsers do not reach a server without a token, whatever they name it.
func TestBrowsers(t *testing.T) {
	t.Parallel()
	a := start(t, setup{})
	u, err := url.Parse(a.url)
	if err != nil {
		t.Fatal(err)
	}
	port := u.Port()
	for _, tt := range []struct {
		name, value string
		want        int
	}{
		{"Host", "localhost:" + port, 200},
		{"Host", "LOCALHOST:" + port, 200},
		{"Host", "127.0.0.1:" + port, 200},
		{"Host", "[::1]:" + port, 200},
		{"Host", "localhost", 403},
		{"Host", "localhost:1", 403},
		{"Host", "localhost.evil.example:" + port, 403},
		{"Host", "evil.example:" + port, 403},
		{"Origin", "https://evil.example", 403},
		{"Origin", "null", 403},
		{"Origin", "http://localhost:" + port, 403},
		{"Sec-Fetch-Site", "cross-site", 403},
	} {
		for _, path := range []string{"/listCommands", "/.well-known/agent-card.json"} {
			resp := a.open(t.Context(), http.MethodGet, path, "", func(r *http.Request) {
				if tt.name == "Host" {
					r.Host = tt.value
				} else {
					r.Header.Set(tt.name, tt.value)
				}
			})
			resp.Body.Close()
			if resp.StatusCode != tt.want || resp.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s %s %s: status %d, want %d", path, tt.name, tt.value, resp.StatusCode, tt.want)
			}
		}
	}
}

// TestToken checks that a server with a token answers only those who have it, but for the card, which names the way to authenticate.
func TestToken(t *testing.T) {
	t.Parallel()
	const token = "0123456789abcdef-secret"
	a := start(t, setup{options: func(o *Options) { o.Token = token }})
	for header, want := range map[string]int{
		"Bearer " + token: 200, "bearer " + token: 200, "": 401, "Bearer": 401, "Bearer ": 401, "Basic " + token: 401, token: 401,
		"Bearer " + token + "x": 401, "Bearer " + token[:20]: 401, "Bearer cli-a2a": 401,
	} {
		for _, path := range []string{"/listCommands", "/tasks/x/metadata", "/nothing"} {
			resp := a.open(t.Context(), http.MethodGet, path, "", func(r *http.Request) { r.Header.Set("Authorization", header) })
			resp.Body.Close()
			isIn := resp.StatusCode != http.StatusUnauthorized
			if isIn != (want == 200) || !isIn && !strings.HasPrefix(resp.Header.Get("WWW-Authenticate"), "Bearer ") {
				t.Errorf("%s with %q: status %d", path, header, resp.StatusCode)
			}
		}
	}
	resp := a.open(t.Context(), http.MethodGet, "/.well-known/agent-card.json", "", func(r *http.Request) { r.Header.Del("Authorization") })
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || !strings.Contains(string(text), `"securitySchemes":{"bearer":{"scheme":"bearer","type":"http"}},"security":[{"bearer":[]}]`) || strings.Contains(string(text), token) {
		t.Errorf("the card: %d %s, %v", resp.StatusCode, text, err)
	}
	if err := a.stop(); err != nil || strings.Contains(a.log.String(), "secret") {
		t.Errorf("the log has the token: %s, %v", a.log, err)
	}
}

// TestOtherAddresses checks that a server which others reach has a token that they cannot guess.
func TestOtherAddresses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ host, token, want string }{
		{"0.0.0.0", "", "Cannot listen on 0.0.0.0 without a token. Set POLLUX_A2A_TOKEN"},
		{"::", "", "without a token"},
		{"myhost", "", "without a token"},
		{"0.0.0.0", "short", "too short"},
	} {
		err := Serve(t.Context(), Options{Host: tt.host, Token: tt.token, Out: io.Discard, Log: slog.New(slog.DiscardHandler)})
		if err == nil || !strings.Contains(err.Error(), tt.want) || exit.CodeOf(err) != exit.Input {
			t.Errorf("%s: %v", tt.host, err)
		}
	}
	for _, host := range []string{"", "127.0.0.1", "localhost", "::1"} {
		if err := (&Options{Host: host}).check(); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// TestBodies checks which bodies are read.
func TestBodies(t *testing.T) {
	t.Parallel()
	a := start(t, setup{})
	for _, path := range []string{"/", "/tasks", "/executeCommand"} {
		for kind, want := range map[string]int{"text/plain": 415, "": 415, "application/x-www-form-urlencoded": 415, "multipart/form-data; boundary=x": 415} {
			resp := a.open(t.Context(), http.MethodPost, path, "{}", func(r *http.Request) { r.Header["Content-Type"] = []string{kind} })
			resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("%s %q: status %d", path, kind, resp.StatusCode)
			}
		}
		if status, text := a.do(http.MethodPost, path, `"`+strings.Repeat("x", maxBody)+`"`); status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: status %d for a body that is too large: %s", path, status, text)
		}
	}
}

// TestWorkspaces checks in which directories tasks may be.
func TestWorkspaces(t *testing.T) {
	t.Parallel()
	a := start(t, setup{})
	for _, dir := range []string{"outside", "home2"} {
		a.write(filepath.Join(a.root, dir, "keep"), "")
	}
	a.write(filepath.Join(a.home, "other", "keep"), "")
	for name, target := range map[string]string{"link": filepath.Join(a.root, "outside"), "inner": filepath.Join(a.home, "other")} {
		if err := os.Symlink(target, filepath.Join(a.home, name)); err != nil {
			t.Fatal(err)
		}
	}
	s := &server{Options: Options{Dir: a.dir, Root: a.home}}
	for dir, want := range map[string]string{
		"":                            a.dir,
		a.home:                        a.home,
		a.home + "/other":             a.home + "/other",
		a.home + "/inner":             a.home + "/other",
		a.home + "/work/../other":     a.home + "/other",
		a.root + "/outside":           "",
		a.root:                        "",
		a.root + "/home2":             "", // only its beginning is that of the root
		a.home + "/link":              "",
		a.home + "/../outside":        "",
		a.home + "/work/keep":         "",
		a.home + "/none":              "",
		"work":                        "",
		"/":                           "",
		a.home + "/link/../../../etc": "",
	} {
		_, set, problem := parseNewTask(t, dir)
		if problem != "" {
			t.Fatal(problem)
		}
		got, err := s.workspace(set)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %s, %v", dir, got, err)
		}
	}
	s.IsFixed = true
	_, set, _ := parseNewTask(t, a.home+"/other")
	if got, err := s.workspace(set); got != a.dir || err != nil {
		t.Errorf("a fixed directory: %s, %v", got, err)
	}
	status, text := a.do(http.MethodPost, "/tasks", `{"agentSettings":{"kind":"agent-settings","workspacePath":"/etc"}}`)
	if status != http.StatusBadRequest || !strings.Contains(text, "The workspace /etc is outside of the directory that CODER_AGENT_ALLOWED_ROOT allows.") {
		t.Errorf("%d %s", status, text)
	}
	p := messageTo("", "Go")
	p["message"].(map[string]any)["metadata"] = map[string]any{"coderAgent": map[string]any{"kind": "agent-settings", "workspacePath": "/etc"}}
	if _, failure := a.rpc("message/stream", p); failure == nil || failure.Code != -32602 || !strings.Contains(failure.Message, "outside of the directory") {
		t.Errorf("%+v", failure)
	}
	if status, _ := a.do(http.MethodGet, "/tasks/metadata", ""); status != http.StatusNoContent {
		t.Errorf("a refused task stays: %d", status)
	}
}
