package compress_test

import (
	"fmt"
	"testing"

	"pollux/agent"
	"pollux/agent/compress"
)

// Below the threshold, and above it after a failure, the cost of a turn does not depend on the
// length of the history.
func BenchmarkNoOp(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		history := talk(n, 400)
		over := agent.CompressRequest{History: history, Model: "m", Tokens: 10_000, Limit: 100_000}
		b.Run(fmt.Sprintf("below/%d", n), func(b *testing.B) {
			c := compress.New(compress.Options{Generator: writes("")})
			b.ReportAllocs()
			for b.Loop() {
				c.Compress(b.Context(), over)
			}
		})
		b.Run(fmt.Sprintf("failed/%d", n), func(b *testing.B) {
			over.Tokens, over.Limit = tokens(history), tokens(history)
			c := compress.New(compress.Options{Generator: writes("")})
			c.Compress(b.Context(), over)
			b.ReportAllocs()
			for b.Loop() {
				c.Compress(b.Context(), over)
			}
		})
	}
}

// BenchmarkCompress measures a compression without the time of the model.
func BenchmarkCompress(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		history := append(talk(2, 400), rounds(0, n/2, 800)...)
		over := forced(history)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := compress.New(compress.Options{Generator: &scribe{answer: writes(form("go")).answer}})
			b.ReportAllocs()
			for b.Loop() {
				if _, done := c.Compress(b.Context(), over); done.Status != agent.CompressedOK {
					b.Fatalf("%+v", done)
				}
			}
		})
	}
}
