package compress_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/llm"
	"pollux/llm/catalog"
)

// The model that is asked for the summary, and the start of the request.
func TestWriter(t *testing.T) {
	t.Parallel()
	system := llm.User(llm.Text("You are an agent."))
	tools := []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "run", Description: strings.Repeat("It runs. ", 4000)}}}}
	heat := 0.7
	conversation := func(string) llm.Config {
		return llm.Config{SystemInstruction: system, Tools: tools, Temperature: &heat, MaxOutputTokens: 99}
	}
	mini := func(string) (string, llm.Config, error) {
		return "mini", llm.Config{MaxOutputTokens: 7, Tools: tools}, nil
	}
	read := 0.3
	dear := &catalog.Price{Input: 3, Output: 15, CacheRead: &read}
	free := &catalog.Price{}
	prices := func(lead, other *catalog.Price) func(string) *catalog.Price {
		return func(model string) *catalog.Price {
			if model == "lead" {
				return lead
			}
			return other
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*compress.Options)
		model  string
		cached bool // the request begins like those of the conversation
		output int  // MaxOutputTokens
		warned string
	}{
		{"nothing is known of the conversation", func(o *compress.Options) { o.RequestConfig = nil }, "lead", false, 0, ""},
		{"the conversation's own", nil, "lead", true, 99, ""},
		{"another", func(o *compress.Options) { o.SummaryModel = mini }, "mini", false, 7, ""},
		{"another, nothing is known of the conversation", func(o *compress.Options) { o.SummaryModel, o.RequestConfig = mini, nil }, "mini", false, 7, ""},
		{"the same by name", func(o *compress.Options) {
			o.SummaryModel = func(m string) (string, llm.Config, error) { return m, llm.Config{MaxOutputTokens: 7}, nil }
		}, "lead", true, 99, ""},
		{"the conversation's own, apart from it", func(o *compress.Options) { o.Separate = true }, "lead", false, 99, ""},
		{"none by name", func(o *compress.Options) {
			o.SummaryModel = func(m string) (string, llm.Config, error) { return "", llm.Config{}, nil }
		}, "lead", true, 99, ""},
		{"the same by name, nothing is known of the conversation", func(o *compress.Options) {
			o.RequestConfig = nil
			o.SummaryModel = func(m string) (string, llm.Config, error) { return m, llm.Config{MaxOutputTokens: 7}, nil }
		}, "lead", false, 7, ""},
		{"an error", func(o *compress.Options) {
			o.SummaryModel = func(m string) (string, llm.Config, error) { return "", llm.Config{}, errors.New("no such alias") }
		}, "lead", true, 99, "no such alias"},
		{"another that is as dear", func(o *compress.Options) { o.SummaryModel, o.Price = mini, prices(dear, dear) }, "lead", true, 99, ""},
		{"another that is cheaper than the cache", func(o *compress.Options) { o.SummaryModel, o.Price = mini, prices(dear, free) }, "mini", false, 7, ""},
		{"another whose window is too small", func(o *compress.Options) {
			o.SummaryModel, o.Price, o.Limit = mini, prices(dear, free), func(string) int { return 6000 }
		}, "lead", true, 99, ""},
		{"unknown prices", func(o *compress.Options) { o.SummaryModel, o.Price = mini, prices(dear, nil) }, "mini", false, 7, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, warned := writes(form("go")), ""
			c := newCompressor(t, s, func(o *compress.Options) {
				o.RequestConfig = conversation
				o.Warn = func(w string) { warned = w }
				if tt.change != nil {
					tt.change(o)
				}
			})
			history := append([]agent.Message{opening()}, talk(10, 4000)...)
			over := forced(history)
			over.Tokens += 10_000
			if _, done := c.Compress(t.Context(), over); done.Status != agent.CompressedOK || len(s.requests) != 2 {
				t.Fatalf("%+v", done)
			}
			if (tt.warned == "") != (warned == "") || !strings.Contains(warned, tt.warned) {
				t.Errorf("warned %q", warned)
			}
			for _, r := range s.requests {
				if r.Model != tt.model || r.Config.MaxOutputTokens != tt.output {
					t.Errorf("%s is asked, for %d tokens", r.Model, r.Config.MaxOutputTokens)
				}
				if !cmp.Equal(r.Contents[:9], contents(history[:9]), pointers) {
					t.Error("the history is sent again")
				}
				told := r.Config.SystemInstruction
				if tt.cached {
					if told != system || r.Config.Tools[0] != tools[0] || r.Config.ToolConfig != nil || r.Config.Temperature != &heat {
						t.Error("the request begins otherwise than the conversation's")
					}
					told = r.Contents[9]
					if !strings.HasPrefix(told.Text(), "[This is from Pollux") {
						t.Errorf("%.60q", told.Text())
					}
				} else if r.Config.Tools != nil {
					t.Error("tools are offered")
				}
				if told == nil || !strings.Contains(told.Text(), "<scratchpad>") || !strings.Contains(told.Text(), "<task_state>") {
					t.Errorf("its system instruction is %q", told.Text())
				}
			}
		})
	}
}

// A model that calls a tool instead is asked again without tools.
func TestCallsATool(t *testing.T) {
	t.Parallel()
	tools := []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "run"}}}}
	for _, reason := range []llm.FinishReason{llm.FinishStop, llm.FinishMalformedFunctionCall, llm.FinishUnexpectedToolCall} {
		s := &scribe{answer: func(_ int, req *llm.Request) (*llm.Response, error) {
			if req.Config.Tools == nil {
				return text(form("go")), nil
			}
			return &llm.Response{Candidates: []llm.Candidate{{Content: call("1", "run").Content, FinishReason: reason}}}, nil
		}}
		c := newCompressor(t, s, func(o *compress.Options) {
			o.RequestConfig = func(string) llm.Config { return llm.Config{Tools: tools, MaxOutputTokens: 9} }
		})
		_, done := c.Compress(t.Context(), forced(talk(10, 400)))
		if done.Status != agent.CompressedOK || len(s.requests) != 3 || s.requests[1].Config.MaxOutputTokens != 9 {
			t.Errorf("%s: %+v after %d requests", reason, done, len(s.requests))
		}
	}
	// A response that calls a tool that the request does not declare is not a summary.
	s := &scribe{answer: func(int, *llm.Request) (*llm.Response, error) {
		return &llm.Response{Candidates: []llm.Candidate{{Content: call("1", "run").Content}}}, nil
	}}
	c := newCompressor(t, s, func(o *compress.Options) { o.Warn = nil })
	if _, done := c.Compress(t.Context(), forced(talk(10, 400))); done.Status != agent.CompressEmptySummary || len(s.requests) != 1 {
		t.Errorf("%+v after %d requests", done, len(s.requests))
	}
}

// A model that does not exist is asked once. The conversation's own model writes the summaries from then on.
func TestMissingWriter(t *testing.T) {
	t.Parallel()
	for _, kind := range []llm.ErrorKind{llm.KindModelNotFound, llm.KindForbidden} {
		s := &scribe{answer: func(_ int, req *llm.Request) (*llm.Response, error) {
			if req.Model == "mini" {
				return nil, &llm.Error{Kind: kind, Message: "no such model."}
			}
			return text(form("go")), nil
		}}
		var warned []string
		c := newCompressor(t, s, func(o *compress.Options) {
			o.SummaryModel = func(string) (string, llm.Config, error) { return "mini", llm.Config{}, nil }
			o.Warn = func(w string) { warned = append(warned, w) }
		})
		for range 2 {
			if _, done := c.Compress(t.Context(), forced(talk(10, 400))); done.Status != agent.CompressedOK {
				t.Errorf("%v: %+v", kind, done)
			}
		}
		if len(s.requests) != 5 || len(warned) != 1 || !strings.HasPrefix(warned[0], "mini cannot summarize the conversation: ") {
			t.Errorf("%v: %d requests, warned %q", kind, len(s.requests), warned)
		}
	}
}

// The window of the writer counts, not that of the conversation's model.
func TestWritersWindow(t *testing.T) {
	t.Parallel()
	s := recalls(8000)
	c := newCompressor(t, s, func(o *compress.Options) {
		o.SummaryModel = func(string) (string, llm.Config, error) { return "mini", llm.Config{}, nil }
		o.Limit = func(model string) int { return map[string]int{"mini": 8000}[model] }
	})
	if _, done := c.Compress(t.Context(), forced(talk(100, 1000))); done.Status != agent.CompressedOK || len(s.requests) < 4 {
		t.Errorf("%+v after %d requests", done, len(s.requests))
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	s := writes(form("go"))
	c := newCompressor(t, s, func(o *compress.Options) { o.PlanPath = func() string { return "/p/plans/x.md" } })
	c.Compress(t.Context(), forced(talk(10, 400)))
	if told := s.requests[0].Config.SystemInstruction.Text(); !strings.Contains(told, "/p/plans/x.md") || !strings.Contains(told, "in <task_state>") {
		t.Errorf("%.200s", told)
	}
}

// The request contains the focus of the person.
func TestFocus(t *testing.T) {
	t.Parallel()
	s := writes(form("go"))
	o := forced(talk(10, 400))
	o.Focus = "the schema of the tables"
	newCompressor(t, s, nil).Compress(t.Context(), o)
	contents := s.requests[0].Contents
	if asked := contents[len(contents)-1].Text(); !strings.HasSuffix(asked, ": the schema of the tables") {
		t.Errorf("asked: %s", asked)
	}
}

// Alias returns the alias of each model.
func TestAlias(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"gemini-3-pro-preview":   "chat-compression-3-pro",
		"gemini-3.1-pro-preview": "chat-compression-3-pro",
		"gemini-3-flash-preview": "chat-compression-3-flash",
		"gemini-3.5-flash":       "chat-compression-3-flash",
		"gemini-3.8-flash":       "chat-compression-3-flash",
		"gemini-3.1-flash-lite":  "chat-compression-3.1-flash-lite",
		"gemini-3.5-flash-lite":  "chat-compression-3.1-flash-lite",
		"gemini-2.5-pro":         "chat-compression-2.5-pro",
		"gemini-2.5-flash":       "chat-compression-2.5-flash",
		"gemini-2.5-flash-lite":  "chat-compression-2.5-flash-lite",
		"gemini-1.5-pro":         "chat-compression-default",
		"claude-sonnet-4-5":      "chat-compression-default",
		"":                       "chat-compression-default",
	} {
		if got := compress.Alias(model); got != want {
			t.Errorf("Alias(%q) = %q, want %q", model, got, want)
		}
	}
}

// IsContext recognizes messages of the opening without their tag.
func TestOpening(t *testing.T) {
	t.Parallel()
	history := append([]agent.Message{user("This is the setup."), model("Got it.")}, talk(10, 400)...)
	c := newCompressor(t, writes(form("go")), func(o *compress.Options) {
		o.IsContext = func(m agent.Message) bool {
			return m.Content == history[0].Content || m.Content == history[1].Content
		}
	})
	got, _ := c.Compress(t.Context(), forced(history))
	if got[0].Content != history[0].Content || got[1].Content != history[1].Content || !strings.HasPrefix(got[2].Content.Text(), "<state_snapshot>") {
		t.Errorf("%q", flat(got))
	}
}
