package ollama

import (
	"fmt"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/httpwire"
)

const (
	smallLine = `{"model":"qwen3:8b","created_at":"2026-08-01T10:00:00.123456789Z","message":{"role":"assistant","content":" and a few words more"},"done":false}` + "\n"
	callLine  = `{"model":"qwen3:8b","created_at":"2026-08-01T10:00:00.123456789Z","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read_file","arguments":{"path":"a.go"}}}]},"done":false}` + "\n"
)

// BenchmarkLines measures a line from the bytes of the connection to the
// yielded response.
func BenchmarkLines(b *testing.B) {
	const n = 1000
	for name, stream := range map[string]string{"text": strings.Repeat(smallLine, n), "call": strings.Repeat(callLine, n)} {
		b.Run(name, func(b *testing.B) {
			m := capableModel(nil)
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			for b.Loop() {
				res := &httpwire.Response{Body: strings.NewReader(stream)}
				for range newAssembler(m, 0).chunks(res) {
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/line")
		})
	}
}

func longHistory(n int) *llm.Request {
	req := &llm.Request{Model: "m"}
	req.Config.SystemInstruction = llm.User(llm.Text(strings.Repeat("Rules. ", 3000)))
	text := strings.Repeat("x := compute(y) // a line of code\n", 118)
	for i := range n / 2 {
		id := fmt.Sprintf("read_file__call_%020d", i)
		req.Contents = append(req.Contents, called(id, "read_file", `{"path":"a.go"}`), llm.User(result(id, "read_file", text)))
	}
	return req
}

// BenchmarkRequest measures building the request of a long session whose
// messages are already encoded, as they are from the second turn on.
func BenchmarkRequest(b *testing.B) {
	for _, n := range []int{1000, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := capableModel(nil)
			req := longHistory(n)
			size := m.newRequest(req, true).body.Size()
			b.ReportAllocs()
			for b.Loop() {
				if m.newRequest(req, true).body.Size() != size {
					b.Fatal("size changed")
				}
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
