// Package guard implements the gate: it decides whether a tool call runs, and runs it. Each call
// passes the same steps in the same order:
//
//	validate -> hooks -> policy -> confirm -> before -> run -> after -> hooks -> trim -> record
//
// Before and after are those of [Options].Around, such as a journal, a snapshot and a sandbox. One of them may have
// the call run again with more permission, after policy and confirm.
//
// [Gate.Admit] takes the steps up to confirm, and the function that it returns takes the others. All of
// them are about one [agent.PreparedCall]; a step that changes the call makes another one, for which
// the steps begin again where it matters. The hooks come before the policy, so that the policy decides
// about the arguments that hooks have changed, and no hook allows a call that the policy denies. All
// calls go through the gate, and tools do not ask for permission, decide whether they run, or cut their
// output themselves.
package guard

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

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
	// Given indexes the input of models, to check calls read from their text; nil trusts the calls.
	Given *quotation.Index
	Hooks Hooks // nil for none
	// Tool returns the tool with a name, for the calls that hooks make; nil knows none.
	Tool func(name string) (tool.Tool, bool)
	// Around are the steps around the run of each call: Before in this order, After in reverse order.
	Around []Step

	// News returns a text for the model about events beside its calls since the last one, such as the end of a background command, "" for none.
	// The result of the next call has it. nil is for none.
	News func() string

	// Threshold is the number of characters of a long output that the model gets; 0 or less is
	// no limit (tools.truncateToolOutputThreshold).
	Threshold int
	// Lines is the number of lines of a long output that the model gets; 0 or less is no limit
	// (tools.truncateToolOutputLines).
	Lines int
	// Summarizer replaces long outputs by summaries; nil for none.
	Summarizer Summarizer
	// CreateOutput creates the file for the complete text of a truncated output of a tool, whose name may be any string.
	CreateOutput func(tool string) (*os.File, error)
	// Log receives debug messages; nil discards them.
	Log *slog.Logger
}

// Gate implements [agent.Gate].
type Gate struct {
	opts    Options
	changed *buildFiles
	tails   sync.Mutex // held while calls of hooks run
	noted   sync.Map   // unknown arguments that a result has named: "tool/argument"
}

var _ agent.Gate = (*Gate)(nil)

// New returns a gate.
func New(o Options) *Gate {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Gate{opts: o, changed: &buildFiles{}}
}

// ForSubagent returns a gate for the calls of a subagent. Each gate knows the build files that calls of
// the other one have changed.
func (g *Gate) ForSubagent(o Options) *Gate {
	sub := New(o)
	sub.changed = g.changed
	return sub
}

// Admit implements [agent.Gate].
func (g *Gate) Admit(ctx context.Context, call *agent.ToolCall, t tool.Tool, ask agent.Ask) (admission agent.Admission) {
	c := g.newCall(call, t, ask)
	defer c.recoverPanic(func(r *tool.Result) { admission = c.refuse(r).admission() })
	if no := c.pass(ctx); no != nil {
		return no.admission()
	}
	c.asked = time.Now()
	var ran atomic.Bool
	return agent.Admission{
		Call: c.call, Record: c.record(),
		Run: func(ctx context.Context, host agent.Host) []agent.Execution {
			if ran.Swap(true) {
				return []agent.Execution{agent.Refused(call, tool.Fail(tool.ErrUnhandled, "A tool call runs only once."))}
			}
			c.idle += time.Since(c.asked)
			return c.runAll(ctx, host)
		},
	}
}

func (g *Gate) newCall(call *agent.ToolCall, t tool.Tool, ask agent.Ask) *gatedCall {
	return &gatedCall{
		Gate: g, written: call, tool: t, spec: t.Spec(), ask: ask, began: time.Now(), outcome: tool.ProceedOnce,
	}
}

// pass takes the steps up to confirm. It returns nil if the call may run.
func (g *gatedCall) pass(ctx context.Context) *refusal {
	return g.take(
		ctx,
		g.validate,
		g.hooks,
		g.policy,
		g.forceQuestion,
		g.checkQuoted,
		g.confirm,
	)
}

// take takes steps until one refuses the call.
func (g *gatedCall) take(ctx context.Context, steps ...func(context.Context) *refusal) *refusal {
	for _, step := range steps {
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
	written *agent.ToolCall // as the model, or a hook, wrote it
	tool    tool.Tool
	spec    *tool.Spec
	ask     agent.Ask

	// call is the call to run. It is nil until validate has built it, and never nil afterwards.
	call      *agent.PreparedCall
	reading   argmap.Reading  // the source of the arguments of call
	verdict   policy.Decision // Allow or Ask, set by policy
	isUnasked bool            // see [tool.Host.Unasked]
	hooked    tool.Hooked     // the effects of hooks before the call
	outcome   tool.Outcome
	decision  agent.Decision // without the outcome
	again     *Retry         // nil for the first run
	// permission is given with the approval of the call, nil for none.
	permission *Permission
	hasRun     bool // the tool began to run
	running    running
	panicked   bool // the tool, a step or a hook has

	untrustedWords []string // words of the command, see findWarnings
	changedFiles   []string // build files that the command uses, see findWarnings
	quotedFrom     string   // untrusted text in which quotedWords stand, see checkQuoted
	quotedWords    string

	began, asked time.Time     // when the call reached the gate, and when it was admitted
	idle         time.Duration // the time between its admission and its run
	waiting      atomic.Int64  // the time in which it waited for a person's answer; tools ask from their own goroutines
}

// record returns the record of the call so far.
func (g *gatedCall) record() agent.Execution {
	d := g.decision
	d.Outcome = g.outcome
	x := agent.Refused(g.written, nil)
	if g.call != nil {
		x = g.call.Record(d)
	}
	x.Decision, x.Began, x.Duration = d, g.began, time.Since(g.began)
	x.Active = max(0, x.Duration-g.idle-time.Duration(g.waiting.Load()))
	return x
}

// refusal is the result of a call that does not run.
type refusal struct {
	call      *gatedCall
	result    *tool.Result
	cancelled bool
}

func (g *gatedCall) refuse(r *tool.Result) *refusal { return &refusal{call: g, result: r} }

// refuseBy is refuse for a call about which by has decided. reason is that of [agent.Decision].
func (g *gatedCall) refuseBy(by agent.DecidedBy, reason string, r *tool.Result) *refusal {
	g.decision = agent.Decision{By: by, Reason: reason}
	return g.refuse(r)
}

// cancel refuses the call because a person refused it or the run has ended. shown is the
// display that stays visible.
func (g *gatedCall) cancel(shown tool.Display) *refusal {
	return &refusal{call: g, result: &tool.Result{Display: shown}, cancelled: true}
}

func (r *refusal) admission() agent.Admission {
	return agent.Admission{Call: r.call.call, Record: r.record(), Cancelled: r.cancelled}
}

// record returns the record of the call, which has ended.
func (r *refusal) record() agent.Execution {
	x := r.call.record()
	x.Result, x.Status, x.Decision.Outcome = r.result, agent.Failed, ""
	if r.cancelled {
		x.Status, x.Decision.Outcome = agent.CallCancelled, tool.Cancel
	}
	return x
}
