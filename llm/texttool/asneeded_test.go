package texttool_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"pollux/llm"
	"pollux/llm/llmtest"
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
	why := "its server refuses tools"
	if want[0] == "in words" {
		why = "it is known to take no tools"
	}
	if want := []string{"m: " + why + ": it gets them in text from now on"}; !slices.Equal(log, want) {
		t.Errorf("log %q", log)
	}
}

// TestCallsInContent checks calls that a server passes on as text.
func TestCallsInContent(t *testing.T) {
	t.Parallel()
	const form = "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"file_path\": \"/a\"}}\n</tool_call>"
	native := []*llm.Response{{Candidates: []llm.Candidate{{Content: llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{Name: "now"}}), FinishReason: llm.FinishStop}}}}
	for _, c := range []struct {
		name    string
		answers [][]*llm.Response
		mode    string
		texts   []string
		calls   []int
		tools   []bool // of each request
		finish  llm.FinishReason
		known   bool // to return calls
	}{
		{
			name:    "a service that is known to return calls",
			answers: [][]*llm.Response{says(llm.FinishStop, form)}, known: true,
			texts: []string{form}, calls: []int{0}, tools: []bool{true}, finish: llm.FinishStop,
		},
		{
			name:    "the server has returned none: then tools are in text",
			answers: [][]*llm.Response{says(llm.FinishStop, "I look.\n", form[:20], form[20:]), says(llm.FinishStop, "So.")},
			texts:   []string{"I look.\n", "So."}, calls: []int{1, 0}, tools: []bool{true, false}, finish: llm.FinishStop,
		},
		{
			name:    "the server has returned one",
			answers: [][]*llm.Response{native, says(llm.FinishOther, form), says(llm.FinishStop, "So.\n\n")},
			texts:   []string{"", form, "So.\n\n"}, calls: []int{1, 0, 0}, tools: []bool{true, true, true}, finish: llm.FinishStop,
		},
		{
			name: "beside a call of the server",
			answers: [][]*llm.Response{
				append(says("", form), native...),
				says(llm.FinishStop, "So."),
			},
			texts: []string{form, "So."}, calls: []int{1, 0}, tools: []bool{true, true}, finish: llm.FinishStop,
		},
		{
			name:    "cut off",
			answers: [][]*llm.Response{says(llm.FinishMaxTokens, form)},
			texts:   []string{form}, calls: []int{0}, tools: []bool{true}, finish: llm.FinishMaxTokens,
		},
		{
			name:    "blocked",
			answers: [][]*llm.Response{says(llm.FinishSafety, form)},
			texts:   []string{form}, calls: []int{0}, tools: []bool{true}, finish: llm.FinishSafety,
		},
		{
			name:    "no end",
			answers: [][]*llm.Response{says("", form)},
			texts:   []string{form}, calls: []int{0}, tools: []bool{true},
		},
		{
			name:    "calls are not wanted",
			answers: [][]*llm.Response{says(llm.FinishStop, form)}, mode: "NONE",
			texts: []string{form}, calls: []int{0}, tools: []bool{true}, finish: llm.FinishStop,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := &model{answers: c.answers}
			g := texttool.AsNeeded(m, texttool.Options{HasCalled: func(string) bool { return c.known }})
			var a llmtest.Answer
			for i := range c.answers {
				req := request()
				if c.mode != "" {
					req.Config.ToolConfig.Mode = c.mode
				}
				a = ask(t, g, req)
				if a.Text != c.texts[i] || len(a.Calls) != c.calls[i] {
					t.Errorf("answer %d: %q, %d calls", i, a.Text, len(a.Calls))
				}
				if got := len(m.asked[i].Config.Tools) > 0; got != c.tools[i] {
					t.Errorf("request %d: tools declared: %v", i, got)
				}
			}
			if a.Finish != c.finish || c.finish != "" && a.Usage == nil {
				t.Errorf("finish %q, usage %v", a.Finish, a.Usage)
			}

			m.answers = c.answers[:1]
			req := request()
			if c.mode != "" {
				req.Config.ToolConfig.Mode = c.mode
			}
			r, err := texttool.AsNeeded(m, texttool.Options{HasCalled: func(string) bool { return c.known }}).Generate(t.Context(), req)
			if err != nil || r.Text() != c.texts[0] && len(c.answers[0]) == 1 || len(r.Candidates[0].Content.FunctionCalls()) != c.calls[0] {
				t.Errorf("generate: %v %s", err, r.AppendJSON(nil))
			}
		})
	}
}

// TestNativeChunks checks that chunks without anything like a call are passed on as they
// are.
func TestNativeChunks(t *testing.T) {
	t.Parallel()
	answer := says(llm.FinishStop, "One ", "two.\n", " \n- [x] `a`\n")
	var got []*llm.Response
	for chunk, err := range texttool.AsNeeded(&model{answers: [][]*llm.Response{answer}}, texttool.Options{}).Stream(t.Context(), request()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, chunk)
	}
	if !slices.Equal(got, answer) {
		t.Errorf("%d chunks differ from %d", len(got), len(answer))
	}

	// Without tools nothing can be a call.
	answer = says(llm.FinishStop, "{\"a\"", ": 1}")
	req := request()
	req.Config.Tools, got = nil, nil
	for chunk, err := range texttool.AsNeeded(&model{answers: [][]*llm.Response{answer}}, texttool.Options{}).Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, chunk)
	}
	if !slices.Equal(got, answer) {
		t.Errorf("without tools: %d chunks differ from %d", len(got), len(answer))
	}
}

// TestNativeError checks that an error comes behind a chunk if an answer has begun.
func TestNativeError(t *testing.T) {
	t.Parallel()
	broken := &broken{chunk: says("", "{\"tool_call\"")[0]}
	var chunks int
	var failed bool
	for chunk, err := range texttool.AsNeeded(broken, texttool.Options{}).Stream(t.Context(), request()) {
		if err != nil {
			failed = true
			continue
		}
		chunks += len(chunk.Parts()) + 1
	}
	if !failed || chunks != 1 {
		t.Errorf("error %v, %d", failed, chunks)
	}
}

// broken is a model whose answers break off behind a chunk.
type broken struct {
	llm.Generator
	chunk *llm.Response
}

func (b *broken) Stream(context.Context, *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		if yield(b.chunk, nil) {
			yield(nil, &llm.Error{Kind: llm.KindNetwork})
		}
	}
}
