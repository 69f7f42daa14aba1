package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// part is a tool whose calls can be rehearsed: they fail if their arguments have "hopeless" in them, or "second" and no
// call before has "first".
type part struct{ *toy }

func (p part) Build(args json.RawMessage) (tool.Invocation, error) {
	if strings.Contains(string(args), "invalid") {
		return nil, &tool.Error{Type: tool.ErrInvalidParams, Message: "wrong"}
	}
	return partCall{&toyCall{p.toy, args}}, nil
}

type partCall struct{ *toyCall }

func (c partCall) Rehearse(_ context.Context, draft tool.Draft) *tool.Result {
	switch {
	case strings.Contains(string(c.args), "hopeless"), strings.Contains(string(c.args), "second") && draft["first"] == nil:
		return tool.Fail(tool.ErrEditNoOccurrence, "no such text")
	case strings.Contains(string(c.args), "first"):
		draft["first"] = true
	}
	return nil
}

// TestJoined checks that of calls which are parts of one change all run or none.
func TestJoined(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		paths  []string // of the parts, then of a call of its own
		joined int      // of the first one, if not that of all paths but one
		asks   bool
		ran    string
		want   []string // the beginnings of the results
	}{
		"all run":                       {paths: []string{"first", "second", "c"}, ran: "first second c", want: []string{"", "", ""}},
		"one cannot be made":            {paths: []string{"a", "bad hopeless", "c"}, ran: "c", want: []string{"Not run, because the edit of bad hopeless is", "no such text", ""}},
		"the first cannot be made":      {paths: []string{"bad hopeless", "a", "c"}, ran: "c", want: []string{"no such text", "Not run, because the edit of bad hopeless is", ""}},
		"one is in the wrong order":     {paths: []string{"second", "first", "c"}, ran: "c", want: []string{"no such text", "Not run, because the edit of second is", ""}},
		"one is invalid":                {paths: []string{"a", "invalid", "c"}, ran: "c", want: []string{"Not run, because the edit of invalid is part of the same change and was not made. No part was. Send all parts again.", "wrong", ""}},
		"one fails in spite of all":     {paths: []string{"a", "fails", "b", "c"}, ran: "a fails c", want: []string{"", "fails", "Not run, because the edit of fails is part of the same change and was not made. The parts before it were made: send the others again.", ""}},
		"the reply was cut off":         {paths: []string{"a", "b"}, joined: 2, want: []string{"Not run: your reply was cut off, and other parts", "Not run: your reply was cut off, and other parts"}},
		"a person refuses one":          {paths: []string{"a", "b", "c"}, asks: true, want: []string{"Not run, because the edit of b is part", "The user refused this call", "Not run, because the user refused a call before it."}},
		"calls of their own are others": {paths: []string{"hopeless"}, ran: "hopeless", want: []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ran []string
			edit := part{newToy("edit", func(_ context.Context, _ tool.Host, args json.RawMessage) *tool.Result {
				var a struct{ Path string }
				_ = json.Unmarshal(args, &a)
				if ran = append(ran, a.Path); a.Path == "fails" {
					return tool.Fail(tool.ErrExecutionFailed, "fails")
				}
				return tool.Text("done")
			})}
			edit.spec.Kind = tool.KindEdit
			var parts []llm.Part
			for i, path := range tt.paths {
				p := call(path, "edit", `{"path":"`+path+`"}`)
				if p.FunctionCall.Joined = tt.joined - i; tt.joined == 0 {
					p.FunctionCall.Joined = max(0, len(tt.paths)-2-i)
				}
				parts = append(parts, p)
			}
			s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(chunk(llm.FinishStop, parts...)), says(text("ok"))}}
			a := newAgent(t, s, func(c *agent.Config) { c.Gate = openGate{asks: tt.asks} }, edit)
			for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("go")}}) {
				if e, ok := e.(agent.ToolAsked); ok {
					outcome := tool.ProceedOnce
					if e.Call.ID == "edit__b" {
						outcome = tool.Cancel
					}
					e.Answer(tool.Answer{Outcome: outcome})
				}
			}
			if diff := cmp.Diff(tt.ran, strings.Join(ran, " ")); diff != "" {
				t.Error(diff)
			}
			var results []string
			for _, m := range a.History() {
				for _, p := range m.Content.Parts {
					if r := p.FunctionResponse; r != nil {
						var answer struct{ Error string }
						_ = json.Unmarshal(r.Response, &answer)
						results = append(results, answer.Error)
					}
				}
			}
			for i, want := range tt.want {
				if i >= len(results) || !strings.HasPrefix(results[i], want) || want == "" && results[i] != "" {
					t.Errorf("result %d of %q, want %q", i+1, results, want)
				}
			}
		})
	}
}

// TestJoinedAlone checks that the parts of a change are no group with calls before them, whatever may run side by side.
func TestJoinedAlone(t *testing.T) {
	t.Parallel()
	var ran []string
	edit := part{newToy("edit", func(_ context.Context, _ tool.Host, args json.RawMessage) *tool.Result {
		ran = append(ran, string(args))
		return tool.Text("done")
	})}
	edit.spec.Kind = tool.KindEdit
	first, last := call("2", "edit", `{"path":"a"}`), call("3", "edit", `{"path":"hopeless"}`)
	first.FunctionCall.Joined = 1
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(chunk(llm.FinishStop, call("1", "edit", `{"path":"own"}`), first, last)), says(text("ok")),
	}}
	a := newAgent(t, s, func(c *agent.Config) { c.Parallel = func() agent.Parallel { return agent.ParallelAll } }, edit)
	play(t.Context(), a, "go")
	if got := strings.Join(ran, " "); got != `{"path":"own"}` {
		t.Errorf("these ran: %s", got)
	}
}

// TestProblem checks that a call with a problem does not run, and that the problem is its result.
func TestProblem(t *testing.T) {
	t.Parallel()
	p := call("1", "look", `{}`)
	p.FunctionCall.Problem = "The patch cannot be applied."
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(chunk(llm.FinishStop, p)), says(text("ok"))}}
	a := newAgent(t, s, nil, newToy("look", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
		t.Error("the call runs")
		return tool.Text("")
	}))
	play(t.Context(), a, "go")
	if got, want := wire(s.requests[1].Contents), `response look__1 {"error":"The patch cannot be applied."}`; !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}
