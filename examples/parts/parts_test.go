// Package parts has an example of each part of the agent that a program can bring itself: a tool, a model, hooks
// around requests, a compressor, and a history store. Each file is one example, which go test runs.
package parts

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// script is a model that gives these answers in turn. The examples need no key and no network.
type script struct {
	llm.Generator
	answers []llm.Part
}

func (s *script) Stream(_ context.Context, _ *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		next := s.answers[0]
		s.answers = s.answers[1:]
		yield(answer(next), nil)
	}
}

// answer returns a complete response.
func answer(part llm.Part) *llm.Response {
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(part), FinishReason: llm.FinishStop}}}
}

// call returns a call of a tool, as a model makes it.
func call(name, args string) llm.Part {
	return llm.Part{FunctionCall: &llm.FunctionCall{ID: name, Name: name, Args: json.RawMessage(args)}}
}

// open is a gate that lets every call run. A real one decides first, and asks a person.
type open struct{}

func (open) Admit(_ context.Context, c *agent.ToolCall, t tool.Tool, _ agent.Ask) agent.Admission {
	prepared, err := agent.Prepare(c, t, c.Args)
	if err != nil {
		return agent.Admission{Record: agent.Refused(c, tool.Fail(tool.ErrInvalidParams, err.Error()))}
	}
	record := prepared.Record(agent.Decision{})
	return agent.Admission{Call: prepared, Record: record, Run: func(ctx context.Context, host agent.Host) []agent.Execution {
		record.HasRun, record.Status, record.Result = true, agent.Success, prepared.Run(ctx, host)
		if record.Result.Error != nil {
			record.Status = agent.Failed
		}
		return []agent.Execution{record}
	}}
}

// say sends a prompt and prints the answer.
func say(a *agent.Agent, prompt string) {
	for event, err := range a.Run(context.Background(), agent.TextPrompt(prompt)) {
		switch e := event.(type) {
		case agent.Text:
			fmt.Println(e.Text)
		case nil:
			fmt.Println("Error:", err)
		}
	}
}
