package assembly

import (
	"context"
	"iter"
	"testing"

	"pollux/internal/auth"
	"pollux/internal/project/projecttest"
	"pollux/llm"
	"pollux/llm/texttool"
)

// TestKnownService checks that a model of a vendor makes no calls in its text, and that one at
// another address may.
func TestKnownService(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]int{"": 0, "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1": 1} {
		p := projecttest.New(t, `{}`, "GEMINI_API_KEY=k", address)
		accounts, err := auth.Open(auth.Inputs{Settings: p.Settings(), Env: p.Env(), Warn: p.Warn, Context: t.Context()})
		if err != nil {
			t.Fatal(err)
		}
		m, err := OpenModels(t.Context(), p, accounts, "", false)
		if err != nil {
			t.Fatal(err)
		}
		req := &llm.Request{Model: "gemini-2.5-pro", Contents: []*llm.Content{llm.User(llm.Text("hi"))}, Config: llm.Config{
			Tools: []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "look"}}}},
		}}
		r, err := WithToolCalls(p, m, caller{}, texttool.Options{}).Generate(t.Context(), req)
		if err != nil || len(r.Candidates[0].Content.FunctionCalls()) != want {
			t.Errorf("%q: %v %s", address, err, r.AppendJSON(nil))
		}
	}
}

// caller is a model that writes a call into its text.
type caller struct{ llm.Generator }

func (caller) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return &llm.Response{Candidates: []llm.Candidate{{
		Content: llm.Model(llm.Text(`{"tool_call": {"name": "look", "arguments": {}}}`)), FinishReason: llm.FinishStop,
	}}}, nil
}

func (c caller) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) { yield(c.Generate(ctx, req)) }
}
