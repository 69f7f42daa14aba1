package provider

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// hostile are answers of other programs that listen on the port of a model server.
var hostile = map[string]http.HandlerFunc{
	"endless": func(w http.ResponseWriter, r *http.Request) {
		flood(w, r, `{"data": [`, strings.Repeat(`{"id": "m"}, `, 1000))
	},
	"one long text": func(w http.ResponseWriter, r *http.Request) {
		flood(w, r, `{"data": "`, strings.Repeat("x", 64<<10))
	},
	"compressed": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		flood(z, r, `{"data": [`, strings.Repeat(" ", 64<<10))
	},
	"deep": func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data": ` + strings.Repeat("[", 500_000)))
	},
	"slow": func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"data": `))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	},
	"a page":     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>data</html>")) },
	"a list":     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`["data"]`)) },
	"an error":   func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"data": []}`, http.StatusTeapot) },
	"no content": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
	"a large header": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 1<<20))
		_, _ = w.Write([]byte(`{"data": []}`))
	},
}

// flood writes as long as the client reads, and 1 GB at most.
func flood(w interface{ Write([]byte) (int, error) }, r *http.Request, head, piece string) {
	_, err := w.Write([]byte(head))
	for sent := 0; err == nil && r.Context().Err() == nil && sent < 1<<30; sent += len(piece) {
		_, err = w.Write([]byte(piece))
	}
}

// TestDiscoverSlow checks that a server that accepts connections at once has longer than the
// time to connect to respond.
func TestDiscoverSlow(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-r.Context().Done():
		}
		_, _ = w.Write([]byte(`{"data": []}`))
	}))
	t.Cleanup(s.Close)
	table := &Table{}
	if errs := table.Add(map[string]json.RawMessage{"slow": local(s, "/", "data")}); len(errs) > 0 {
		t.Fatal(errs)
	}
	if found := table.Discover(t.Context(), 50*time.Millisecond); len(found) != 1 {
		t.Errorf("found %d servers", len(found))
	}
}

// TestDiscoverHostile: whatever answers, it is not taken for a server of models,
// and the search ends.
func TestDiscoverHostile(t *testing.T) {
	t.Parallel()
	own := map[string]json.RawMessage{}
	for name, answer := range hostile {
		s := httptest.NewServer(answer)
		t.Cleanup(s.Close)
		own[strings.ReplaceAll(name, " ", "-")] = local(s, "/v1/models", "data")
	}
	var led atomic.Int32
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		led.Add(1)
		_, _ = w.Write([]byte(`{"data": []}`))
	}))
	t.Cleanup(there.Close)
	redirect := httptest.NewServer(http.RedirectHandler(there.URL+"/v1/models", http.StatusFound))
	t.Cleanup(redirect.Close)
	own["redirect"] = local(redirect, "/v1/models", "data")
	table := &Table{}
	if errs := table.Add(own); len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, a := range table.Discover(t.Context(), 500*time.Millisecond) {
		t.Errorf("found %s at %s", a.ID, a.BaseURL)
	}
	if led.Load() > 0 {
		t.Error("a redirect was followed")
	}
}

// TestModelsHostile checks that a server with a response that is too large, or
// without one, has no models, and that the request ends with its context.
func TestModelsHostile(t *testing.T) {
	t.Parallel()
	for name, answer := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(answer)
			t.Cleanup(s.Close)
			table := &Table{}
			if errs := table.Add(map[string]json.RawMessage{"l": json.RawMessage(`{"baseUrl": "` + s.URL + `/v1", "keyless": true,
				"local": {"port": 1, "probe": "/", "says": "x", "list": "/list", "window": "/window", "windowAt": "data"}}`)}); len(errs) > 0 {
				t.Fatal(errs)
			}
			a, _ := table.Find("l").Access(func(string) string { return "" })
			c, err := Open(a, Network{})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if models, _ := c.Models(ctx); len(models) > 0 {
				t.Errorf("%d models", len(models))
			}
		})
	}
}

// TestLocalIsReached checks that requests to a local server outside of its protocol
// have the same credentials and headers, and that the list omits names that cannot be typed.
func TestLocalIsReached(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer key-of-mine" || r.Header.Get("X-Team") != "tools" {
			t.Errorf("%s: header %v", r.URL, r.Header)
		}
		switch r.URL.Path {
		case "/list":
			_, _ = w.Write([]byte(`{"data": [{"id": "a\u001b[2Jb"}, {"id": "a\nb"}, {"id": "` + strings.Repeat("x", 300) + `"}, {"id": "m"}]}`))
		case "/window":
			_, _ = w.Write([]byte(`{"n": 777}`))
		}
	}))
	t.Cleanup(s.Close)
	table := &Table{}
	if errs := table.Add(map[string]json.RawMessage{"l": json.RawMessage(`{"baseUrl": "` + s.URL + `/v1", "apiKey": "key-of-mine", "headers": {"x-team": "tools"},
		"local": {"port": 1, "probe": "/", "says": "x", "list": "/list", "window": "/window", "windowAt": "n"}}`)}); len(errs) > 0 {
		t.Fatal(errs)
	}
	a, _ := table.Find("l").Access(func(string) string { return "" })
	c, err := Open(a, Network{})
	if err != nil {
		t.Fatal(err)
	}
	if models, err := c.Models(t.Context()); err != nil || len(models) != 1 || models[0].Name != "m" || models[0].Input != 777 {
		t.Errorf("models are %+v, %v", models, err)
	}
}
