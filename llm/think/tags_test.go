package think_test

import (
	"slices"
	"testing"

	"pollux/llm/llmtest"
	"pollux/llm/think"
)

// TestTags checks that the parts of texts of nothing but tags do not depend on the chunks.
func TestTags(t *testing.T) {
	t.Parallel()
	words := []string{
		"<|channel|>", "analysis", "final", "commentary", "<|message|>", "<|end|>", "<|return|>", "<|start|>", "assistant", " to=functions.f ", "<|constrain|>json",
		"[THINK]", "[/THINK]", "<think>", "</think>", "<|channel>thought", "<channel|>", "hm", " ", "\n", "`", "```\n", `{"a": "`, `"}`,
		"<|end|><|start|>assistant<|channel|>final<|message|>", "<|channel|>analysis<|message|>",
	}
	llmtest.Repeat(t, func(r llmtest.Random) {
		for range 50 {
			answer := ""
			for range r.IntN(14) {
				answer += words[r.IntN(len(words))]
			}
			var whole, cut think.Splitter
			want := feed(&whole, []string{answer})
			if got := feed(&cut, pieces(answer, r.IntN(6)+1)); !slices.EqualFunc(got, want, samePart) {
				t.Fatalf("%q: %+v, in one piece %+v", answer, got, want)
			}
		}
	})
}
