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
	script, err := scriptmodel.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	server, err := scriptmodel.Start(script, scriptmodel.Options{Wires: []scriptmodel.Wire{wire.Wire{}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Check(); err != nil {
			t.Error(err)
		}
		_ = server.Close()
	})
	client, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	return client
}
