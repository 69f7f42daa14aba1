package httpwire

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"
)

// TestConnections checks that clients with the same connections use one after the other, and others their own.
func TestConnections(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(o Options) {
		t.Helper()
		b := NewBody(1)
		b.Text("{}")
		res, err := NewClient(o).Post(t.Context(), Request{URL: at, Header: http.Header{}, Body: b, HeaderTimeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		if _, err := res.ReadError(); err != nil {
			t.Fatal(err)
		}
	}
	var shared Connections
	for range 5 {
		ask(Options{Connections: &shared})
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("five clients with the same connections have opened %d", n)
	}
	ask(Options{Connections: &shared, NoProxy: "elsewhere.example"})
	ask(Options{})
	if n := opened.Load(); n != 3 {
		t.Errorf("clients with other options have opened %d", n-1)
	}
	for _, o := range []Options{
		{Connections: &shared, RootCAs: []string{"a b"}},
		{Connections: &shared, RootCAs: []string{"a", "b"}},
		{Connections: &shared, Proxy: &url.URL{Scheme: "http", Host: "a.example"}},
		{Connections: &shared, Proxy: &url.URL{Scheme: "http", Host: "b.example"}},
		{Connections: &shared, Secure: true},
	} {
		before := opened.Load()
		ask(o) // a proxy is not asked for this machine
		ask(o)
		if n := opened.Load() - before; n != 1 {
			t.Errorf("two clients with the options %+v have opened %d", o, n)
		}
	}
	if _, err := NewClient(Options{Connections: &shared, Secure: true, RootCAs: []string{"missing.pem"}}).HTTP(); err == nil {
		t.Error("a missing certificate file is no error")
	}
}
