package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/assembly"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/records"
	"pollux/internal/stats"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/observe"
	"pollux/llm/texttool"
	"pollux/tool"
)

// probeResult is the result of a test request, which asks the model to call a tool and to
// repeat the tool result.
type probeResult struct {
	// Calls is the way in which the model called the tool: [callsNative], [callsInText], or ""
	// if it did not.
	Calls string
	// Repeated reports whether the answer contains the tool result. Answer is the model's last
	// answer.
	Repeated bool
	Answer   string
	// First is the time until the first content of the response, 0 if there was none. Total is
	// the time of the whole test.
	First, Total time.Duration
	Requests     int
	Usage        llm.Usage // total of all requests
	Cost         *float64  // in US dollars, nil if unknown
	// Switches are the changes to a fallback model after an error.
	Switches []llm.Switch
	// Err is the error that ended the test, or nil. If there are switches, it is the error of
	// the last model.
	Err error
}

// The ways in which models call tools: native tool calls, or text that Pollux parses
// (llm/texttool).
const (
	callsNative = "native"
	callsInText = "words"
)

// probe sends the test request to the model that a run would use. The request takes the same
// path as the requests of a run, including fallback models, but Pollux does not retry it. If
// ctx ends, its cause is the error of the result.
func probe(ctx context.Context, c *modelChoice) probeResult {
	quiet := c.set.WithWarn(nil) // the report already contains the warnings
	counts := &stats.Counter{Price: func(model string) *catalog.Price { return c.models.Describe(model).Price }}
	observer := &responseObserver{start: time.Now()}
	isPlanning := func() bool { return c.set.Mode == policy.Plan }
	cfg := assembly.Base(c.models, c.set.Settings())
	cfg.Model, cfg.MaxTurns, cfg.Retry.Attempts = c.model, new(3), 1
	cfg.Generator = assembly.WithStandIns(quiet, c.models, assembly.WithToolCalls(quiet, c.models, records.New(counts).Observe(c.models, observer, observe.Log(c.set.Log)), texttool.Options{}), isPlanning, nil)
	cfg.Tools = tool.NewRegistry(probeTool{})
	cfg.Gate = guard.New(guard.Options{Policy: policy.New(policy.Options{Mode: policy.Yolo, Trust: trust.NewLive(trust.Trusted)})}) // approves the only tool
	probeAgent := agent.New(cfg)
	var r probeResult
	r.readEvents(probeAgent.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text(probePrompt)}}))
	if ctx.Err() != nil {
		r.Err = context.Cause(ctx)
	}
	r.Total, r.First = time.Since(observer.start), observer.first
	if r.Calls != "" && observer.native {
		r.Calls = callsNative
	}
	r.Repeated = strings.Contains(strings.ToLower(r.Answer), probeWord)
	r.addUsage(counts.Snapshot())
	return r
}

func (r *probeResult) readEvents(events iter.Seq2[agent.Event, error]) {
	for e, err := range events {
		if err != nil {
			r.Err = err
		}
		switch e := e.(type) {
		case agent.Switched:
			r.Switches = append(r.Switches, e.Switch)
		case agent.Text:
			r.Answer += e.Text
		case agent.ToolFinished:
			if r.Answer = ""; e.Status == agent.Success {
				r.Calls = callsInText
			}
		case agent.InvalidStream:
			r.Err = errors.New(e.Message)
		case agent.MaxTurns:
			r.Err = errors.New("the model keeps calling the tool")
		case agent.Overflow:
			if r.Err = e.Err; r.Err == nil {
				r.Err = errors.New("the test request does not fit into the context window of the model")
			}
		}
	}
	r.Answer = strings.TrimSpace(r.Answer)
}

// addUsage adds the requests, the tokens and the cost of the test to the result.
func (r *probeResult) addUsage(s stats.Snapshot) {
	for i := range s.Models {
		api := &s.Models[i].API
		r.Requests += api.Requests
		r.Usage.Prompt += api.Tokens.Prompt
		r.Usage.Candidates += api.Tokens.Candidates
		r.Usage.Thoughts += api.Tokens.Thoughts
		r.Usage.Total += api.Tokens.Total
	}
	r.Cost = s.Cost()
}

// responseObserver records when the first content arrived, and whether a response contained a
// native tool call. It is not safe for concurrent requests.
type responseObserver struct {
	start  time.Time
	first  time.Duration // from start to the first content, 0 if none
	native bool          // whether there was a native tool call
}

func (w *responseObserver) Begin(*llm.Request) observe.Call { return w }

func (w *responseObserver) See(r *llm.Response, _ error) {
	parts := r.Parts()
	if len(parts) > 0 && w.first == 0 {
		w.first = time.Since(w.start)
	}
	for i := range parts {
		w.native = w.native || parts[i].FunctionCall != nil
	}
}

func (w *responseObserver) End() {}

// probeWord is the word that the tool returns and the model should repeat.
const probeWord = "quince"

const probePrompt = "This tests the connection. Call the tool connection_check once, with ping set to \"hello\". " +
	"It answers with a word; then say that word, and nothing else."

// probeTool is a tool that returns a fixed word and has no side effects.
type probeTool struct{}

var probeSpec = tool.Spec{
	Name: "connection_check", DisplayName: "ConnectionCheck", Kind: tool.KindThink,
	Description: "Answers with a word. It does nothing else.",
	Schema:      json.RawMessage(`{"type":"object","properties":{"ping":{"type":"string","description":"Any text."}},"required":["ping"]}`),
}

func (probeTool) Spec() *tool.Spec { return &probeSpec }

func (probeTool) Build(json.RawMessage) (tool.Invocation, error) { return probeTool{}, nil }

func (probeTool) Summary() string { return "Answer with a word" }

func (probeTool) Locations() []tool.Location { return nil }

func (probeTool) Confirmation(context.Context) (tool.Confirmation, error) { return nil, nil }

func (probeTool) Run(context.Context, tool.Host) *tool.Result {
	return tool.Text("The word is " + probeWord + ".")
}
