package release

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestNotice(t *testing.T) {
	t.Parallel()
	const page = "https://example.com/pollux"
	for _, tt := range []struct{ newest, current, want string }{
		{"1.3.0", "1.2.0", "Pollux 1.3.0 is available. You use 1.2.0. See " + page},
		{"v1.10.0", "v1.9.2", "Pollux 1.10.0 is available. You use 1.9.2. See " + page},
		{"1.2.0", "1.2.0", ""},
		{"1.2.0", "1.2.0-rc.1", "Pollux 1.2.0 is available. You use 1.2.0-rc.1. See " + page},
		{"1.1.9", "1.2.0", ""},
		{"1.3.0-rc.1", "1.2.0", ""},
		{"1.3.0-rc.2", "1.3.0-rc.1", "Pollux 1.3.0-rc.2 is available. You use 1.3.0-rc.1. See " + page},
		{"", "1.2.0", ""},
	} {
		if got := notice(release{tt.newest, page}, tt.current); got != tt.want {
			t.Errorf("%s over %s: %q", tt.newest, tt.current, got)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("1", maxField)
	for body, want := range map[string]release{
		`{"version": "1.3.0", "url": "https://example.com/1.3.0"}`:                                                 {"1.3.0", "https://example.com/1.3.0"},
		`{"name": "pollux", "version": "1.3.0"}`:                                                                   {"1.3.0", ""},
		`{"tag_name": "v1.3.0", "url": "https://api.example.com/releases/1", "html_url": "https://example.com/r"}`: {"v1.3.0", "https://example.com/r"},
		`{"tag_name": "v1.3.0", "_links": {"self": "https://example.com/s"}}`:                                      {"v1.3.0", "https://example.com/s"},
		`{"version": "1.3.0", "url": "http://example.com"}`:                                                        {"1.3.0", ""},
		`{"version": "1.3.0", "url": "https://example.com/a b"}`:                                                   {"1.3.0", ""},
		`{"version": "1.3.0", "url": "javascript:alert(1)"}`:                                                       {"1.3.0", ""},
		`{"version": "1.3.0", "url": "https://` + long + `"}`:                                                      {"1.3.0", ""},
		`{"version": "1.` + long + `.0"}`:                                                                          {},
		`{"version": "newest"}`:                                                                                    {},
		`{"version": "1.3.0\u001b[2J"}`:                                                                            {},
		`{"version": 1}`:                                                                                           {},
		`{}`:                                                                                                       {},
		`[]`:                                                                                                       {},
		`<html>`:                                                                                                   {},
	} {
		if got, err := parse([]byte(body)); got != want || (err != nil) != (want == release{}) {
			t.Errorf("%s: %v, %v", body, got, err)
		}
	}
}

// server answers requests for the newest release, and counts them.
type server struct {
	*httptest.Server
	version  string
	status   int
	requests []*http.Request
}

func serve(t *testing.T, version string) *server {
	s := &server{version: version}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests = append(s.requests, r)
		etag := `"` + s.version + `"`
		w.Header().Set("ETag", etag)
		switch {
		case s.status != 0:
			w.Header().Set("Location", "/other")
			w.WriteHeader(s.status)
		case r.Header.Get("If-None-Match") == etag:
			w.WriteHeader(http.StatusNotModified)
		default:
			_ = json.NewEncoder(w).Encode(map[string]string{"version": s.version})
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func newFeed(t *testing.T, s *server) *feed {
	return &feed{
		address: s.URL + "/latest.json", file: filepath.Join(t.TempDir(), "pollux", "release.json"), version: "1.0.0", now: time.Now(),
		transport: func() (http.RoundTripper, error) { return &http.Transport{}, nil },
	}
}

// see checks the release that the feed returns, and the number of requests by then.
func (f *feed) see(t *testing.T, s *server, version string, requests int, fails bool) {
	t.Helper()
	got, err := f.newest(t.Context())
	if got.Version != version || (err != nil) != fails || len(s.requests) != requests {
		t.Errorf("%q after %d requests (%v), want %q after %d", got.Version, len(s.requests), err, version, requests)
	}
}

func TestNewest(t *testing.T) {
	t.Parallel()
	s := serve(t, "1.1.0")
	f := newFeed(t, s)
	f.see(t, s, "1.1.0", 1, false)
	f.see(t, s, "1.1.0", 1, false)
	if got := s.requests[0].Header.Get("User-Agent"); got != "pollux/1.0.0" {
		t.Errorf("the program is %q", got)
	}

	s.version = "1.2.0"
	f.now = f.now.Add(interval - time.Second)
	f.see(t, s, "1.1.0", 1, false)
	f.now = f.now.Add(2 * time.Second)
	f.see(t, s, "1.2.0", 2, false)
	f.now = f.now.Add(interval)
	f.see(t, s, "1.2.0", 3, false)
	if got := s.requests[2].Header.Get("If-None-Match"); got != `"1.2.0"` {
		t.Errorf("the request is not conditional: %q", got)
	}
	// A clock that was set back does not stop the requests.
	f.now = f.now.Add(-30 * interval)
	f.see(t, s, "1.2.0", 4, false)
}

func TestNewestFails(t *testing.T) {
	t.Parallel()
	s := serve(t, "1.1.0")
	f := newFeed(t, s)
	f.see(t, s, "1.1.0", 1, false)
	for i, status := range []int{http.StatusFound, http.StatusNotFound, http.StatusInternalServerError} {
		s.status = status
		f.now = f.now.Add(interval)
		f.see(t, s, "1.1.0", 2+i, true)
		f.see(t, s, "1.1.0", 2+i, false) // there is no other request on this day
	}
	s.Close()
	f.now = f.now.Add(interval)
	f.see(t, s, "1.1.0", 4, true)

	other := serve(t, "2.0.0")
	f.address = other.URL
	f.see(t, other, "2.0.0", 1, false)
}

func TestNewestWithoutFile(t *testing.T) {
	t.Parallel()
	s := serve(t, "1.1.0")
	f := newFeed(t, s)
	if err := os.WriteFile(filepath.Dir(f.file), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.see(t, s, "", 0, true)
}

func TestDamagedFile(t *testing.T) {
	t.Parallel()
	s := serve(t, "1.1.0")
	f := newFeed(t, s)
	if err := os.Mkdir(filepath.Dir(f.file), 0o700); err != nil {
		t.Fatal(err)
	}
	for i, content := range []string{"", "{", `{"address": "` + f.address + `", "version": "\u001b[2J", "etag": "\"1.1.0\""}`} {
		if err := os.WriteFile(f.file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		f.see(t, s, "1.1.0", i+1, false)
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://example.com/latest.json", "latest.json", "file:///latest.json", "https://", "http://127.0.0.1.example.com/", "\x00"} {
		f := &feed{address: address, transport: func() (http.RoundTripper, error) { return nil, errors.New("a request was made") }}
		if _, _, err := f.ask(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "no https URL") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version": "1.3.0", "url": "https://example.com/1.3.0"}`))
	f.Add([]byte(`{"tag_name": "v1.3.0", "html_url": "https://example.com/r"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parse(data)
		if again, failed := check(r); err == nil && (again != r || failed != nil) {
			t.Errorf("%v is %v, %v", r, again, failed)
		}
		if text := notice(r, "0.0.1"); strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
			t.Errorf("%q", text)
		}
	})
}
