package texttool_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"pollux/llm"
	"pollux/llm/texttool"
)

// modelWithoutTools is a model whose server refuses tools, and which writes calls as
// text if its instruction lists tools.
type modelWithoutTools struct {
	llm.Generator
	asked []string
}

func (p *modelWithoutTools) answer(req *llm.Request) (*llm.Response, error) {
	if len(req.Config.Tools) > 0 {
		p.asked = append(p.asked, "with tools")
		return nil, &llm.Error{Kind: llm.KindNoTools, Message: "does not support tools"}
	}
	p.asked = append(p.asked, "in words")
	return &llm.Response{Candidates: []llm.Candidate{{
		Content:      llm.Model(llm.Text("```json\n{\"tool_call\": {\"name\": \"look\", \"arguments\": {}}}\n```")),
		FinishReason: llm.FinishStop,
	}}}, nil
}

func (p *modelWithoutTools) Stream(_ context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) { yield(p.answer(req)) }
}

func (p *modelWithoutTools) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	return p.answer(req)
}

// TestAsNeeded checks that a refusal costs one request for each model, that a model
// known to lack tools causes no refusal, and that both are logged once.
func TestAsNeeded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		always func(string) bool
		want   []string
	}{
		"learned":       {nil, []string{"with tools", "in words", "in words", "in words"}},
		"known":         {func(model string) bool { return model == "m" }, []string{"in words", "in words", "in words"}},
		"known of some": {func(model string) bool { return model == "n" }, []string{"with tools", "in words", "in words", "in words"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testAsNeeded(t, c.always, c.want)
		})
	}
}

func testAsNeeded(t *testing.T, always func(string) bool, want []string) {
	p := &modelWithoutTools{}
	var log []string
	g := texttool.AsNeeded(p, texttool.Options{Always: always, Log: func(model, message string) { log = append(log, model+": "+message) }})
	req := &llm.Request{
		Model: "m", Contents: []*llm.Content{llm.User(llm.Text("hi"))},
		Config: llm.Config{Tools: []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "look", Description: "Looks."}}}}},
	}
	for range 2 {
		var calls []*llm.FunctionCall
		for r, err := range g.Stream(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Candidates) > 0 {
				calls = append(calls, r.Candidates[0].Content.FunctionCalls()...)
			}
		}
		if len(calls) != 1 || calls[0].Name != "look" {
			t.Errorf("calls %v", calls)
		}
	}
	if r, err := g.Generate(t.Context(), req); err != nil || len(r.Candidates[0].Content.FunctionCalls()) != 1 {
		t.Errorf("%v, %v", r, err)
	}
	if !slices.Equal(p.asked, want) {
		t.Errorf("asked %v", p.asked)
	}
	if want := []string{"m: it takes no tools: it is told of them in words"}; !slices.Equal(log, want) {
		t.Errorf("log %q", log)
	}
}
