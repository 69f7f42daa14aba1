package guard

import (
	"context"
	"fmt"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/tool"
)

// Step is a step around the run of a call, such as one that saves the files that the call changes. Steps do not
// know one another. Each decides by the call whether it has something to do. All fields may be nil. Calls that
// change nothing run side by side, and so do their steps.
type Step struct {
	// Before is called before a call runs. If it returns an error, the call does not run, and the model gets
	// the text of the error.
	Before func(ctx context.Context, call *agent.PreparedCall) error
	// After is called after a run whose Before has returned no error, with its record: also if the run has
	// failed, or if the Before of a later step has prevented it. ctx may have ended.
	After func(ctx context.Context, call *agent.PreparedCall, x *agent.Execution)
	// Foresee is called before a person is asked about a call, with its reach, which the question shows. It returns the
	// permission that an approval gives the call, nil for none.
	Foresee func(call *agent.PreparedCall, r *tool.Reach) *Permission
	// Retry is called after a run. It returns how the call can run again if the run lacked a permission, else
	// nil. It is not called for a run that was cancelled or prevented.
	Retry func(ctx context.Context, call *agent.PreparedCall, x *agent.Execution) *Retry
	// Review is called after the last run of a call. It returns the question about changes of the call that do not
	// stay without a person's consent, else nil. They have been taken back.
	Review func(ctx context.Context, call *agent.PreparedCall, x *agent.Execution) *Review
}

// Permission is a permission that a person gives a call by its approval.
type Permission struct {
	// Text is a sentence about it for the person; "" if the question shows it anyway.
	Text string
	// IsRequested means that the call asks for it, so that a person is asked whatever rules and modes allow.
	IsRequested bool
	// Give gives it, with the person's answer.
	Give func(tool.Outcome)
}

// foresee returns the permission that an approval gives the call, nil for none.
func (g *gatedCall) foresee(r *tool.Reach) *Permission {
	if g.again != nil { // the question is about another permission
		return nil
	}
	for _, s := range g.opts.Around {
		if s.Foresee == nil {
			continue
		}
		if p := s.Foresee(g.call, r); p != nil {
			return p
		}
	}
	return nil
}

// Review is a question about changes that a call has made and that were taken back.
type Review struct {
	// Text lists the changes for the person.
	Text string
	// Offer, if set, is a lasting answer that the person may give.
	Offer *tool.Offer
	// Settle makes the changes again if the person wants them. The answer is "" if no user was asked.
	Settle func(ctx context.Context, answer tool.Outcome) Settled
}

// Settled is the result of a [Review].
type Settled struct {
	// Text is for the model.
	Text string
	// Changes returns the changes of a run of the call without those that stay taken back; nil if all came back.
	Changes func(*tool.Changes) *tool.Changes
}

// Retry is a call that has run without success, to run again with more permission. A person has to approve it,
// whatever rules, the mode and earlier answers allow.
type Retry struct {
	// Call is [agent.PreparedCall.Again] of the call, or a [agent.PreparedCall.Rewrite] whose arguments have the
	// permission.
	Call *agent.PreparedCall
	// Lacked is a sentence about the failure for the model. Reason is it for the person, with the permission that the
	// call would get.
	Lacked, Reason string
	// Servers are the servers that the call would reach with the permission.
	Servers []tool.Server
	// IsRefused means that the person has been asked while the call ran, and has refused it: there is no question, and no other run.
	IsRefused bool
	// IsExplained means that the result of the run has Lacked in other words.
	IsExplained bool
	// Offers are lasting answers that a person may give, and Remember applies one of them. Both may be nil.
	Offers   []tool.Offer
	Remember func(tool.Outcome)
	// Decided, if set, learns whether the call runs again.
	Decided func(isGranted bool)
}

// maxRetries limits the runs of a call after its first one.
const maxRetries = 3

// running is how a person is asked about a call while it runs.
type running struct {
	ctx context.Context // of the call
	ask agent.Ask       // nil if no face asks
}

type runKey struct{}

// Interrupt asks a person about a call that runs, and waits for the answer. It returns false if none comes: because ctx or the call ends, or no
// user can answer.
type Interrupt func(ctx context.Context, details tool.Confirmation) (tool.Outcome, bool)

// CallOf returns the call for whose run ctx was made, nil if there is none. A [process.Middleware] finds by it
// the call that starts a program. Only gates with steps set it.
func CallOf(ctx context.Context) *agent.PreparedCall {
	if g, ok := ctx.Value(runKey{}).(*gatedCall); ok {
		return g.call
	}
	return nil
}

// InterruptOf returns how a person is asked about the call for whose run ctx was made, nil if no person can be.
func InterruptOf(ctx context.Context) Interrupt {
	g, ok := ctx.Value(runKey{}).(*gatedCall)
	if !ok || g.running.ask == nil || !g.opts.Interactive {
		return nil
	}
	return g.interrupt
}

// runOnce runs the call within the steps. It returns the record, with the result as the tool has returned it.
func (g *gatedCall) runOnce(ctx context.Context, host agent.Host) agent.Execution {
	host.Tool.Limit, host.Tool.Room = g.outputLimit(), g.written.Room
	host.Tool.Spill = g.spill
	host.Tool.Unasked = g.isUnasked
	host.Ask = g.waitingFor(host.Ask)
	if len(g.opts.Around) > 0 {
		g.running = running{ctx, host.Ask}
		ctx = context.WithValue(ctx, runKey{}, g)
	}
	var x agent.Execution
	g.runWithin(ctx, host, g.opts.Around, &x)
	g.noteBuildFiles(x.Result)
	return x
}

// runWithin runs the call within these steps, the first of which is the outermost, and sets x to its record.
func (g *gatedCall) runWithin(ctx context.Context, host agent.Host, steps []Step, x *agent.Execution) {
	defer g.recoverPanic(func(r *tool.Result) { *x = g.ended(r) })
	if len(steps) == 0 {
		g.hasRun = true
		*x = g.ended(g.call.Run(ctx, host))
		return
	}
	if before := steps[0].Before; before != nil {
		if err := before(ctx, g.call); err != nil {
			*x = g.ended(tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf("Not run: %v", err)))
			return
		}
	}
	g.runWithin(ctx, host, steps[1:], x)
	if after := steps[0].After; after != nil {
		after(ctx, g.call, x)
	}
}

// ended returns the record of the call with this result.
func (g *gatedCall) ended(r *tool.Result) agent.Execution {
	x := g.record()
	x.HasRun, x.Result, x.Status = g.hasRun, r, agent.Success
	if r.Error != nil {
		x.Status = agent.Failed
	}
	return x
}

// retry returns the call that runs after a run that lacked a permission, nil for none. If it may not run,
// the result in x explains why.
func (g *gatedCall) retry(ctx context.Context, host agent.Host, x *agent.Execution) (next *gatedCall) {
	defer g.recoverPanic(func(r *tool.Result) { next, x.Result, x.Status = nil, r, agent.Failed })
	if ctx.Err() != nil || !x.HasRun {
		return nil
	}
	for _, s := range g.opts.Around {
		if s.Retry == nil {
			continue
		}
		if again := s.Retry(ctx, g.call, x); again != nil {
			return g.admitAgain(ctx, host, again, x)
		}
	}
	return nil
}

// admitAgain takes the steps from the policy to confirm for a call that runs again.
func (g *gatedCall) admitAgain(ctx context.Context, host agent.Host, again *Retry, x *agent.Execution) *gatedCall {
	next := g.newCall(g.written, g.tool, askOf(host))
	next.call, next.reading, next.hooked, next.again = again.Call, g.reading, g.hooked, again
	no := next.cancel(nil)
	if !again.IsRefused {
		no = next.take(ctx, next.policy, next.requireApproval, next.checkQuoted, next.confirm)
	}
	if again.Decided != nil {
		again.Decided(no == nil)
	}
	if no == nil {
		next.decision.Reason = again.Reason
		if host.Continues != nil {
			host.Continues(next.call)
		}
		return next
	}
	if ctx.Err() == nil {
		lacked := "It lacked a permission: " + again.Lacked + " "
		if again.IsExplained {
			lacked = ""
		}
		x.Result = AppendText(x.Result, "\n\n["+lacked+"It was not run again: "+no.why()+"]")
	}
	return nil
}

// requireApproval requires a person's approval of a call that runs again with more permission.
func (g *gatedCall) requireApproval(context.Context) *refusal {
	g.verdict = policy.Ask
	if g.opts.Interactive {
		return nil
	}
	return g.refuse(tool.Fail(tool.ErrUnhandled, "In this run no user can allow that, whatever the approval mode. Do without it, and report it."))
}

// why returns the reason of a refusal, for the model.
func (r *refusal) why() string {
	if r.result.Error != nil {
		return r.result.Error.Message
	}
	return "The user refused that." + r.feedback()
}
