// Package guard is the gate: the one way in which a tool call reaches the
// world. A call passes the same steps in the same order, whoever asks for it:
//
//	validate -> policy -> hooks -> confirm -> snapshot -> sandboxed run -> hooks -> trim -> record
//
// The steps up to confirm are taken by [Gate.Admit], one after the other; the
// rest by the run it returns. There is no side door: tools don't ask, don't
// decide and don't cut their output to size by themselves.
package guard

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync/atomic"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/tool"
)

// Options are what a [Gate] works with.
type Options struct {
	Policy *policy.Engine
	// Interactive says that a person is there to answer.
	Interactive bool
	// Subagent is the name of the agent that calls, "" for the main one.
	Subagent string

	Origins  Origins  // nil suspects nothing
	Hooks    Hooks    // nil is none
	Snapshot Snapshot // nil takes none
	Sandbox  Sandbox  // nil runs tools as they are
	Record   Record   // nil keeps none

	// Threshold is how many characters of a long output the model gets; 0 or
	// less is all of it (tools.truncateToolOutputThreshold).
	Threshold int
	// OutputDir names the directory for outputs that are longer. It is called
	// when the first one comes.
	OutputDir func() (string, error)
	// Log takes what only debugging needs; nil drops it.
	Log *slog.Logger
}

// Snapshot makes changes undoable.
type Snapshot interface {
	// Before is called before a call runs. An error keeps it from running.
	Before(ctx context.Context, call *agent.ToolCall, spec *tool.Spec, files []tool.Location) error
}

// Sandbox runs an invocation where it can do no more than it should.
type Sandbox func(ctx context.Context, spec *tool.Spec, inv tool.Invocation, host tool.Host) *tool.Result

// Record keeps what came of the calls.
type Record interface {
	After(ctx context.Context, call *agent.ToolCall, args json.RawMessage, outcome tool.Outcome, result *tool.Result)
}

// Remote is implemented by tools that an MCP server offers. Policies ask for
// the server's name, as configured, and the tool's annotations.
type Remote interface {
	Server() string
	Annotations() map[string]any
}

// Gate implements [agent.Gate].
type Gate struct {
	opts  Options
	built built
}

var _ agent.Gate = (*Gate)(nil)

// New returns a gate.
func New(o Options) *Gate {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Gate{opts: o}
}

// Admit implements [agent.Gate].
func (g *Gate) Admit(ctx context.Context, call *agent.ToolCall, t tool.Tool, ask agent.Ask) (admission agent.Admission) {
	p := &passage{Gate: g, call: call, tool: t, spec: t.Spec(), ask: ask, args: call.Args, outcome: tool.ProceedOnce}
	defer p.catch(func(r *tool.Result) { admission = p.refuse(r).admission() })
	for _, step := range []func(context.Context) *refusal{
		p.validate,
		p.policy,
		p.hooks,
		p.confirm,
	} {
		if ctx.Err() != nil {
			return p.cancel(nil).admission()
		}
		if no := step(ctx); no != nil {
			return no.admission()
		}
	}
	var ran atomic.Bool
	return agent.Admission{
		Summary: p.inv.Summary(), Args: p.args, Outcome: p.outcome,
		Run: func(ctx context.Context, host tool.Host) *tool.Result {
			if ran.Swap(true) {
				return tool.Fail(tool.ErrUnhandled, "A tool call runs only once.")
			}
			return p.run(ctx, host)
		},
	}
}

// passage is one call on its way through the gate. It is used by one
// goroutine at a time.
type passage struct {
	*Gate
	call *agent.ToolCall
	tool tool.Tool
	spec *tool.Spec
	ask  agent.Ask

	args     json.RawMessage // as they are now
	inv      tool.Invocation // built of args
	verdict  policy.Decision // Allow or Ask, after policy
	modified bool            // by a hook
	outcome  tool.Outcome
	words    []string // of the command, see doubt
	files    []string // that it builds with, see doubt
}

// refusal ends a passage before the call runs.
type refusal struct {
	passage   *passage
	result    *tool.Result
	cancelled bool
}

func (p *passage) refuse(r *tool.Result) *refusal { return &refusal{passage: p, result: r} }

// cancel refuses because a person does, or because the run is over. shown is
// what the person saw.
func (p *passage) cancel(shown tool.Display) *refusal {
	return &refusal{passage: p, result: &tool.Result{Display: shown}, cancelled: true}
}

func (r *refusal) admission() agent.Admission {
	p := r.passage
	a := agent.Admission{Args: p.args, Refusal: r.result, Cancelled: r.cancelled}
	if r.cancelled {
		a.Outcome = tool.Cancel
	}
	return a
}
