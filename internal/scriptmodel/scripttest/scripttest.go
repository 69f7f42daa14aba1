// Package scripttest gives tests a model that plays a script.
package scripttest

import (
	"testing"

	"pollux/internal/scriptmodel"
	wire "pollux/internal/scriptmodel/gemini"
	"pollux/llm/gemini"
)

// Gemini returns a client of a model that plays a script over Gemini's protocol. The test
// fails if the script is wrong, or has not been played to its end when the test is over.
func Gemini(t *testing.T, text string) *gemini.Client {
	t.Helper()
	server := Serve(t, text, scriptmodel.Options{})
	t.Cleanup(func() { // before the server is closed
		if err := server.Check(); err != nil {
			t.Error(err)
		}
	})
	client, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Conduct starts a model that gives the same turn whenever it is asked, until the test is over. The caller
// changes the turn before each request. A request that breaks a rule of the vendor fails the test.
func Conduct(t *testing.T, o scriptmodel.Options) (*scriptmodel.Server, *scriptmodel.Turn) {
	t.Helper()
	script := &scriptmodel.Script{Turns: []scriptmodel.Turn{{Times: -1}}}
	server, err := scriptmodel.Start(script, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Close()
		if err := server.Check(); err != nil {
			t.Error(err)
		}
	})
	return server, &script.Turns[0]
}

// Serve starts a model that plays a script until the test is over. Without Wires in the options
// it has Gemini's protocol.
func Serve(t *testing.T, text string, o scriptmodel.Options) *scriptmodel.Server {
	t.Helper()
	script, err := scriptmodel.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if o.Wires == nil {
		o.Wires = []scriptmodel.Wire{wire.Wire{}}
	}
	server, err := scriptmodel.Start(script, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}
