package jsonquery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pollux/llm"
)

// model answers with the elements of answers in order and repeats the last one. An
// element that is an error fails the request; nil blocks until the context is done.
type model struct {
	llm.Generator
	answers  []any
	requests []*llm.Request
}

func (m *model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	m.requests = append(m.requests, req)
	switch answer := m.answers[min(len(m.requests), len(m.answers))-1].(type) {
	case string:
		return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(answer))}}}, nil
	case error:
		return nil, answer
	}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// sum is the answer type in these tests; N is required.
type sum struct {
	N    *int
	Note string
}

func hasN(s *sum) bool { return s.N != nil }

func (m *model) question() Question {
	return Question{
		Generator: m, Alias: "sums", Timeout: time.Second, Use: llm.UseTool,
		ResolveModel: func(alias string) (string, llm.Config, error) { return "model-for-" + alias, llm.Config{}, nil },
		Contents:     []*llm.Content{llm.User(llm.Text("1+1?"))}, Schema: `{"type":"object"}`,
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"n":2}`:   "2",
		` {"n":2} `: "2",
		"Well:\n```json\n{\"n\": 2}\n```\nThat is {my} word.": "2",
		`{n: 2, 'note': 'it's',}`:                             "2 it's",
		`By {the} book: {"n":2}`:                              "2",
		`{{"n":2}}`:                                           "2",
		`[{"n":2}]`:                                           "2",
		`{"n":2,"note":"a\nb","more":[{}]}`:                   "2 a\nb",
		`{"n":2}{"n":3}`:                                      "2",
		`{}`:                                                  "form",
		`{"n":null}`:                                          "form",
		`{"n":"two"}`:                                         "form",
		`{"n":1e999}`:                                         "form",
		`{"n":2,"note":1}`:                                    "form",
		`{"sum":{"n":2}}`:                                     "form",
		`[2]`:                                                 "form",
		`null`:                                                "form",
		`{"note":"` + strings.Repeat("x", maxAnswer) + `","n":2}`: "form",
		``:                            "not JSON",
		`two`:                         "not JSON",
		`{"n":2`:                      "not JSON",
		`{"n":"` + "\x00\xff":         "not JSON",
		strings.Repeat(`{"n":`, 1000): "not JSON",
		strings.Repeat(`{`, 1<<18):    "not JSON",
		strings.Repeat(`{n`, 1<<18):   "not JSON",
	} {
		m := &model{answers: []any{text}}
		answer, err := Ask(t.Context(), m.question(), hasN)
		got := ""
		switch {
		case errors.Is(err, errNotJSON) && errors.Is(err, ErrUnusable):
			got = "not JSON"
		case errors.Is(err, ErrUnusable):
			got = "form"
		case err == nil:
			got = strings.TrimSpace(fmt.Sprint(*answer.N, " ", answer.Note))
		}
		if got != want || err != nil && answer != (sum{}) {
			t.Errorf("%.60s: %s (%v), want %s", text, got, err, want)
		}
	}
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	const good, other, talk = `{"n":2}`, `{"note":"two"}`, "Two."
	busy, gone, odd := &llm.Error{Kind: llm.KindServer}, &llm.Error{Kind: llm.KindQuota}, errors.New("odd")
	for name, tt := range map[string]struct {
		answers     []any
		attempts    int
		interactive bool
		requests    int
		err         error
	}{
		"once":                      {[]any{talk, good}, 0, false, 1, ErrUnusable},
		"the first":                 {[]any{good}, 3, false, 1, nil},
		"the second":                {[]any{talk, good}, 3, false, 2, nil},
		"none":                      {[]any{other}, 3, false, 3, ErrUnusable},
		"another form":              {[]any{other, good}, 2, false, 2, nil},
		"busy":                      {[]any{busy, good}, 2, false, 2, nil},
		"busy every time":           {[]any{talk, busy}, 3, false, 3, busy},
		"unknown error":             {[]any{odd, good}, 2, false, 2, nil},
		"gone":                      {[]any{gone, good}, 2, false, 1, gone},
		"interactive, not JSON":     {[]any{talk, good}, 2, true, 2, nil},
		"interactive, busy":         {[]any{busy, good}, 2, true, 1, busy},
		"interactive, wrong form":   {[]any{other, good}, 2, true, 1, ErrUnusable},
		"interactive, never JSON":   {[]any{talk}, 2, true, 2, errNotJSON},
		"nothing of the one before": {[]any{other, `{"n":2,"more":""}`}, 2, false, 2, nil},
	} {
		m := &model{answers: tt.answers}
		q := m.question()
		q.Attempts, q.Interactive = tt.attempts, tt.interactive
		answer, err := Ask(t.Context(), q, hasN)
		if !errors.Is(err, tt.err) || err == nil && (*answer.N != 2 || answer.Note != "") || len(m.requests) != tt.requests {
			t.Errorf("%s: %+v, %v, asked %d times", name, answer, err, len(m.requests))
		}
	}
}

// Ask stops all attempts after Question.Timeout and does not retry after
// cancellation.
func TestTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &model{answers: []any{nil}}
		q := m.question()
		q.Timeout, q.Attempts = time.Minute, 5
		start := time.Now()
		_, err := Ask(t.Context(), q, hasN)
		if took := time.Since(start); took != time.Minute || err == nil || err.Error() != "it took longer than 1m0s" || len(m.requests) != 1 {
			t.Errorf("%v after %v and %d attempts", err, took, len(m.requests))
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := &model{answers: []any{"Two."}}
	q := m.question()
	q.Attempts = 5
	if _, err := Ask(ctx, q, hasN); err == nil || len(m.requests) > 1 {
		t.Errorf("%v after %d attempts", err, len(m.requests))
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	m := &model{answers: []any{`{"n":2}`}}
	q := m.question()
	instruction := llm.User(llm.Text("Be exact."))
	q.ResolveModel = func(string) (string, llm.Config, error) {
		return "m", llm.Config{SystemInstruction: instruction, TopK: new(1.0)}, nil
	}
	q.PromptID = "p"
	for _, system := range []string{"", "Add."} {
		q.System, q.Interactive = system, system != ""
		if _, err := Ask(t.Context(), q, hasN); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range m.requests {
		if r.Model != "m" || r.Use != llm.UseTool || r.PromptID != "p" || r.Contents[0] != q.Contents[0] || *r.Config.TopK != 1 || r.MaxAttempts != i ||
			r.Config.ResponseMIMEType != "application/json" || !json.Valid(r.Config.ResponseJSONSchema) ||
			r.Config.SystemInstruction.Text() != [...]string{"Be exact.", "Add."}[i] {
			t.Errorf("%d: %+v", i, r)
		}
	}
	noModel := errors.New("no model")
	q.ResolveModel = func(string) (string, llm.Config, error) { return "", llm.Config{}, noModel }
	if _, err := Ask(t.Context(), q, hasN); !errors.Is(err, noModel) || !strings.Contains(err.Error(), "sums") || len(m.requests) != 2 {
		t.Error(err)
	}
}

// Thoughts do not use up the output limit of an answer.
func TestMaxOutput(t *testing.T) {
	t.Parallel()
	budget := func(n int) *llm.Thinking { return &llm.Thinking{Budget: &n} }
	for name, tt := range map[string]struct {
		model    string
		thinking *llm.Thinking
		want     int
	}{
		"does not think":           {"gpt-4.1", nil, 1024},
		"nothing is known":         {"small", nil, 1024},
		"another's":                {"gpt-5-nano", nil, 0},
		"thinking off":             {"o3-mini", budget(0), 0},
		"by way of another":        {"openrouter/anthropic/claude-opus-4-6", budget(512), 0},
		"on this machine":          {"deepseek-r1:8b", nil, 0},
		"Gemini":                   {"gemini-3.1-flash-lite", budget(512), 1024},
		"Gemini, thinking off":     {"gemini-2.5-flash-lite", budget(0), 1024},
		"Gemini, as it likes":      {"gemini-2.5-flash", budget(-1), 0},
		"Gemini, as much":          {"gemini-2.5-flash", budget(1024), 0},
		"Gemini, of itself":        {"gemini-3.1-flash-lite", nil, 0},
		"Gemini, thinking level":   {"gemini-3-flash-preview", &llm.Thinking{Level: "HIGH"}, 0},
		"Gemini that cannot think": {"gemini-2.0-flash", nil, 1024},
	} {
		m := &model{answers: []any{`{"n":2}`}}
		q := m.question()
		q.ResolveModel = func(string) (string, llm.Config, error) {
			return tt.model, llm.Config{MaxOutputTokens: 1024, Thinking: tt.thinking}, nil
		}
		if _, err := Ask(t.Context(), q, hasN); err != nil || m.requests[0].Config.MaxOutputTokens != tt.want {
			t.Errorf("%s: %d tokens, want %d; %v", name, m.requests[0].Config.MaxOutputTokens, tt.want, err)
		}
	}
}

// FuzzFindObject checks that findObject returns a JSON object, and returns the same
// one with other text around it.
func FuzzFindObject(f *testing.F) {
	f.Add(`{"n":2}`, "Here:\n```json\n")
	f.Add(`{'a': {b: [`, "{the}")
	f.Add("```{n: True}", "")
	f.Fuzz(func(t *testing.T, text, before string) {
		object, err := findObject(text)
		if err != nil {
			return
		}
		if !json.Valid(object) || object[0] != '{' {
			t.Fatalf("%q: %q", text, object)
		}
		before = strings.ReplaceAll(before, "{", "")
		for _, around := range []string{before + text + before, before + string(object)} {
			if again, err := findObject(around); err != nil || string(again) != string(object) {
				t.Errorf("%q: %q and %v, not %q", around, again, err, object)
			}
		}
	})
}

// TestText checks that AskText returns plain text, asks for no JSON, and retries an empty
// answer.
func TestText(t *testing.T) {
	t.Parallel()
	m := &model{answers: []any{" \n", "\n{\"n\": 2} is it. \n"}}
	q := m.question()
	if _, err := AskText(t.Context(), q); !errors.Is(err, ErrUnusable) {
		t.Errorf("an empty answer is %v", err)
	}
	m.requests = nil
	q.Attempts = 2
	got, err := AskText(t.Context(), q)
	if got != `{"n": 2} is it.` || err != nil || len(m.requests) != 2 {
		t.Errorf("%q, %v after %d requests", got, err, len(m.requests))
	}
	if cfg := m.requests[0].Config; cfg.ResponseMIMEType != "" || cfg.ResponseJSONSchema != nil {
		t.Errorf("asked for %q", cfg.ResponseMIMEType)
	}
}
