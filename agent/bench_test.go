package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/llm"
)

// A turn costs the same after 10 messages and after 10,000.
func BenchmarkTurn(b *testing.B) {
	for _, messages := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", messages), func(b *testing.B) {
			s := &script{}
			window := func(c *agent.Config) { c.Limit = func(string) int { return 1 << 40 } }
			a := newAgent(b, s, window, echo("look"))
			var history []agent.Message
			for i := range messages {
				c := llm.User(llm.Text(strings.Repeat("word ", 800)))
				if i%2 == 1 {
					c = llm.Model(llm.Text("ok"))
				}
				history = append(history, agent.Message{ID: fmt.Sprint(i), Content: c})
			}
			a.SetHistory(b.Context(), history)
			turn := says(text("done"))
			b.ReportAllocs()
			for b.Loop() {
				s.requests, s.answers = nil, []func(context.Context, func(*llm.Response, error) bool){turn}
				for _, err := range a.Run(b.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkChunk measures the cost of the loop for each chunk of a response.
func BenchmarkChunk(b *testing.B) {
	const chunks = 1000
	c := chunk("", llm.Text("twenty bytes of text"))
	s := &script{}
	a := newAgent(b, s, nil, echo("look"))
	all := make([]*llm.Response, chunks)
	for i := range all {
		all[i] = c
	}
	answer := says(append(all, text("."))...)
	b.ReportAllocs()
	for b.Loop() {
		s.requests, s.answers = nil, []func(context.Context, func(*llm.Response, error) bool){answer}
		a.SetHistory(b.Context(), nil)
		for _, err := range a.Run(b.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*chunks), "ns/chunk")
}
