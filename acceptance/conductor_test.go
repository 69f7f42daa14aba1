package acceptance

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
)

// conductor is a scripted model whose answers a function computes. It checks requests as
// strictly as a model with a written script, on every protocol.
type conductor struct {
	*httptest.Server
	strict *scriptmodel.Server

	mu     sync.Mutex
	turn   *scriptmodel.Turn
	answer func(path string, body []byte) []scriptmodel.Step
}

// conduct serves a model that answers each request with the result of a function. The function
// is called for one request at a time. A request that breaks a vendor's rules fails the test.
func conduct(t *testing.T, wire string, answer func(path string, body []byte) []scriptmodel.Step) *conductor {
	t.Helper()
	c := &conductor{answer: answer}
	c.strict, c.turn = scripttest.Conduct(t, scriptmodel.Options{Wires: everyWire(), Wire: strings.Replace(wire, "vertex", "gemini", 1)})
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

// ServeHTTP implements [http.Handler].
func (c *conductor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has closed the connection
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Method == http.MethodPost {
		c.turn.Steps = c.answer(r.URL.Path, body)
	}
	c.strict.ServeHTTP(w, r)
}

// says returns an answer with text; calls returns one with text and calls.
func says(text string) []scriptmodel.Step { return []scriptmodel.Step{scriptmodel.Text{Text: text}} }

// calling adds a call to an answer. The arguments are JSON.
func calling(steps []scriptmodel.Step, name string, args ...string) []scriptmodel.Step {
	var b strings.Builder
	for i := 0; i < len(args); i += 2 {
		sep := ","
		if i == 0 {
			sep = "{"
		}
		fmt.Fprintf(&b, "%s%q:%s", sep, args[i], args[i+1])
	}
	id := fmt.Sprintf("%s_%d", name, len(steps))
	return append(steps, scriptmodel.Call{ID: id, Name: name, Args: b.String() + "}"})
}
