package app

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/auth"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/stats"
	"pollux/llm"
	"pollux/tool"
)

// Trip is what came of a round trip to a model: it was asked to call a tool, and
// got the result.
type Trip struct {
	// Calls is how it called the tool: [CallsNative], [CallsInWords], or "" if it
	// did not.
	Calls string
	// Heard says that its answer has what the tool said. Answer is that answer.
	Heard  bool
	Answer string
	// First is how long the first piece of the first answer took, 0 if none came;
	// Total all of it.
	First, Total time.Duration
	Requests     int
	Usage        llm.Usage // of all requests
	Cost         *float64  // in US dollars, nil where the price is not known
	// Switches are the models that could not answer, and which ones took their place.
	Switches []llm.Switch
	// Err is why it failed: with the last of them, if there are any.
	Err error
}

// The ways in which models call tools: by their protocol, or in text that Pollux
// reads (llm/texttool).
const (
	CallsNative  = "native"
	CallsInWords = "words"
)

// Try asks the model that a run with these options would ask, through the loop and
// all that a run's requests pass, but for what asks the same one again. It costs a
// few hundred tokens. When ctx ends, the cause of that is the trip's error.
func Try(ctx context.Context, accounts *auth.Accounts, o Options) Trip {
	a := &App{Stats: stats.New(), options: o}
	a.now.Store(&now{})
	a.configure(o)
	if err := a.settle(ctx, accounts, o); err != nil {
		return Trip{Err: err}
	}
	var t Trip
	turns := 3
	see := &watched{Generator: a.Stats.Meter(logged(a.models, o.Log)), start: time.Now()}
	one := agent.New(agent.Config{
		Generator: a.withStandIns(o, a.withTools(o, see), func() bool { return o.Mode == policy.Plan }),
		Model:     a.Model(),
		Tools:     tool.NewRegistry(check{}),
		Gate:      guard.New(guard.Options{Policy: policy.New(policy.Options{Mode: policy.Yolo, Trusted: true})}), // of this one tool
		Sampling:  a.configs.Chat,
		Limit:     func(model string) int { return a.describe(model).Input },
		MaxTurns:  &turns,
		Retry:     agent.StreamRetry{Attempts: 1},
	})
	t.follow(one.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text(errand)}}))
	if ctx.Err() != nil {
		t.Err = context.Cause(ctx)
	}
	t.Total, t.First = time.Since(see.start), see.first
	if t.Calls != "" && see.native {
		t.Calls = CallsNative
	}
	t.Heard = strings.Contains(strings.ToLower(t.Answer), word)
	t.count(a.Stats.Snapshot())
	return t
}

// follow takes in what happens.
func (t *Trip) follow(events iter.Seq2[agent.Event, error]) {
	for e, err := range events {
		if err != nil {
			t.Err = err
		}
		switch e := e.(type) {
		case agent.Switched:
			t.Switches = append(t.Switches, e.Switch)
		case agent.Text:
			t.Answer += e.Text
		case agent.ToolFinished:
			if t.Answer = ""; e.Status == agent.Success {
				t.Calls = CallsInWords
			}
		case agent.InvalidStream:
			t.Err = errors.New(e.Message)
		case agent.MaxTurns:
			t.Err = errors.New("the model goes on calling the tool")
		case agent.Overflow:
			if t.Err = e.Err; t.Err == nil {
				t.Err = errors.New("a few words and one tool are more than the model takes")
			}
		}
	}
	t.Answer = strings.TrimSpace(t.Answer)
}

// count adds up what it cost.
func (t *Trip) count(s stats.Snapshot) {
	for i := range s.Models {
		api := &s.Models[i].API
		t.Requests += api.Requests
		t.Usage.Prompt += api.Tokens.Prompt
		t.Usage.Candidates += api.Tokens.Candidates
		t.Usage.Thoughts += api.Tokens.Thoughts
		t.Usage.Total += api.Tokens.Total
	}
	t.Cost = s.Cost()
}

// watched sees what a model itself says, before calls are read from its words.
type watched struct {
	llm.Generator
	start  time.Time
	first  time.Duration
	native bool
}

var _ llm.Generator = (*watched)(nil)

// Unwrap returns the generator below.
func (w *watched) Unwrap() llm.Generator { return w.Generator }

// Stream implements [llm.Generator].
func (w *watched) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for r, err := range w.Generator.Stream(ctx, req) {
			if parts := r.Parts(); len(parts) > 0 {
				if w.first == 0 {
					w.first = time.Since(w.start)
				}
				for i := range parts {
					w.native = w.native || parts[i].FunctionCall != nil
				}
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// word is what the tool says, and the model should repeat.
const word = "quince"

const errand = "This tests the connection. Call the tool connection_check once, with ping set to \"hello\". " +
	"It answers with a word; then say that word, and nothing else."

// check is a tool that does nothing.
type check struct{}

var checkSpec = tool.Spec{
	Name: "connection_check", DisplayName: "ConnectionCheck", Kind: tool.KindThink,
	Description: "Answers with a word. It does nothing else.",
	Schema:      json.RawMessage(`{"type":"object","properties":{"ping":{"type":"string","description":"Any text."}},"required":["ping"]}`),
}

func (check) Spec() *tool.Spec { return &checkSpec }

func (check) Build(json.RawMessage) (tool.Invocation, error) { return check{}, nil }

func (check) Summary() string { return "Answer with a word" }

func (check) Locations() []tool.Location { return nil }

func (check) Confirmation(context.Context) (tool.Confirmation, error) { return nil, nil }

func (check) Run(context.Context, tool.Host) *tool.Result {
	return tool.Text("The word is " + word + ".")
}
