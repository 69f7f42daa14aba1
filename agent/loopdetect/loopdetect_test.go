package loopdetect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

func request(name, args string) agent.ToolRequested {
	return agent.ToolRequested{Call: &agent.ToolCall{Name: name, Args: json.RawMessage(args), PromptID: "p"}}
}

// voice is a model that calls a function.
type voice func(ctx context.Context, req *llm.Request) (string, error)

func (v voice) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	text, err := v(ctx, req)
	if err != nil {
		return nil, err
	}
	return answer(llm.Text(text)), nil
}

func (v voice) Stream(context.Context, *llm.Request) iter.Seq2[*llm.Response, error] {
	panic("a judgement needs no stream")
}

func (v voice) CountTokens(context.Context, *llm.Request) (int, error) {
	return 0, errors.ErrUnsupported
}

func (v voice) Embed(context.Context, string, []string) ([][]float32, error) {
	return nil, errors.ErrUnsupported
}

func answer(parts ...llm.Part) *llm.Response {
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(parts...), FinishReason: llm.FinishStop}}}
}

// An agent warns a model in a loop once and stops it the second time. The calls of the first
// loop do not count for the second.
func TestInAgent(t *testing.T) {
	t.Parallel()
	look := func(n int) *llm.Response {
		return answer(llm.Part{FunctionCall: &llm.FunctionCall{Name: "look", Args: json.RawMessage(fmt.Sprintf(`{"at": %d}`, n))}})
	}
	same := func(n int) []*llm.Response { return slices.Repeat([]*llm.Response{look(0)}, n) }
	chanting, done := answer(llm.Text(strings.Repeat(sentence, 12))), answer(llm.Text("Done."))
	tests := map[string]struct {
		answers []*llm.Response
		warned  int // request, from 0, that carries the warning; -1 for none
		stopped bool
	}{
		"different calls":             {append([]*llm.Response{look(1), look(2), look(3), look(4), look(5), look(6)}, done), -1, false},
		"four calls":                  {append(same(4), done), -1, false},
		"five calls, then sense":      {append(same(5), done), 5, false},
		"nine calls":                  {append(same(9), done), 5, false},
		"ten calls":                   {same(10), 5, true},
		"a chant, then sense":         {[]*llm.Response{chanting, done}, 1, false},
		"a chant and another":         {[]*llm.Response{chanting, chanting}, 1, true},
		"a chant, then calls":         {append([]*llm.Response{chanting}, same(5)...), 1, true},
		"calls, then a chant":         {append(same(5), chanting), 5, true},
		"a chant, then not quite one": {[]*llm.Response{chanting, answer(llm.Text(strings.Repeat(sentence, 9)))}, 1, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &script{answers: tt.answers}
			a := agent.New(agent.Config{
				Generator: m, Model: "gemini-2.5-pro", Gate: open{}, LoopDetector: New(Options{}),
				Tools: tool.NewRegistry(&looker{tool.Spec{Name: "look", Kind: tool.KindRead, Schema: json.RawMessage(`{"type":"object"}`)}}),
			})
			var stopped []string
			for e, err := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("find it")}}) {
				if err != nil {
					t.Fatal(err)
				}
				if l, ok := e.(agent.LoopDetected); ok {
					stopped = append(stopped, l.Kind)
				}
			}
			if len(m.requests) != len(tt.answers) || (len(stopped) == 1) != tt.stopped || len(stopped) > 1 {
				t.Errorf("%d requests of %d, stopped: %q", len(m.requests), len(tt.answers), stopped)
			}
			for i, r := range m.requests {
				last := r.Contents[len(r.Contents)-1]
				if got := strings.Contains(last.Text(), "Potential loop detected"); got != (i == tt.warned) {
					t.Errorf("request %d warns: %v", i, got)
				}
			}
			if tt.warned == 1 && !strings.HasPrefix(m.requests[1].Contents[0].Text(), "find it") {
				t.Error("the prompt was not sent again")
			}
		})
	}
}

// script is a model with scripted responses, one for each request.
type script struct {
	voice
	answers  []*llm.Response
	requests []*llm.Request
}

func (s *script) Stream(_ context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		s.requests = append(s.requests, req)
		if n := len(s.requests); n <= len(s.answers) {
			yield(s.answers[n-1], nil)
			return
		}
		yield(nil, &llm.Error{Message: "no more answers"})
	}
}

// looker is a tool that is only declared.
type looker struct{ spec tool.Spec }

func (l *looker) Spec() *tool.Spec                             { return &l.spec }
func (*looker) Build(json.RawMessage) (tool.Invocation, error) { return nil, errors.ErrUnsupported }

// open is a gate that runs nothing.
type open struct{}

func (open) Admit(context.Context, *agent.ToolCall, tool.Tool, tool.Ask) agent.Admission {
	return agent.Admission{Run: func(context.Context, tool.Host) *tool.Result { return tool.Text("nothing") }}
}

func TestDisable(t *testing.T) {
	t.Parallel()
	asked := 0
	d := New(Options{
		FirstJudgement: 1,
		Generator:      voice(func(context.Context, *llm.Request) (string, error) { asked++; return sure(1), nil }),
		ResolveModel:   func(question string) (string, llm.Config, error) { return question, llm.Config{}, nil },
	})
	for range 5 {
		d.Observe(request("look", `{}`))
	}
	if _, found := d.CheckTurn(t.Context(), talk(9)); !found {
		t.Error("no loop")
	}
	d.Disable()
	if _, found := d.CheckTurn(t.Context(), talk(9)); found {
		t.Error("a loop that was found before")
	}
	d.Reset("again")
	for range 40 {
		d.Observe(request("look", `{}`))
		d.Observe(agent.Text{Text: sentence})
		if loop, found := d.CheckTurn(t.Context(), talk(9)); found || asked > 0 {
			t.Fatalf("found %v, asked %d times", loop, asked)
		}
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                       "",
		"a\n\n b\t":              "a b",
		"\xffa":                  "\uFFFDa",
		strings.Repeat("a", 300): strings.Repeat("a", 300),
		strings.Repeat("ü", 151): strings.Repeat("ü", 150) + "…",
	} {
		if diff := cmp.Diff(want, shorten(in)); diff != "" {
			t.Error(diff)
		}
	}
}
