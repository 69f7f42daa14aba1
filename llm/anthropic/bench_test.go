package anthropic

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

// smallEvent is a typical event of a response.
const smallEvent = "event: content_block_delta\n" +
	`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"and a few words more"}}` + "\n\n"

// BenchmarkChunks decodes chunks from bytes to the yielded response.
func BenchmarkChunks(b *testing.B) {
	for name, event := range map[string]string{
		"text":      smallEvent,
		"thinking":  strings.ReplaceAll(strings.Replace(smallEvent, "text_delta", "thinking_delta", 1), `"text":`, `"thinking":`),
		"arguments": strings.ReplaceAll(strings.Replace(smallEvent, "text_delta", "input_json_delta", 1), `"text":`, `"partial_json":`),
	} {
		b.Run(name, func(b *testing.B) {
			const n = 1000
			stream := strings.Repeat(event, n)
			if name == "arguments" {
				stream = ev(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"ls","input":{}}}`) + stream
			}
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			for b.Loop() {
				res := &httpwire.Response{Body: strings.NewReader(stream)}
				r := &reply{q: &query{Request: &llm.Request{}}}
				e := newEventDecoder()
				for event, err := range res.Events() {
					if err == nil {
						err = handleEvent(res, r, e, event)
					}
					if err != nil {
						b.Fatal(err)
					}
					r.takeChunk()
				}
				e.release()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/chunk")
		})
	}
}

// BenchmarkFrames decodes chunks in AWS frames.
func BenchmarkFrames(b *testing.B) {
	const n = 1000
	stream := strings.Repeat(framed(smallEvent), n)
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := playFrames(b.Context(), &query{Request: &llm.Request{}}, stream, false); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/chunk")
}

// longHistory returns the request of a session with 1,000 messages and 2 MB.
func longHistory() *llm.Request {
	req := &llm.Request{Model: "claude-opus-4-6"}
	req.Config.SystemInstruction = llm.User(llm.Text(strings.Repeat("Rules. ", 3000)))
	req.Config.Tools = []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{
		Name: "read_file", Description: "Reads a file.", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`),
	}}}}
	req.Contents = []*llm.Content{llm.User(llm.Text("begin"))}
	text := strings.Repeat("x := compute(y) // a line of code\n", 118)
	signature := llm.Signed(vendor, `{"type":"thinking","thinking":"`+strings.Repeat("hm ", 50)+`","signature":"`+strings.Repeat("c2ln", 50)+`"}`)
	for i := range 500 {
		req.Contents = append(req.Contents, turn(i, signature, text)...)
	}
	return req
}

func turn(i int, signature, text string) []*llm.Content {
	id := fmt.Sprintf("read_file__toolu_%d", i)
	return []*llm.Content{llm.Model(thought("", signature), call(id, "read_file", `{"path":"a.go"}`)), llm.User(result(id, "read_file", text))}
}

// BenchmarkRequest builds the body for a long session: with cached encodings as from
// the second turn on, with one new turn, and without cached encodings as after a
// resume.
func BenchmarkRequest(b *testing.B) {
	req := longHistory()
	b.Run("nothing new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			(&query{Request: req, stream: true}).body()
		}
	})
	b.Run("one turn new", func(b *testing.B) {
		b.ReportAllocs()
		text := strings.Repeat("x := compute(y) // a line of code\n", 118)
		for b.Loop() {
			next := *req
			next.Contents = append(req.Contents[:len(req.Contents):len(req.Contents)], turn(500, llm.Signed(vendor, "c2ln"), text)...)
			(&query{Request: &next, stream: true}).body()
		}
	})
	b.Run("all new", func(b *testing.B) {
		b.SetBytes((&query{Request: req, stream: true}).body().Size())
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			req := longHistory()
			b.StartTimer()
			(&query{Request: req, stream: true}).body()
		}
	})
}

// BenchmarkTurn sends the request of a long session over a real connection and
// reads a short answer.
func BenchmarkTurn(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, answerStream)
	}))
	defer s.Close()
	c := newClient(b, Options{APIKey: "k", BaseURL: s.URL})
	req := longHistory()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ask(b, c, req); err != nil {
			b.Fatal(err)
		}
	}
}
