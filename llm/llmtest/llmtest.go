// Package llmtest is the conformance test of [llm.Generator] implementations. It runs
// an HTTP server on loopback that plays a model. The adapter under test encodes the
// responses of the server, and the tests check the decoded responses.
package llmtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"pollux/llm"
)

// Vendor is an adapter together with the server's side of its protocol.
type Vendor struct {
	// New returns a generator that sends requests to the server at url.
	New func(t *testing.T, url string) llm.Generator
	// Stream encodes a streamed response: one piece for each chunk, which the server
	// writes and flushes. The first piece includes the start of the stream, the last
	// one its end.
	Stream func(chunks []*llm.Response) [][]byte
	// Answer encodes a response to a request that does not stream.
	Answer func(r *llm.Response) []byte
	// Error encodes an error body.
	Error func(status int, message string) []byte
	// StreamType is the content type of streams, by default text/event-stream.
	StreamType string
	// Skip maps the names of cases that the protocol cannot express to the reason.
	Skip map[string]string
}

// Run runs all conformance tests as subtests of t.
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
	{"request unchanged", testRequestUnchanged},
	{"errors", testErrors},
	{"retry after", testRetryAfter},
	{"broken connection", testBroken},
	{"broken after the answer", testBrokenAfter},
	{"byte order mark", testByteOrderMark},
	{"cut stream", testCut},
	{"foreign bytes", testForeign},
	{"refused connection", testRefused},
	{"cancelled before", testCancelledBefore},
	{"cancelled before the answer", testCancelledWaiting},
	{"cancelled in mid-stream", testCancelled},
	{"early break", testBreak},
	{"concurrent", testConcurrent},
}

// server is the server of a case.
type server struct {
	*httptest.Server
	requests atomic.Int32
}

// serve starts a server that counts requests.
func serve(t *testing.T, h http.HandlerFunc) *server {
	s := new(server)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		// The server notices a closed connection only after it has read the body.
		_, _ = io.Copy(io.Discard, r.Body)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// streams returns a handler that responds to each request with pieces.
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
	_, _ = w.Write(piece) // some cases close the connection
	w.(http.Flusher).Flush()
}

// Answer is the content of all chunks of a stream.
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

// Ask streams the response to prompt and returns its content. It fails t on an error.
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

// Prompt returns a request with one user message.
func Prompt(text string) *llm.Request {
	return &llm.Request{Model: "test-model", Contents: []*llm.Content{llm.User(llm.Text(text))}}
}

func chunk(finish llm.FinishReason, parts ...llm.Part) *llm.Response {
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(parts...), FinishReason: finish}}}
}
