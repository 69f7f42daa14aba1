package oauth

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReadChallenge(t *testing.T) {
	t.Parallel()
	const at = "https://x.example/meta"
	for header, want := range map[string]hints{
		``:                                      {},
		`Bearer`:                                {},
		`Bearer resource_metadata="` + at + `"`: {Metadata: at},
		`bearer realm="a, b", Resource_Metadata="` + at + `", scope="r  w"`:      {at, []string{"r", "w"}},
		`Basic realm="x", Bearer scope=r, resource_metadata=` + at:               {at, []string{"r"}},
		`Basic resource_metadata="` + at + `"`:                                   {},
		`Bearer resource_metadata="` + at:                                        {},
		`Bearer resource_metadata="` + at + `" x`:                                {},
		`Bearer scope="a` + "\x01" + ` b\"c ü d"`:                                {Scopes: []string{"d"}},
		`Bearer scope="` + strings.Repeat("s ", 500) + `"`:                       {Scopes: slices.Repeat([]string{"s"}, 100)},
		`Bearer resource_metadata="https://x/` + strings.Repeat("y", 5000) + `"`: {},
	} {
		if got := readChallenge([]string{header}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ngot  %+v\nwant %+v", header, got, want)
		}
	}
	if got := readChallenge([]string{`Bearer "`, `Bearer resource_metadata="` + at + `"`}); got.Metadata != at {
		t.Errorf("after an invalid one: %+v", got)
	}
}

func FuzzReadChallenge(f *testing.F) {
	f.Add(`Bearer realm="a, b", resource_metadata="https://x.example", scope="r w"`)
	f.Add(`Basic abc==, Bearer scope=r`)
	f.Add(`Bearer a="\"`)
	f.Fuzz(func(t *testing.T, header string) {
		h := readChallenge([]string{header})
		if len(h.Metadata) > len(header) || len(h.Scopes) > 100 {
			t.Errorf("%q: %+v", header, h)
		}
		for _, scope := range h.Scopes {
			if !isToken(scope) {
				t.Errorf("%q: scope %q", header, scope)
			}
		}
	})
}

func TestParseTokens(t *testing.T) {
	t.Parallel()
	const century = 100 * 365 * 24 * time.Hour
	for body, want := range map[string]*tokens{
		`{"access_token":"a"}`: {Access: "a", Type: "Bearer"},
		`{"access_token":"a","token_type":"bearer","expires_in":3600,"refresh_token":"r","scope":"x y"}`: {"a", "bearer", "r", "x y", time.Hour},
		`{"access_token":"a","expires_in":"60","other":{"expires_in":1},"list":[1]}`:                     {"a", "Bearer", "", "", time.Minute},
		`{"access_token":"a","expires_in":1e300}`:                                                        {"a", "Bearer", "", "", century},
		`{"access_token":"a","expires_in":-5}`:                                                           {Access: "a", Type: "Bearer"},
		`{"access_token":"a","expires_in":"NaN"}`:                                                        {Access: "a", Type: "Bearer"},
		`{"access_token":"a","expires_in":null,"refresh_token":null}`:                                    {Access: "a", Type: "Bearer"},
		` access_token=a%2Fb&token_type=bearer&expires_in=60`:                                            {"a/b", "bearer", "", "", time.Minute},
		`access_token=a&x=%zz`:                                                                           {Access: "a", Type: "Bearer"},
	} {
		if got, err := parseTokens(http.StatusOK, []byte(body)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ngot  %+v, %v\nwant %+v", body, got, err, want)
		}
	}
	for body, want := range map[string]string{
		``:                           "sends no token",
		`null`:                       "sends no token",
		`{"access_token":"a`:         "sends no token",
		`{"access_token":"a b"}`:     "sends no token",
		`{"access_token":"a\nX: y"}`: "sends no token",
		`{"access_token":"a","refresh_token":"\u0000"}`: "sends no token",
		`{"access_token":"a","token_type":"DPoP"}`:      `of the type "DPoP"`,
		`{"error":"bad_code","access_token":"a"}`:       "refuses: bad_code",
		`error=bad_code&error_description=no%0Away`:     "refuses: bad_code (no way)",
	} {
		if got, err := parseTokens(http.StatusOK, []byte(body)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v, want %q", body, got, err, want)
		}
	}
	if _, err := parseTokens(http.StatusFound, []byte(`{"access_token":"a"}`)); err == nil {
		t.Error("a redirect has a token")
	}
}

func FuzzParseTokens(f *testing.F) {
	f.Add(200, []byte(`{"access_token":"a","expires_in":3600,"refresh_token":"r"}`))
	f.Add(200, []byte(`access_token=a&expires_in=60`))
	f.Add(400, []byte("{\"error\":\"x\\u001b[2J\"}"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		got, err := parseTokens(status, body)
		switch {
		case err != nil && (got != nil || strings.ContainsAny(err.Error(), "\x1b\r\n\u202e") || len(err.Error()) > 1000):
			t.Errorf("error %q with %+v", err, got)
		case err == nil && (!isToken(got.Access) || got.Refresh != "" && !isToken(got.Refresh) || got.Lifetime < 0):
			t.Errorf("tokens %+v", got)
		}
	})
}

// Where authorization servers have their metadata, in the order of the specification.
func TestMetadataURLs(t *testing.T) {
	t.Parallel()
	for issuer, want := range map[string][]string{
		"https://a.example":      {"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"},
		"https://A.example:443/": {"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"},
		"https://a.example/t/1": {
			"/.well-known/oauth-authorization-server/t/1", "/.well-known/openid-configuration/t/1", "/t/1/.well-known/openid-configuration",
			"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration",
		},
	} {
		u, err := url.Parse(issuer)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, address := range metadataURLs(u) {
			got = append(got, strings.TrimPrefix(address, "https://a.example"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", issuer, got, want)
		}
	}
}

// Secrets go to https addresses and to this machine, and a server elsewhere cannot name this machine.
func TestCheckFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server, address string
		want            bool
	}{
		{"https://x.example/mcp", "https://auth.example/token", true},
		{"https://x.example/mcp", "https://10.0.0.1/token", true},
		{"https://x.example/mcp", "http://auth.example/token", false},
		{"https://x.example/mcp", "http://localhost/token", false},
		{"https://x.example/mcp", "https://127.0.0.1/token", false},
		{"https://x.example/mcp", "https://[::1]/token", false},
		{"http://127.0.0.1:1/mcp", "http://localhost:2/token", true},
		{"http://127.0.0.1:1/mcp", "http://[::ffff:127.0.0.1]/token", true},
		{"https://x.example/mcp", "javascript:alert(1)", false},
		{"https://x.example/mcp", "file:///etc/passwd", false},
		{"https://x.example/mcp", "https://a@auth.example/", false},
		{"https://x.example/mcp", "https://auth.example/\u202e", false},
		{"https://x.example/mcp", "https://auth.example/ x", false},
		{"https://x.example/mcp", "//auth.example", false},
		{"https://x.example/mcp", "", false},
	} {
		s := New("x", c.server, Config{}, Options{})
		if err := s.checkFound("the URL", c.address); (err == nil) != c.want {
			t.Errorf("%s at %s: %v", c.address, c.server, err)
		}
	}
}

// Errors contain no password of an address.
func TestCheckURLHidesPassword(t *testing.T) {
	t.Parallel()
	if _, err := checkURL("its URL", "https://me:hunter2@x.example/"); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
}

// A token is refreshed five minutes before its end, or in the second half of a short life.
func TestIsFresh(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, c := range []struct {
		updated, expires time.Time
		want             bool
	}{
		{now, time.Time{}, true},
		{time.Time{}, now.Add(6 * time.Minute), true},
		{time.Time{}, now.Add(4 * time.Minute), false},
		{now.Add(-time.Hour), now.Add(6 * time.Minute), true},
		{now.Add(-time.Hour), now.Add(4 * time.Minute), false},
		{now, now.Add(time.Minute), true},
		{now.Add(-40 * time.Second), now.Add(20 * time.Second), false},
		{now, now.Add(-time.Second), false},
	} {
		if got := (&credential{Updated: c.updated, Expires: c.expires}).isFresh(now); got != c.want {
			t.Errorf("updated %v ago, expires in %v: %v", now.Sub(c.updated), c.expires.Sub(now), got)
		}
	}
}

// The settings name the scopes, else the server does. Refresh tokens have a scope of their own.
func TestScopes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ config, asked, ofResource, ofServer, want []string }{
		{want: nil},
		{ofResource: []string{"r"}, want: []string{"r"}},
		{ofResource: []string{"r"}, ofServer: []string{"r", "w"}, want: []string{"r"}},
		{asked: []string{"a"}, ofResource: []string{"r"}, ofServer: []string{"offline_access"}, want: []string{"a", "offline_access"}},
		{asked: []string{"offline_access"}, ofServer: []string{"offline_access"}, want: []string{"offline_access"}},
		{config: []string{"c"}, asked: []string{"a"}, ofServer: []string{"offline_access"}, want: []string{"c"}},
		{config: []string{}, asked: []string{"a"}, want: []string{}},
	} {
		s := New("x", "https://x.example", Config{Scopes: c.config}, Options{})
		if got := s.scopes(c.asked, c.ofResource, c.ofServer); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
