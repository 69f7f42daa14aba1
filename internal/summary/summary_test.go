package summary_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pollux/internal/summary"
	"pollux/llm"
	"pollux/tool"
)

// scribe is a model that answers with a text, or fails if there is none.
type scribe struct {
	llm.Generator
	answer   string
	requests []*llm.Request
}

func (m *scribe) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	m.requests = append(m.requests, req)
	if m.answer == "" {
		return nil, errors.New("the model has no quota left")
	}
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(m.answer))}}}, nil
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i+1)
	}
	return b.String()
}

var shell = &tool.Spec{Name: "run_shell_command", Aliases: []string{"ShellTool"}}

// TestWrite checks which output is summarized, and in how many requests.
func TestWrite(t *testing.T) {
	t.Parallel()
	long := numbers(3000) // about 7000 tokens
	for _, c := range []struct {
		name, output, answer string
		budgets              map[string]int
		configured, window   int
		requests, maxTokens  int
		want                 string
	}{
		{name: "long", output: long, answer: "Numbers.", requests: 1, maxTokens: 2000, want: "Numbers."},
		{name: "a former name", output: long, answer: "Numbers.", budgets: map[string]int{"ShellTool": 500}, requests: 1, maxTokens: 500, want: "Numbers."},
		{name: "another tool", output: long, answer: "Numbers.", budgets: map[string]int{"glob": 500}},
		{name: "no longer than the budget", output: long, answer: "Numbers.", budgets: map[string]int{"run_shell_command": 100_000}},
		{name: "negative budget", output: long, answer: "Numbers.", budgets: map[string]int{"run_shell_command": -1}, requests: 1, maxTokens: 2000, want: "Numbers."},
		{name: "the model settings' budget", output: numbers(100), answer: "Numbers.", configured: 50, requests: 1, maxTokens: 50, want: "Numbers."},
		{name: "no output", answer: "Numbers."},
		{name: "no answer", output: long, requests: 1, maxTokens: 2000},
		{name: "a longer answer", output: long, answer: strings.Repeat("word after word ", 4000), requests: 1, maxTokens: 2000},
		{
			name: "more than the window", output: long, answer: "Numbers.", window: 8000, requests: 5, maxTokens: 400,
			want: "Part 1 of 5: Numbers.\nPart 2 of 5: Numbers.\nPart 3 of 5: Numbers.\nPart 4 of 5: Numbers.\nPart 5 of 5: Numbers.",
		},
		{
			name: "much more than the window", output: strings.Repeat(long, 4), answer: "Numbers.", window: 8000, requests: 8, maxTokens: 200,
			want: "Part 1 of 18: Numbers.\nPart 2 of 18: Numbers.\nParts 3 to 12 of 18 were not read.\nPart 13 of 18: Numbers.\nPart 14 of 18: Numbers.\n" +
				"Part 15 of 18: Numbers.\nPart 16 of 18: Numbers.\nPart 17 of 18: Numbers.\nPart 18 of 18: Numbers.",
		},
		{name: "one line", output: strings.Repeat("中文", 20_000), answer: "字", window: 8000, requests: 8, maxTokens: 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := &scribe{answer: c.answer}
			w := &summary.Writer{
				Generator: m, Budgets: c.budgets, Window: func(string) int { return c.window },
				ResolveModel: func(alias string) (string, llm.Config, error) {
					return "model-for-" + alias, llm.Config{MaxOutputTokens: c.configured}, nil
				},
			}
			if c.budgets == nil {
				w.Budgets = map[string]int{"run_shell_command": 0}
			}
			got := w.Write(t.Context(), shell, "seq", c.output)
			if c.name != "one line" && got != c.want || c.name == "one line" && !strings.Contains(got, "were not read.\nPart ") {
				t.Errorf("the summary is %q", got)
			}
			if len(m.requests) != c.requests {
				t.Fatalf("%d requests", len(m.requests))
			}
			for _, req := range m.requests {
				if req.Model != "model-for-summarizer-shell" || req.Use != llm.UseSummarizer || req.Config.MaxOutputTokens != c.maxTokens {
					t.Errorf("asked %s for %s, at most %d tokens", req.Model, req.Use, req.Config.MaxOutputTokens)
				}
				prompt := req.Contents[0].Parts[0].Text
				if !strings.HasPrefix(prompt, "<call>\nseq\n</call>\n\n<") || c.window > 0 && llm.EstimateTokens(req.Contents[0].Parts) > c.window/2 {
					t.Errorf("the prompt is %.100q", prompt)
				}
			}
		})
	}
}

// TestPieces checks that no line of an output is lost between two pieces.
func TestPieces(t *testing.T) {
	t.Parallel()
	m := &scribe{answer: "Numbers."}
	w := &summary.Writer{
		Generator: m, Budgets: map[string]int{"run_shell_command": 100}, Window: func(string) int { return 4000 },
		ResolveModel: func(string) (string, llm.Config, error) { return "m", llm.Config{}, nil },
	}
	output := numbers(3000)
	w.Write(t.Context(), shell, "seq", output)
	var read strings.Builder
	for _, req := range m.requests {
		_, rest, _ := strings.Cut(req.Contents[0].Parts[0].Text, "\n<part of=")
		_, rest, _ = strings.Cut(rest, ">\n")
		read.WriteString(strings.TrimSuffix(rest, "\n</part>\n"))
	}
	if got := read.String(); got != output {
		t.Errorf("%d requests have %d of %d bytes", len(m.requests), len(got), len(output))
	}
}
