package compress_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/llm"
	"pollux/tool"
)

// server responds to a conversation as a vendor with a window of limit tokens does: it refuses
// requests that are too long, and reports the usage of all others.
type server struct {
	*scribe
	limit, refused int
	cached         bool         // summaries must be asked for like the conversation
	last           *llm.Request // of the conversation
}

// Generate counts the part of a summary's request that the conversation has not sent before.
func (s *server) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if s.last != nil {
		for i, c := range req.Contents {
			if i >= len(s.last.Contents) || s.last.Contents[i] != c {
				if fresh := len(req.Contents) - i; fresh != 1 && fresh != 3 {
					return nil, fmt.Errorf("%d of %d messages are not in the vendor's cache", fresh, len(req.Contents))
				}
				break
			}
		}
		if req.Config.SystemInstruction != s.last.Config.SystemInstruction && s.cached {
			return nil, errors.New("the system instruction is not in the vendor's cache")
		}
	}
	return s.scribe.Generate(ctx, req)
}

func (s *server) Stream(_ context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		n := 0
		for _, c := range req.Contents {
			n += c.Tokens()
		}
		if n > s.limit {
			s.refused++
			yield(nil, &llm.Error{Kind: llm.KindContextWindow, Size: llm.RequestSize{Prompt: n, Window: s.limit}})
			return
		}
		s.last = req
		r := text("Done: " + strings.Repeat("words ", 200))
		r.Usage = &llm.Usage{Prompt: n, Candidates: 300, Total: n + 300}
		yield(r, nil)
	}
}

type noGate struct{}

func (noGate) Admit(_ context.Context, call *agent.ToolCall, _ tool.Tool, _ agent.Ask) agent.Admission {
	return agent.Admission{Record: agent.Refused(call, tool.Fail(tool.ErrUnknown, "no tools here"))}
}

// In an agent, a session far longer than the window is never refused, or once if the window is
// unknown, and the model still knows its beginning.
func TestInTheLoop(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]int{"known": 10_000, "not known": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{scribe: recalls(10_000), limit: 10_000, cached: true}
			system := llm.User(llm.Text("You are an agent."))
			a := agent.New(agent.Config{
				Generator: s, Model: "m", Tools: tool.NewRegistry(), Gate: noGate{},
				System:  func(tool.Form) *llm.Content { return system },
				Context: []agent.Message{opening()},
				Limit:   func(string) int { return known },
				Compressor: compress.New(compress.Options{
					Generator: s, Warn: quiet(t),
					RequestConfig: func(string) llm.Config { return llm.Config{SystemInstruction: system} },
				}),
			})
			var seen []agent.Compression
			for i := range 200 {
				prompt := fmt.Sprintf("Prompt %d: %s", i, strings.Repeat("please ", 100))
				if i == 5 {
					prompt += "FACT-5"
				}
				for e, err := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text(prompt)}}) {
					if err != nil {
						t.Fatalf("prompt %d: %v", i, err)
					}
					switch e := e.(type) {
					case agent.Compressed:
						seen = append(seen, e.Compression)
					case agent.Overflow, agent.InvalidStream:
						t.Fatalf("prompt %d: %+v", i, e)
					}
				}
			}
			history := a.History()
			valid(t, history)
			if len(seen) < 10 || s.refused > 1 || !strings.Contains(flat(history), "FACT-5") {
				t.Errorf("%d compressions, %d requests refused", len(seen), s.refused)
			}
			for _, c := range seen {
				if c.Status != agent.CompressedOK || c.After >= c.Before {
					t.Errorf("%+v", c)
				}
			}
		})
	}
}

// The run continues if the summary fails.
func TestFailsSoftly(t *testing.T) {
	t.Parallel()
	s := &server{limit: 100_000, scribe: &scribe{answer: func(int, *llm.Request) (*llm.Response, error) {
		return nil, errors.New("no")
	}}}
	warnings := 0
	a := agent.New(agent.Config{
		Generator: s, Model: "m", Tools: tool.NewRegistry(), Gate: noGate{},
		Limit:      func(string) int { return 6_000 },
		Compressor: compress.New(compress.Options{Generator: s, Warn: func(string) { warnings++ }}),
	})
	answered := 0
	for range 20 {
		for e, err := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("go on")}}) {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := e.(agent.Finished); ok {
				answered++
			}
		}
	}
	if answered != 20 || warnings == 0 || warnings > 2 {
		t.Errorf("%d of 20 prompts answered, %d warnings", answered, warnings)
	}
}
