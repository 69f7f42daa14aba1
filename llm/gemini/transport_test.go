package gemini

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// TestOneConnection checks that requests reuse the connection of a response that was
// read to its end.
func TestOneConnection(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, smallChunk)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	c, err := New(Options{APIKey: "k", BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		for _, err := range c.Stream(t.Context(), &llm.Request{Model: "m"}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections for 5 answers", n)
	}
}

// TestNew checks that New reads no files and requests no token.
func TestNew(t *testing.T) {
	t.Parallel()
	c, err := New(Options{
		APIKey: "k", BaseURL: "https://model.invalid", HTTP: httpwire.Options{RootCAs: []string{"/does/not/exist"}},
		Credentials: func(context.Context) (string, error) { t.Error("asked for a token"); return "", nil },
		Vertex:      &Vertex{Project: "p"},
	})
	if c == nil || err != nil {
		t.Error(err)
	}
}

func TestDefaultBase(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]*Vertex{
		"https://generativelanguage.googleapis.com":      nil,
		"https://aiplatform.us.rep.googleapis.com":       {Project: "p", Location: "us"},
		"https://aiplatform.eu.rep.googleapis.com":       {Project: "p", Location: "eu"},
		"https://aiplatform.googleapis.com":              {Project: "p", Location: "global"},
		"https://us-central1-aiplatform.googleapis.com":  {Project: "p", Location: "us-central1"},
		"https://europe-west4-aiplatform.googleapis.com": {Project: "p", Location: "europe-west4"},
	} {
		if got := defaultBase(v); got != want {
			t.Errorf("%+v: %s, want %s", v, got, want)
		}
	}
	if got := defaultBase(&Vertex{Location: "us"}); got != "https://aiplatform.googleapis.com" {
		t.Errorf("express mode is at %s", got)
	}
}
