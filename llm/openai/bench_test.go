package openai

import (
	"fmt"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/httpwire"
)

const smallChunk = `data: {"id":"chatcmpl-9x","object":"chat.completion.chunk","created":1750000000,"model":"gpt-4.1-2025-04-14","service_tier":"default","system_fingerprint":"fp_1",` +
	`"choices":[{"index":0,"delta":{"content":" and a few words more"},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n"

// callChunk is a chunk with a piece of a call's arguments.
const callChunk = `data: {"id":"chatcmpl-9x","object":"chat.completion.chunk","created":1750000000,"model":"gpt-4.1-2025-04-14",` +
	`"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"more of it "}}]},"logprobs":null,"finish_reason":null}]}` + "\n\n"

// BenchmarkChunks measures a chunk from the bytes of the connection to the
// yielded response.
func BenchmarkChunks(b *testing.B) {
	const n = 1000
	for name, stream := range map[string]string{"text": strings.Repeat(smallChunk, n), "call": strings.Repeat(callChunk, n)} {
		b.Run(name, func(b *testing.B) {
			t := fitTraits(Chat, Quirks{})
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			for b.Loop() {
				res := &httpwire.Response{Body: strings.NewReader(stream)}
				for range newAssembler(t, &llm.Request{}).chunks(res) {
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/chunk")
		})
	}
}

// longHistory returns a request with n messages.
func longHistory(n int) *llm.Request {
	req := &llm.Request{Model: "m"}
	req.Config.SystemInstruction = llm.User(llm.Text(strings.Repeat("Rules. ", 3000)))
	text := strings.Repeat("x := compute(y) // a line of code\n", 118)
	for i := range n / 2 {
		id := fmt.Sprintf("read_file__call_%020d", i)
		req.Contents = append(req.Contents, llm.Model(called(id, "read_file", `{"path":"a.go"}`)), llm.User(result(id, "read_file", text)))
	}
	return req
}

// BenchmarkRequest measures building the request of a long session whose
// messages are already encoded, as they are from the second turn on.
func BenchmarkRequest(b *testing.B) {
	for p := range protocols {
		for _, n := range []int{1000, 2000} {
			b.Run(fmt.Sprintf("%s/%d", []string{"chat", "responses"}[p], n), func(b *testing.B) {
				t := fitTraits(p, Quirks{})
				req := longHistory(n)
				body, _ := t.requestBody(req, true)
				size := body.Size()
				b.ReportAllocs()
				for b.Loop() {
					if body, _ := t.requestBody(req, true); body.Size() != size {
						b.Fatal("size changed")
					}
				}
				b.ReportMetric(float64(size), "bytes")
			})
		}
	}
}
