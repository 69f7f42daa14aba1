// Package guard implements the gate: it decides whether a tool call runs, and runs it. Each call
// passes the same steps in the same order:
//
//	validate -> hooks -> policy -> confirm -> snapshot -> run -> hooks -> trim -> record
//
// [Gate.Admit] takes the steps up to confirm, and the function that it returns takes the others.
// The hooks come before the policy, so that the policy decides about the arguments that hooks have
// changed, and no hook allows what the policy denies.
// All calls go through the gate, and tools do not ask for permission, decide whether they run,
// or cut their output themselves.
package guard

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/llm/argmap"
	"pollux/llm/quotation"
	"pollux/tool"
)

// Options configures a [Gate]. Policy must be set.
type Options struct {
	Policy *policy.Engine
	// Interactive is true if a person is there to answer.
	Interactive bool
	// Subagent is the name of the subagent that makes the calls, "" for the main agent.
	Subagent string

	Origins Origins // nil trusts all words
	// Given is what models were given, for calls that were read from their text; nil trusts them.
	Given *quotation.Index
	Hooks Hooks // nil for none
	// Tool returns the tool with a name, for the calls that hooks make; nil knows none.
	Tool     func(name string) (tool.Tool, bool)
	Snapshot Snapshot // nil for none
	Record   Record   // nil for none

	// Threshold is the number of characters of a long output that the model gets; 0 or less is
	// no limit (tools.truncateToolOutputThreshold).
	Threshold int
	// OutputDir returns the directory for the complete text of truncated outputs. It is called
	// for each such output.
	OutputDir func() (string, error)
	// Log receives debug messages; nil discards them.
	Log *slog.Logger
}

// Snapshot saves files before a call changes them.
type Snapshot interface {
	// Before is called before a call runs. If it returns an error, the call does not run.
	Before(ctx context.Context, call *agent.ToolCall, spec *tool.Spec, files []tool.Location) error
}

// Record receives the results of calls.
type Record interface {
	// After is called when a call that ran has ended.
	After(ctx context.Context, call *agent.ToolCall, args json.RawMessage, outcome tool.Outcome, result *tool.Result)
}

// Gate implements [agent.Gate].
type Gate struct {
	opts    Options
	changed *buildFiles
	names   argmap.Names // other names of arguments
	tails   sync.Mutex   // held while calls of hooks run
	noted   sync.Map     // unknown arguments that a result has named: "tool/argument"
}

var _ agent.Gate = (*Gate)(nil)

// New returns a gate.
func New(o Options) *Gate {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Gate{opts: o, changed: &buildFiles{}, names: argmap.Common()}
}

// ForSubagent returns a gate for the calls of a subagent. Each gate knows the build files that calls of
// the other one have changed.
func (g *Gate) ForSubagent(o Options) *Gate {
	sub := New(o)
	sub.changed = g.changed
	return sub
}

// Admit implements [agent.Gate].
func (g *Gate) Admit(ctx context.Context, call *agent.ToolCall, t tool.Tool, ask tool.Ask) (admission agent.Admission) {
	c := g.newCall(call, t, ask)
	defer c.recoverPanic(func(r *tool.Result) { admission = c.refuse(r).admission() })
	if no := c.pass(ctx); no != nil {
		return no.admission()
	}
	var ran atomic.Bool
	return agent.Admission{
		Summary: c.inv.Summary(), Args: c.args, Outcome: c.outcome,
		Run: func(ctx context.Context, host tool.Host) *tool.Result {
			if ran.Swap(true) {
				return tool.Fail(tool.ErrUnhandled, "A tool call runs only once.")
			}
			result, tail := c.run(ctx, host)
			return c.runTails(ctx, host, result, tail)
		},
	}
}

func (g *Gate) newCall(call *agent.ToolCall, t tool.Tool, ask tool.Ask) *gatedCall {
	return &gatedCall{
		Gate: g, call: call, tool: t, spec: t.Spec(), ask: ask, outcome: tool.ProceedOnce,
		args: dropWait(t.Spec().Schema, call.Args),
	}
}

// pass takes the steps up to confirm. It returns nil if the call may run.
func (g *gatedCall) pass(ctx context.Context) *refusal {
	for _, step := range []func(context.Context) *refusal{
		g.validate,
		g.hooks,
		g.policy,
		g.forceQuestion,
		g.checkQuoted,
		g.confirm,
	} {
		if ctx.Err() != nil {
			return g.cancel(nil)
		}
		if no := step(ctx); no != nil {
			return no
		}
	}
	return nil
}

// gatedCall is the state of one call in the gate. It is used by one goroutine at a time.
type gatedCall struct {
	*Gate
	call *agent.ToolCall
	tool tool.Tool
	spec *tool.Spec
	ask  tool.Ask

	args           json.RawMessage // current arguments
	reading        argmap.Reading  // what args were read from
	inv            tool.Invocation // built from args
	verdict        policy.Decision // Allow or Ask, set by policy
	isUnasked      bool            // see [tool.Host.Unasked]
	hooked         tool.Hooked     // what hooks did before the call
	requested      string          // see HookedCall
	outcome        tool.Outcome
	untrustedWords []string // words of the command, see findWarnings
	changedFiles   []string // build files that the command uses, see findWarnings
	quotedFrom     string   // untrusted text in which quotedWords stand, see checkQuoted
	quotedWords    string
}

// refusal is the result of a call that does not run.
type refusal struct {
	call      *gatedCall
	result    *tool.Result
	cancelled bool
}

func (g *gatedCall) refuse(r *tool.Result) *refusal { return &refusal{call: g, result: r} }

// cancel refuses the call because a person refused it or the run has ended. shown is the
// display that stays visible.
func (g *gatedCall) cancel(shown tool.Display) *refusal {
	return &refusal{call: g, result: &tool.Result{Display: shown}, cancelled: true}
}

func (r *refusal) admission() agent.Admission {
	a := agent.Admission{Args: r.call.args, Refusal: r.result, Cancelled: r.cancelled}
	if r.cancelled {
		a.Outcome = tool.Cancel
	}
	return a
}
