package gemini

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// smallChunk is a typical chunk of a streamed response.
const smallChunk = `data: {"candidates": [{"content": {"parts": [{"text": "and a few words more"}],"role": "model"},"index": 0}],` +
	`"usageMetadata": {"promptTokenCount": 1234,"candidatesTokenCount": 12,"totalTokenCount": 1246},` +
	`"modelVersion": "gemini-2.5-pro","responseId": "kf0aacHkKdOs"}` + "\r\n\r\n"

// BenchmarkChunks decodes chunks from bytes to the yielded response.
func BenchmarkChunks(b *testing.B) {
	const n = 1000
	stream := strings.Repeat(smallChunk, n)
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	chunksRead := 0
	for b.Loop() {
		res := &httpwire.Response{Body: strings.NewReader(stream)}
		for _, err := range chunks(res) {
			if err != nil {
				b.Fatal(err)
			}
			chunksRead++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(chunksRead), "ns/chunk")
}

// BenchmarkStream streams 20,000 chunks over a real connection, including the work of
// the server.
func BenchmarkStream(b *testing.B) {
	const n = 20000
	batch := []byte(strings.Repeat(smallChunk, 50))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for range n / 50 {
			_, _ = w.Write(batch)
		}
	}))
	defer s.Close()
	c, err := New(Options{APIKey: "k", BaseURL: s.URL})
	if err != nil {
		b.Fatal(err)
	}
	req := &llm.Request{Model: "m", Contents: []*llm.Content{llm.User(llm.Text("hello"))}}
	b.ReportAllocs()
	for b.Loop() {
		got := 0
		for _, err := range c.Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
			got++
		}
		if got != n {
			b.Fatalf("%d chunks", got)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/chunk")
}

// longHistory returns the request of a session with 2,000 messages and 4 MB.
func longHistory() *llm.Request {
	req := &llm.Request{Model: "m"}
	req.Config.SystemInstruction = llm.User(llm.Text(strings.Repeat("Rules. ", 3000)))
	req.Config.Tools = []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{
		Name: "read_file", Description: "Reads a file.", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`),
	}}}}
	text := strings.Repeat("x := compute(y) // a line of code\n", 118)
	for i := range 1000 {
		id := fmt.Sprintf("read_file__%d", i)
		req.Contents = append(req.Contents,
			llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: "read_file", Args: []byte(`{"path":"a.go"}`)}, ThoughtSignature: "c2ln"}),
			llm.User(llm.Part{FunctionResponse: llm.Output(id, "read_file", text)}))
	}
	return req
}

// BenchmarkRequest builds and reads the body for a long session, with cached
// encodings as from the second turn on.
func BenchmarkRequest(b *testing.B) {
	c := &Client{}
	req := longHistory()
	size := c.generateBody(req, refusals{}).Size()
	b.Run("build", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if c.generateBody(req, refusals{}).Size() != size {
				b.Fatal("size changed")
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		buf := make([]byte, 32<<10)
		for b.Loop() {
			r := c.generateBody(req, refusals{}).Reader()
			for {
				if _, err := r.Read(buf); err != nil {
					break
				}
			}
		}
	})
	b.Run("first", func(b *testing.B) { // without cached encodings, as in a resumed session
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			req := longHistory()
			b.StartTimer()
			c.generateBody(req, refusals{})
		}
	})
}

// BenchmarkTurn sends the request of a long session over a real connection.
func BenchmarkTurn(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, smallChunk)
	}))
	defer s.Close()
	c, err := New(Options{APIKey: "k", BaseURL: s.URL})
	if err != nil {
		b.Fatal(err)
	}
	req := longHistory()
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range c.Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
