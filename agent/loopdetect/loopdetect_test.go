package loopdetect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
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

// An agent answers the call that completes the first loop with a warning, and ends the run at the
// next call of it. A model that chants gets a warning with its prompt.
func TestInAgent(t *testing.T) {
	t.Parallel()
	call := func(n int) llm.Part {
		return llm.Part{FunctionCall: &llm.FunctionCall{Name: "look", Args: json.RawMessage(fmt.Sprintf(`{"at": %d}`, n))}}
	}
	look := func(ns ...int) *llm.Response {
		var parts []llm.Part
		for _, n := range ns {
			parts = append(parts, call(n))
		}
		return answer(parts...)
	}
	same := func(n int, at ...int) []*llm.Response { return slices.Repeat([]*llm.Response{look(at...)}, n) }
	chanting, done := answer(llm.Text(strings.Repeat(sentence, 12))), answer(llm.Text("Done."))
	tests := map[string]struct {
		answers []*llm.Response
		o       Options
		runs    int // calls that run
		warned  int // request, from 0, that carries the warning; -1 for none
		stopped bool
		atOnce  bool // StopAtLoop
	}{
		"different calls":         {answers: append([]*llm.Response{look(1), look(2), look(3), look(4), look(5), look(6)}, done), runs: 6, warned: -1},
		"four calls":              {answers: append(same(4, 0), done), runs: 4, warned: -1},
		"five calls, then sense":  {answers: append(same(5, 0), done), runs: 4, warned: 5},
		"six calls":               {answers: same(6, 0), runs: 4, warned: 5, stopped: true},
		"five calls, others":      {answers: slices.Concat(same(5, 0), []*llm.Response{look(1), look(0), look(2), done}), runs: 7, warned: 5},
		"five calls, four others": {answers: slices.Concat(same(5, 0), same(4, 1), []*llm.Response{done}), runs: 8, warned: 5},
		"five calls, five others": {answers: slices.Concat(same(5, 0), same(5, 1)), runs: 8, warned: 5, stopped: true},
		"two in turn": {
			answers: slices.Concat(slices.Repeat([]*llm.Response{look(0), look(1)}, 5), []*llm.Response{look(0)}), runs: 9, warned: 10, stopped: true,
		},
		"two at a time":             {answers: append(same(5, 0, 1), done), runs: 9, warned: 5},
		"two at a time, go on":      {answers: same(6, 0, 1), runs: 9, warned: 5, stopped: true},
		"seven at once, then sense": {answers: []*llm.Response{look(0, 0, 0, 0, 0, 0, 0), done}, runs: 7, warned: -1},
		"seven at once, go on":      {answers: append(same(5, 0, 0, 0, 0, 0, 0, 0), done), runs: 28, warned: 5},
		"another with the fifth":    {answers: append(same(4, 0), look(1), look(0, 7), done), runs: 7, warned: -1},
		"the fifth with another":    {answers: append(same(4, 0), look(0, 7), done), runs: 5, warned: 5},
		"two in turn, by the seeds": {
			answers: append(slices.Repeat([]*llm.Response{look(0), look(1)}, 6), done), o: Options{MaxCycle: 1}, runs: 12, warned: -1,
		},
		"five calls, stopped at once": {answers: same(5, 0), runs: 4, warned: -1, stopped: true, atOnce: true},
		"a chant, stopped at once":    {answers: []*llm.Response{chanting}, warned: -1, stopped: true, atOnce: true},
		"a chant, then sense":         {answers: []*llm.Response{chanting, done}, warned: 1},
		"a chant and another":         {answers: []*llm.Response{chanting, chanting}, warned: 1, stopped: true},
		"a chant, then calls":         {answers: append([]*llm.Response{chanting}, same(5, 0)...), runs: 4, warned: 1, stopped: true},
		"calls, then a chant":         {answers: append(same(5, 0), chanting), runs: 4, warned: 5, stopped: true},
		"a chant, then not quite one": {answers: []*llm.Response{chanting, answer(llm.Text(strings.Repeat(sentence, 9)))}, warned: 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, gate := &script{answers: tt.answers}, &open{}
			a := agent.New(agent.Config{
				Generator: m, Model: "gemini-2.5-pro", Gate: gate, LoopDetector: New(tt.o), StopAtLoop: tt.atOnce,
				Tools: tool.NewRegistry(&looker{tool.Spec{Name: "look", Kind: tool.KindRead, Schema: json.RawMessage(`{"type":"object"}`)}}),
			})
			var stopped []string
			open := 0 // requested calls that have not finished
			for e, err := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("find it")}}) {
				if err != nil {
					t.Fatal(err)
				}
				switch e := e.(type) {
				case agent.ToolRequested:
					open++
				case agent.ToolFinished:
					open--
				case agent.LoopDetected:
					stopped = append(stopped, e.Kind)
				}
			}
			if len(m.requests) != len(tt.answers) || (len(stopped) == 1) != tt.stopped || len(stopped) > 1 {
				t.Errorf("%d requests of %d, stopped: %q", len(m.requests), len(tt.answers), stopped)
			}
			if n := int(gate.runs.Load()); n != tt.runs || open != 0 {
				t.Errorf("%d calls ran, want %d; %d have not finished", n, tt.runs, open)
			}
			for i, r := range m.requests {
				last := r.Contents[len(r.Contents)-1]
				if got := strings.Contains(wordsOf(last), "Potential loop detected"); got != (i == tt.warned) {
					t.Errorf("request %d warns: %v", i, got)
				}
				if i > 0 && tt.warned > 1 {
					old := m.requests[i-1].Contents
					if !slices.Equal(r.Contents[:len(old)], old) {
						t.Errorf("request %d changes the history", i)
					}
				}
			}
			if tt.warned == 1 && !strings.HasPrefix(m.requests[1].Contents[0].Text(), "find it") {
				t.Error("the prompt was not sent again")
			}
			checkPairs(t, a.History())
		})
	}
}

// wordsOf returns the text and the tool results of a message.
func wordsOf(c *llm.Content) string {
	s := c.Text()
	for _, p := range c.Parts {
		if p.FunctionResponse != nil {
			s += string(p.FunctionResponse.Response)
		}
	}
	return s
}

// checkPairs checks that each call of a history has its result in the next message.
func checkPairs(t *testing.T, history []agent.Message) {
	t.Helper()
	for i, m := range history {
		var calls, results []string
		for _, p := range m.Content.Parts {
			if p.FunctionCall != nil {
				calls = append(calls, p.FunctionCall.ID)
			}
		}
		if len(calls) == 0 {
			continue
		}
		if i+1 < len(history) {
			for _, p := range history[i+1].Content.Parts {
				if p.FunctionResponse != nil {
					results = append(results, p.FunctionResponse.ID)
				}
			}
		}
		if !slices.Equal(calls, results) {
			t.Errorf("message %d: calls %q, results %q", i, calls, results)
		}
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

// open is a gate that counts the calls that run.
type open struct{ runs atomic.Int32 }

func (o *open) Admit(_ context.Context, call *agent.ToolCall, _ tool.Tool, _ agent.Ask) agent.Admission {
	return agent.Admission{Run: func(context.Context, agent.Host) []agent.Execution {
		o.runs.Add(1)
		return []agent.Execution{agent.Refused(call, tool.Text("nothing"))}
	}}
}

// TestIsOff checks that a detector that is turned off finds nothing and asks no model.
func TestIsOff(t *testing.T) {
	t.Parallel()
	asked, isOff := 0, false
	d := New(Options{
		IsOff:          func() bool { return isOff },
		FirstJudgement: 1,
		Generator:      voice(func(context.Context, *llm.Request) (string, error) { asked++; return sure(1), nil }),
		ResolveModel:   func(question string) (string, llm.Config, error) { return question, llm.Config{}, nil },
	})
	found := false
	for range 5 {
		_, found = d.Observe(request("look", `{}`))
		d.Observe(agent.Finished{})
	}
	if !found {
		t.Error("no loop")
	}
	isOff = true
	if _, found := d.Observe(request("look", `{}`)); found {
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
		if diff := cmp.Diff(want, brief(in)); diff != "" {
			t.Error(diff)
		}
	}
}
