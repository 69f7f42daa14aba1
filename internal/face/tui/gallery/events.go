package gallery

import (
	"context"
	"encoding/json"

	"pollux/agent"
	"pollux/tool"
)

// sampleTool is a tool whose calls have a summary, and do nothing.
type sampleTool struct{ name, summary string }

// Spec implements [tool.Tool].
func (s sampleTool) Spec() *tool.Spec { return &tool.Spec{Name: s.name} }

// Build implements [tool.Tool].
func (s sampleTool) Build(json.RawMessage) (tool.Invocation, error) {
	return sampleCall{tool.Described{Text: s.summary}}, nil
}

// sampleCall is a call of a sampleTool.
type sampleCall struct{ tool.Described }

// Run implements [tool.Invocation].
func (sampleCall) Run(context.Context, tool.Host) *tool.Result { return &tool.Result{} }

// prepared returns a call as it would run, nil if there is none.
func prepared(name, summary string) *agent.PreparedCall {
	p, err := agent.Prepare(callOf(name), sampleTool{name, summary}, json.RawMessage(`{}`))
	if err != nil {
		return nil
	}
	return p
}

// questionOf returns the question about a call.
func questionOf(name, summary string, details tool.Confirmation) *agent.Question {
	q, err := prepared(name, summary).Approval(context.Background(), func(tool.Confirmation) tool.Confirmation { return details })
	if err != nil {
		return nil
	}
	return q
}

func callOf(name string) *agent.ToolCall { return &agent.ToolCall{ID: name + "__1", Name: name} }

// began returns the event of a call that runs.
func began(c *agent.ToolCall, kind tool.Kind, summary string, files ...tool.Location) agent.Event {
	return agent.ToolUpdated{Call: c, Status: agent.Executing, Kind: kind, Summary: summary, Locations: files}
}

// ended returns the event of the end of a call.
func ended(c *agent.ToolCall, status agent.Status, r *tool.Result) agent.ToolFinished {
	x := agent.Refused(c, r)
	x.Status, x.HasRun = status, status != agent.CallCancelled
	return agent.ToolFinished{Call: c, Status: status, Result: r, Executions: []agent.Execution{x}}
}
