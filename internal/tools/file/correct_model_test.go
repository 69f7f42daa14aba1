package file

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"pollux/llm"
)

// answering is a model that gives the same answer to all.
type answering struct {
	answer   string
	err      error
	requests []*llm.Request
	deadline time.Duration
}

func (a *answering) Generate(ctx context.Context, r *llm.Request) (*llm.Response, error) {
	a.requests = append(a.requests, r)
	if d, ok := ctx.Deadline(); ok {
		a.deadline = time.Until(d)
	}
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(a.answer))}}}, a.err
}

func (a *answering) Stream(context.Context, *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(func(*llm.Response, error) bool) {}
}

func (a *answering) CountTokens(context.Context, *llm.Request) (int, error) { return 0, nil }

func (a *answering) Embed(context.Context, string, []string) ([][]float32, error) { return nil, nil }

func TestModelCorrectorFixEdit(t *testing.T) {
	t.Parallel()
	g := &answering{answer: `{"search":"s","replace":"","noChangesRequired":false,"explanation":"e"}`}
	c := NewModelCorrector(g, func(string) (string, llm.Config, error) { return "quick", llm.Config{}, nil })
	failure := EditFailure{Instruction: "why", Path: "p", Old: "o", New: "n", Content: "all of it", Problem: "0 occurrences"}
	for range 2 {
		fix, err := c.FixEdit(t.Context(), failure)
		if err != nil || fix != (EditFix{Search: "s", Explanation: "e"}) {
			t.Fatal(fix, err)
		}
	}
	if len(g.requests) != 1 {
		t.Fatalf("asked %d times", len(g.requests))
	}
	r := g.requests[0]
	text := r.Contents[0].Text()
	for _, part := range []string{"why", "<search>\no\n</search>", "<replace>\nn\n</replace>", "0 occurrences", "all of it"} {
		if !strings.Contains(text, part) {
			t.Errorf("the request lacks %q: %s", part, text)
		}
	}
	if r.Model != "quick" || r.Use != llm.UseEditCorrector || r.Config.ResponseMIMEType != "application/json" || !json.Valid(r.Config.ResponseJSONSchema) ||
		g.deadline <= 0 || g.deadline > 40*time.Second {
		t.Errorf("%+v, deadline in %v", r, g.deadline)
	}
	failure.Problem = "another"
	if _, err := c.FixEdit(t.Context(), failure); err != nil || len(g.requests) != 2 {
		t.Errorf("%v, asked %d times", err, len(g.requests))
	}
}

func TestModelCorrectorAnswers(t *testing.T) {
	t.Parallel()
	for answer, ok := range map[string]bool{
		`{"noChangesRequired":true,"explanation":"e"}`:      true,
		`{"search":"s","explanation":"e"}`:                  false,
		"Sure:\n```json\n{\"noChangesRequired\":true}\n```": true,
		`{"search":1}`:       false,
		``:                   false,
		`I think you should`: false,
		`[]`:                 false,
	} {
		c := NewModelCorrector(&answering{answer: answer}, func(string) (string, llm.Config, error) { return "", llm.Config{}, nil })
		if _, err := c.FixEdit(t.Context(), EditFailure{}); (err == nil) != ok {
			t.Errorf("%s: %v", answer, err)
		}
	}
	for answer, want := range map[string]string{`{"corrected_string_escaping":"x\ny"}`: "x\ny", `{}`: "", `{"corrected_string_escaping":""}`: ""} {
		c := NewModelCorrector(&answering{answer: answer}, func(string) (string, llm.Config, error) { return "", llm.Config{}, nil })
		if got, err := c.Unescape(t.Context(), `x\ny`); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", answer, got, err)
		}
	}
	down := &answering{err: errors.New("down")}
	c := NewModelCorrector(down, func(string) (string, llm.Config, error) { return "", llm.Config{}, nil })
	if _, err := c.Unescape(t.Context(), "x"); err == nil {
		t.Error("no error")
	}
	if _, err := c.FixEdit(t.Context(), EditFailure{Content: strings.Repeat("x", correctorLimit+1)}); !errors.Is(err, errTooMuchToCorrect) || len(down.requests) != 1 {
		t.Errorf("%v, asked %d times", err, len(down.requests))
	}
}
