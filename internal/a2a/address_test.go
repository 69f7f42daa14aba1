package a2a_test

import (
	"strings"
	"testing"

	"pollux/internal/a2a"
	"pollux/internal/a2a/a2atest"
)

// The shown address names the server that gets the text, and contains no secret.
func TestAddress(t *testing.T) {
	t.Parallel()
	card := `{"name":"n","url":"https://far.example/a?key=s","preferredTransport":"JSONRPC","protocolVersion":"0.3.0"}`
	server := a2atest.New(a2atest.Options{})
	t.Cleanup(server.Close)
	for _, c := range []struct {
		o    a2a.Options
		want string
	}{
		{a2a.Options{CardURL: server.CardURL}, strings.TrimSuffix(server.URL, "/agent")},
		{a2a.Options{CardJSON: card}, "https://far.example"},
		{a2a.Options{CardURL: "http://u:pw@127.0.0.1:1/card?key=s"}, "http://127.0.0.1:1"},
		{a2a.Options{CardJSON: "no card"}, ""},
	} {
		if got := a2a.New(c.o).Address(t.Context()); got != c.want {
			t.Errorf("%+v: %q, want %q", c.o, got, c.want)
		}
	}
}
