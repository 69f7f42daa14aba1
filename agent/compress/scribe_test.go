package compress_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/llm"
)

// scribe is a model that writes summaries with a function of the test.
type scribe struct {
	requests []*llm.Request
	answer   func(n int, req *llm.Request) (*llm.Response, error) // n from 0
	count    func(ctx context.Context, req *llm.Request) (int, error)
}

func (s *scribe) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.requests = append(s.requests, req)
	return s.answer(len(s.requests)-1, req)
}

func (s *scribe) Stream(context.Context, *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) { yield(nil, errors.New("not scripted")) }
}

func (s *scribe) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	if s.count != nil {
		return s.count(ctx, req)
	}
	return 0, errors.New("not scripted")
}

func (s *scribe) Embed(context.Context, string, []string) ([][]float32, error) {
	return nil, errors.New("not scripted")
}

// writes returns a scribe that gives these answers in turn, and then the last one again.
func writes(answers ...string) *scribe {
	return &scribe{answer: func(n int, _ *llm.Request) (*llm.Response, error) {
		return text(answers[min(n, len(answers)-1)]), nil
	}}
}

func text(s string) *llm.Response {
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(s)), FinishReason: llm.FinishStop}}}
}

// form returns a snapshot with this goal.
func form(goal string) string {
	return "<state_snapshot>\n<overall_goal>" + goal + "</overall_goal>\n</state_snapshot>"
}

// newer follows a snapshot in a history.
const newer = "\n\n[The messages after this snapshot are newer than it. Where they differ from it, they are right.]"

func user(s string) agent.Message  { return agent.Message{ID: "u", Content: llm.User(llm.Text(s))} }
func model(s string) agent.Message { return agent.Message{ID: "m", Content: llm.Model(llm.Text(s))} }

func call(id, name string) agent.Message {
	return agent.Message{ID: "c" + id, Content: llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: name, Args: json.RawMessage(`{"a":1}`)}})}
}

func result(id, name, output string) agent.Message {
	return agent.Message{ID: "r" + id, Content: llm.User(llm.Part{FunctionResponse: llm.Output(id, name, output)})}
}

func opening() agent.Message {
	return user("<session_context>\nToday is a day.\n</session_context>")
}

// talk returns n messages, prompts and answers by turns, each of about size
// characters.
func talk(n, size int) []agent.Message {
	var messages []agent.Message
	for i := range n {
		s := fmt.Sprintf("%06d ", i) + strings.Repeat("word ", max(0, size-7)/5)
		if i%2 == 0 {
			messages = append(messages, user(s))
		} else {
			messages = append(messages, model(s))
		}
	}
	return messages
}

// rounds returns n rounds of a call and a result of about size characters.
func rounds(from, n, size int) []agent.Message {
	var messages []agent.Message
	for i := from; i < from+n; i++ {
		id := fmt.Sprintf("run__%d", i)
		messages = append(messages, call(id, "run"), result(id, "run", strings.Repeat("line ", size/5)))
	}
	return messages
}

func tokens(messages []agent.Message) int {
	n := 0
	for _, m := range messages {
		n += m.Content.Tokens()
	}
	return n
}

func forced(history []agent.Message) agent.CompressRequest {
	return agent.CompressRequest{History: history, Model: "lead", Tokens: tokens(history), Limit: 1_000_000, Force: true, PromptID: "p1"}
}

// contents returns the pointers of a history.
func contents(messages []agent.Message) []*llm.Content {
	var out []*llm.Content
	for _, m := range messages {
		out = append(out, m.Content)
	}
	return out
}

func quiet(t *testing.T) func(string) {
	return func(s string) {
		t.Helper()
		t.Errorf("warned: %s", s)
	}
}

func newCompressor(t *testing.T, s *scribe, change func(*compress.Options)) *compress.Compressor {
	o := compress.Options{Generator: s, Warn: quiet(t)}
	if change != nil {
		change(&o)
	}
	return compress.New(o)
}
