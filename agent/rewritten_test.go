package agent_test

import (
	"context"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/llm"
)

// TestRewritten checks that a part learns of a compression before the next calls run, and of nothing else.
func TestRewritten(t *testing.T) {
	t.Parallel()
	window := func() func(context.Context, func(*llm.Response, error) bool) {
		return breaks(&llm.Error{Kind: llm.KindContextWindow, Message: "too long"})
	}
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(calls("look")), says(text("done")),
		window(), says(calls("look")), says(text("done")),
	}}
	var seen []string
	book := &logbook{after: 1}
	a := newAgent(t, s, func(c *agent.Config) {
		c.Compressor = book
		c.Rewritten = func(history []agent.Message) {
			var contents []*llm.Content
			for _, m := range history {
				contents = append(contents, m.Content)
			}
			seen = append(seen, wire(contents))
		}
	}, echo("look"))
	play(t.Context(), a, "first")
	if len(seen) != 0 {
		t.Errorf("nothing was compressed: %q", seen)
	}
	play(t.Context(), a, "second")
	if len(book.requests) != 1 || len(seen) != 1 || !strings.Contains(seen[0], "user: summary") || !strings.Contains(seen[0], "call look") {
		t.Errorf("%d compressions, reported %q", len(book.requests), seen)
	}
}
