// Package llmtest is the suite that every [llm.Generator] passes. It plays a
// model behind an HTTP server on loopback; the adapter under test says how its
// vendor writes what that model answers, and is judged by what comes out.
package llmtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"pollux/llm"
)

// Vendor is an adapter with the server's half of its protocol.
type Vendor struct {
	// New returns a generator that asks the server at url.
	New func(t *testing.T, url string) llm.Generator
	// Stream encodes an answer for a streaming request: what to write and
	// flush for each chunk, one piece a chunk. The first piece includes what
	// opens a stream, the last what ends it.
	Stream func(chunks []*llm.Response) [][]byte
	// Answer encodes an answer for a request that does not stream.
	Answer func(r *llm.Response) []byte
	// Error encodes an error body.
	Error func(status int, message string) []byte
	// StreamType is the content type of Stream; text/event-stream if empty.
	StreamType string
	// Skip names the cases that the protocol cannot express, with the reason.
	Skip map[string]string
}

// Run runs the suite.
func Run(t *testing.T, v Vendor) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if why := v.Skip[c.name]; why != "" {
				t.Skip(why)
			}
			t.Parallel()
			c.run(t, v)
		})
	}
}

var cases = []struct {
	name string
	run  func(*testing.T, Vendor)
}{
	{"text", testText},
	{"thoughts", testThoughts},
	{"tool call", testCall},
	{"parallel calls", testParallelCalls},
	{"usage", testUsage},
	{"finish reasons", testFinish},
	{"generate", testGenerate},
	{"request unchanged", testUnchanged},
	{"errors", testErrors},
	{"retry after", testRetryAfter},
	{"broken connection", testBroken},
	{"refused connection", testRefused},
	{"cancelled before", testCancelledBefore},
	{"cancelled before the answer", testCancelledWaiting},
	{"cancelled in mid-stream", testCancelled},
	{"early break", testBreak},
	{"concurrent", testConcurrent},
}

// server is the model's side of a case.
type server struct {
	*httptest.Server
	requests atomic.Int32
}

func serve(t *testing.T, h http.HandlerFunc) *server {
	s := new(server)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		// Only with the body read does the server notice that a client leaves.
		_, _ = io.Copy(io.Discard, r.Body)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// streams answers each request with pieces.
func (v Vendor) streams(pieces [][]byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v.open(w)
		for _, p := range pieces {
			send(w, p)
		}
	}
}

func (v Vendor) open(w http.ResponseWriter) {
	kind := v.StreamType
	if kind == "" {
		kind = "text/event-stream"
	}
	w.Header().Set("Content-Type", kind)
}

func send(w http.ResponseWriter, piece []byte) {
	_, _ = w.Write(piece) // the client may be gone, which is what some cases are about
	w.(http.Flusher).Flush()
}

// Answer is all that a stream said.
type Answer struct {
	Text     string
	Thoughts string
	Calls    []*llm.FunctionCall
	Usage    *llm.Usage
	Finish   llm.FinishReason
	Chunks   int
}

// Add adds a chunk to a.
func (a *Answer) Add(chunk *llm.Response) {
	a.Chunks++
	a.Text += chunk.Text()
	for _, p := range chunk.Parts() {
		if p.Thought {
			a.Thoughts += p.Text
		}
		if p.FunctionCall != nil {
			a.Calls = append(a.Calls, p.FunctionCall)
		}
	}
	if chunk.Usage != nil {
		a.Usage = chunk.Usage
	}
	if r := chunk.FinishReason(); r != "" {
		a.Finish = r
	}
}

// Ask streams one answer to prompt and returns all of it.
func Ask(t *testing.T, g llm.Generator, prompt string) Answer {
	t.Helper()
	var a Answer
	for chunk, err := range g.Stream(t.Context(), Prompt(prompt)) {
		if err != nil {
			t.Fatalf("stream: %v", err)
		}
		a.Add(chunk)
	}
	return a
}

// Prompt returns a request of one message.
func Prompt(text string) *llm.Request {
	return &llm.Request{Model: "test-model", Contents: []*llm.Content{llm.User(llm.Text(text))}}
}

// chunk returns a chunk of a model's answer.
func chunk(finish llm.FinishReason, parts ...llm.Part) *llm.Response {
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(parts...), FinishReason: finish}}}
}
