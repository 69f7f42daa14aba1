package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pollux/llm"
)

var smallChunk = []byte(`{"candidates": [{"content": {"parts": [{"text": "and a few words more"}],"role": "model"},"index": 0}],` +
	`"usageMetadata": {"promptTokenCount": 1234,"candidatesTokenCount": 12,"totalTokenCount": 1246},` +
	`"modelVersion": "gemini-2.5-pro","responseId": "kf0aacHkKdOs"}`)

func BenchmarkDecodeChunk(b *testing.B) {
	b.SetBytes(int64(len(smallChunk)))
	b.ReportAllocs()
	for b.Loop() {
		if err := new(llm.Response).UnmarshalJSON(smallChunk); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodeChunkStd measures encoding/json with a part of the same chunk.
func BenchmarkDecodeChunkStd(b *testing.B) {
	b.SetBytes(int64(len(smallChunk)))
	b.ReportAllocs()
	for b.Loop() {
		var r struct {
			Candidates    []struct{ Content plainContent }
			UsageMetadata map[string]int
		}
		if err := json.Unmarshal(smallChunk, &r); err != nil {
			b.Fatal(err)
		}
	}
}

// toolResult is a message with 4 KB of a file.
func toolResult() *llm.Content {
	return llm.User(llm.Part{FunctionResponse: llm.Output("1", "read_file", strings.Repeat("x := f(y) // a line\n", 205))})
}

func BenchmarkEncodeContent(b *testing.B) {
	c := toolResult()
	buf := c.AppendJSON(nil)
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = c.AppendJSON(buf[:0])
	}
}

func BenchmarkOutput(b *testing.B) {
	text := strings.Repeat("x := f(y) // a line\n", 205)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		llm.Output("1", "read_file", text)
	}
}

// BenchmarkAppendHistory measures the cost of one more message in a history of 2,000: its encoding,
// and the look-up of the other encodings.
func BenchmarkAppendHistory(b *testing.B) {
	encode := func(dst []byte, c *llm.Content) []byte { return c.AppendJSON(dst) }
	history := make([]*llm.Content, 2000, 2001)
	for i := range history {
		history[i] = toolResult()
		history[i].Encoded("wire", encode)
	}
	b.ReportAllocs()
	for b.Loop() {
		size := 0
		for _, c := range append(history, toolResult()) {
			size += len(c.Encoded("wire", encode))
		}
		if size == 0 {
			b.Fatal("nothing")
		}
	}
}
