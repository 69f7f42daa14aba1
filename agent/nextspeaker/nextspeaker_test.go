package nextspeaker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// voice is a model that calls a function.
type voice func(ctx context.Context, req *llm.Request) (string, error)

func (v voice) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	text, err := v(ctx, req)
	if err != nil {
		return nil, err
	}
	return answer(text), nil
}

func (v voice) Stream(context.Context, *llm.Request) iter.Seq2[*llm.Response, error] {
	panic("the question needs no stream")
}

func (v voice) CountTokens(context.Context, *llm.Request) (int, error) {
	return 0, errors.ErrUnsupported
}

func (v voice) Embed(context.Context, string, []string) ([][]float32, error) {
	return nil, errors.ErrUnsupported
}

func answer(text string) *llm.Response {
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(text)), FinishReason: llm.FinishStop}}}
}

func which(question string) (string, llm.Config, error) { return question, llm.Config{}, nil }

func history(contents ...*llm.Content) []agent.Message {
	h := make([]agent.Message, len(contents))
	for i, c := range contents {
		h[i].Content = c
	}
	return h
}

var (
	prompt  = llm.User(llm.Text("Repair it."))
	reply   = llm.Model(llm.Text("Now I'll run the tests."))
	call    = llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{Name: "test"}})
	result  = llm.User(llm.Part{FunctionResponse: llm.Output("", "test", "ok")})
	results = llm.User(append(result.Parts, result.Parts...)...)
	mixed   = llm.User(append([]llm.Part{llm.Text("hint")}, result.Parts...)...)
	silent  = llm.Model()
	empty   = llm.Model(llm.Text(""))
	thought = llm.Model(llm.Part{Text: "Hm.", Thought: true})
)

// No model is asked if the history alone answers the question.
func TestNext(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		history []agent.Message
		want    llm.Role
		asked   bool // and the model wants to go on
	}{
		"nothing":                         {nil, llm.RoleUser, false},
		"a prompt":                        {history(prompt), llm.RoleUser, false},
		"a result":                        {history(prompt, call, result), llm.RoleModel, false},
		"two results":                     {history(prompt, call, results), llm.RoleModel, false},
		"a result and words":              {history(prompt, call, mixed), llm.RoleUser, false},
		"an answer":                       {history(prompt, reply), llm.RoleModel, true},
		"an answer to results":            {history(prompt, call, result, reply), llm.RoleModel, true},
		"a message without parts":         {history(prompt, silent), llm.RoleModel, false},
		"a message without parts, alone":  {history(silent), llm.RoleModel, false},
		"nothing that can be sent":        {history(empty), llm.RoleUser, false},
		"a user without parts":            {history(llm.User()), llm.RoleUser, false},
		"an empty text":                   {history(prompt, empty), llm.RoleUser, false},
		"a run with an empty text":        {history(prompt, reply, empty), llm.RoleUser, false},
		"a thought":                       {history(prompt, thought), llm.RoleModel, true},
		"an empty text before the prompt": {history(prompt, empty, prompt, reply), llm.RoleModel, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := false
			c := New(Options{ResolveModel: which, Generator: voice(func(context.Context, *llm.Request) (string, error) {
				asked = true
				return `{"reasoning": "Rule 1.", "next_speaker": "model"}`, nil
			})})
			if got := c.Next(t.Context(), tt.history); got != tt.want || asked != tt.asked {
				t.Errorf("%s, asked: %v", got, asked)
			}
			if got := New(Options{Disabled: true}).Next(t.Context(), tt.history); got != llm.RoleUser {
				t.Errorf("off: %s", got)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]llm.Role{
		`{"reasoning": "Rule 1.", "next_speaker": "model"}`:                      llm.RoleModel,
		`{"reasoning": "Rule 3.", "next_speaker": "user"}`:                       llm.RoleUser,
		"Well:\n```json\n{\"next_speaker\": \"model\"}\n```\nThat is {my} word.": llm.RoleModel,
		`{next_speaker: 'model',}`:                                               llm.RoleModel,
		`{"next_speaker": "Model"}`:                                              llm.RoleUser,
		`{"next_speaker": "assistant"}`:                                          llm.RoleUser,
		`{"next_speaker": null}`:                                                 llm.RoleUser,
		`{"next_speaker": ["model"]}`:                                            llm.RoleUser,
		`{"answer": {"next_speaker": "model"}}`:                                  llm.RoleUser,
		`["model"]`:                                                              llm.RoleUser,
		`{"next_speaker": "mod`:                                                  llm.RoleUser,
		`model`:                                                                  llm.RoleUser,
		``:                                                                       llm.RoleUser,
		"{\"next_speaker\": \"\xff\x00\"}":                                       llm.RoleUser,
		`{"reasoning": "` + "\u0000" + `", "next_speaker":`:                      llm.RoleUser,
	} {
		c := New(Options{ResolveModel: which, Generator: voice(func(context.Context, *llm.Request) (string, error) { return text, nil })})
		if got := c.Next(t.Context(), history(prompt, reply)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	h := history(prompt, reply)
	broken := voice(func(context.Context, *llm.Request) (string, error) { return "", &llm.Error{Kind: llm.KindQuota} })
	if got := New(Options{ResolveModel: which, Generator: broken}).Next(t.Context(), h); got != llm.RoleUser {
		t.Errorf("no quota: %s", got)
	}
	notFound := func(string) (string, llm.Config, error) { return "", llm.Config{}, errors.New("not found") }
	if got := New(Options{ResolveModel: notFound, Generator: broken}).Next(t.Context(), h); got != llm.RoleUser {
		t.Errorf("no model: %s", got)
	}
	synctest.Test(t, func(t *testing.T) {
		hangs := voice(func(ctx context.Context, _ *llm.Request) (string, error) {
			<-ctx.Done()
			return "", context.Cause(ctx)
		})
		start := time.Now()
		if got := New(Options{ResolveModel: which, Generator: hangs}).Next(t.Context(), h); got != llm.RoleUser || time.Since(start) != 30*time.Second {
			t.Errorf("no answer: %s after %v", got, time.Since(start))
		}
	})
}

// The request holds the conversation as it was sent, followed by the question.
func TestQuestion(t *testing.T) {
	t.Parallel()
	var got *llm.Request
	cfg := llm.Config{Temperature: new(0.0)}
	c := New(Options{
		Generator:    voice(func(_ context.Context, req *llm.Request) (string, error) { got = req; return "", nil }),
		ResolveModel: func(string) (string, llm.Config, error) { return "m", cfg, nil },
	})
	c.Next(t.Context(), history(prompt, reply, empty, prompt, call, result, reply))
	n := len(got.Contents) - 1
	if want := []*llm.Content{prompt, prompt, call, result, reply}; !slices.Equal(want, got.Contents[:n]) {
		t.Errorf("asked about %d messages, want %d", n, len(want))
	}
	if q := got.Contents[n]; q.Role != llm.RoleUser || q.Text() != instruction {
		t.Errorf("the question is %q", q.Text())
	}
	if got.Model != "m" || got.Use != llm.UseNextSpeaker || got.Config.Temperature == nil || got.Config.ResponseMIMEType != "application/json" {
		t.Errorf("the request is %+v", got)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(got.Config.ResponseJSONSchema, &s); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"reasoning", "next_speaker"}, s.Required); diff != "" {
		t.Error(diff)
	}
}

// In an agent, the model continues until it is done.
func TestInAgent(t *testing.T) {
	t.Parallel()
	m := &script{answers: []string{"Now I'll run the tests.", "They pass. Now I'll com", "mit it. Done."}}
	m.voice = func(_ context.Context, req *llm.Request) (string, error) {
		next := "model"
		if req.Contents[len(req.Contents)-2].Text() == "mit it. Done." {
			next = "user"
		}
		return fmt.Sprintf(`{"reasoning": "", "next_speaker": %q}`, next), nil
	}
	a := agent.New(agent.Config{Generator: m, Model: "gemini-2.5-pro", Tools: tool.NewRegistry(), NextSpeaker: New(Options{Generator: m, ResolveModel: which})})
	for _, err := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("repair it")}}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(m.asked) != 3 || m.asked[1] != "Please continue." || m.asked[2] != "Please continue." {
		t.Errorf("asked %q", m.asked)
	}
}

// script is a model with scripted responses, one for each request.
type script struct {
	voice
	answers []string
	asked   []string
}

func (s *script) Stream(_ context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		s.asked = append(s.asked, req.Contents[len(req.Contents)-1].Text())
		yield(answer(s.answers[len(s.asked)-1]), nil)
	}
}

// BenchmarkNext measures the check without the request.
func BenchmarkNext(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		h := history(slices.Repeat([]*llm.Content{prompt, call, result, reply}, n/4)...)
		h = append(h, history(prompt, reply)...)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := New(Options{ResolveModel: which, Generator: voice(func(context.Context, *llm.Request) (string, error) {
				return `{"next_speaker": "user"}`, nil
			})})
			b.ReportAllocs()
			for b.Loop() {
				c.Next(b.Context(), h)
			}
		})
	}
}
