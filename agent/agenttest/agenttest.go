// Package agenttest has questions and events about tool calls, and a gate that lets calls run, for
// tests of faces and of observers.
package agenttest

import (
	"context"
	"encoding/json"
	"time"

	"pollux/agent"
	"pollux/tool"
)

// Question returns a question about a call that shows these details. Its call has no arguments if those of
// the given one are not a JSON object.
func Question(call *agent.ToolCall, details tool.Confirmation) *agent.Question {
	args := call.Args
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	p, err := agent.Prepare(call, shown{spec: &tool.Spec{Name: call.Name}, details: details}, args)
	if err != nil {
		panic(err) // the test passes arguments that are not JSON
	}
	q, err := p.Approval(context.Background(), func(c tool.Confirmation) tool.Confirmation { return c })
	if err != nil {
		panic(err) // cannot happen
	}
	return q
}

// shown is a tool whose calls show details.
type shown struct {
	spec    *tool.Spec
	details tool.Confirmation
}

func (s shown) Spec() *tool.Spec                                        { return s.spec }
func (s shown) Build(json.RawMessage) (tool.Invocation, error)          { return s, nil }
func (s shown) Summary() string                                         { return "" }
func (s shown) Locations() []tool.Location                              { return nil }
func (s shown) Confirmation(context.Context) (tool.Confirmation, error) { return s.details, nil }
func (s shown) Run(context.Context, tool.Host) *tool.Result             { return &tool.Result{} }

// Finished returns the end of a call that ran as it was written. A nil result is an empty one.
func Finished(call *agent.ToolCall, status agent.Status, r *tool.Result) agent.ToolFinished {
	if r == nil {
		r = &tool.Result{}
	}
	x := agent.Refused(call, r)
	x.Status, x.HasRun, x.Decision.Outcome = status, status != agent.CallCancelled, tool.ProceedOnce
	return agent.ToolFinished{Call: call, Status: status, Result: r, Executions: []agent.Execution{x}}
}

// FinishedAfter is [Finished] for a call that took this long.
func FinishedAfter(took time.Duration, call *agent.ToolCall, status agent.Status, r *tool.Result) agent.ToolFinished {
	f := Finished(call, status, r)
	f.Duration, f.Active = took, took
	f.Executions[0].Duration, f.Executions[0].Active = took, took
	return f
}

// Admit lets a call run without a question, unless its arguments are invalid. A gate for tests calls it.
func Admit(call *agent.ToolCall, t tool.Tool) agent.Admission {
	p, err := agent.Prepare(call, t, call.Args)
	if err != nil {
		return agent.Admission{Record: agent.Refused(call, tool.Fail(tool.ErrInvalidParams, err.Error()))}
	}
	record := p.Record(agent.Decision{By: agent.DecidedByPolicy, Outcome: tool.ProceedOnce})
	return agent.Admission{Call: p, Record: record, Run: func(ctx context.Context, host agent.Host) []agent.Execution {
		x := record
		x.HasRun, x.Status = true, agent.Success
		if x.Result = p.Run(ctx, host); x.Result.Error != nil {
			x.Status = agent.Failed
		}
		return []agent.Execution{x}
	}}
}

// Refuse returns the admission of a call that does not run, as if a person had refused it.
func Refuse(call *agent.ToolCall, r *tool.Result) agent.Admission {
	record := agent.Refused(call, r)
	record.Status, record.Decision = agent.CallCancelled, agent.Decision{By: agent.DecidedByUser, Outcome: tool.Cancel}
	return agent.Admission{Record: record, Cancelled: true}
}
