package guard

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"pollux/agent"
	"pollux/tool"
)

// runAll runs an admitted call, and the calls with which hooks continue it. It returns their records.
func (g *gatedCall) runAll(ctx context.Context, host agent.Host) []agent.Execution {
	list, tail := g.run(ctx, host, nil)
	if tail == nil {
		return list
	}
	return g.runTails(ctx, host, list, tail)
}

// run runs the call, again if a step gives it more permission, and then the hooks after it. It returns list
// with the records of the runs, and the call that hooks make after this one, nil for none.
func (g *gatedCall) run(ctx context.Context, host agent.Host, list []agent.Execution) (_ []agent.Execution, tail *Tail) {
	x := g.runOnce(ctx, host)
	for range maxRetries {
		next := g.retry(ctx, host, &x)
		if next == nil {
			break
		}
		list = append(list, x)
		g, x = next, next.runOnce(ctx, host)
	}
	if g.hasRun && !g.panicked {
		g.review(ctx, host, &x, list)
	}
	list = append(list, x)
	if !g.hasRun || g.panicked {
		list[len(list)-1].Result = addReports(x.Result, list)
		return list, nil
	}
	result, tail := g.finish(ctx, x.Result, list)
	done := g.ended(result)
	done.Changes = x.Changes
	list[len(list)-1] = done
	return list, tail
}

// finish takes the steps after the run. It returns the result for the model, and the call that hooks make after
// this one, nil for none. ran are the executions for the same call of the model so far, the last one is this run.
func (g *gatedCall) finish(ctx context.Context, r *tool.Result, ran []agent.Execution) (_ *tool.Result, tail *Tail) {
	defer g.recoverPanic(func(failed *tool.Result) { r, tail = failed, nil })
	after := g.afterHooks(ctx, r, ran[len(ran)-1].Changes)
	if !after.Stop && !after.Block && after.Tail == nil {
		r = g.summarize(ctx, r)
	}
	r = g.trim(g.applyHooks(after, r))
	if !after.Stop && !after.Block {
		r = addReports(r, ran)
	}
	return g.addNews(g.addNotes(r)), after.Tail
}

// waitingFor returns ask such that the time until the answer counts as idle; nil for nil.
func (g *gatedCall) waitingFor(ask agent.Ask) agent.Ask {
	if ask == nil {
		return nil
	}
	return func(ctx context.Context, q *agent.Question) (tool.Answer, error) {
		began := time.Now()
		a, err := ask(ctx, q)
		g.waiting.Add(int64(time.Since(began)))
		return a, err
	}
}

// recoverPanic turns a panic into a failed result. It must be deferred.
func (g *gatedCall) recoverPanic(set func(*tool.Result)) {
	v := recover()
	if v == nil {
		return
	}
	g.panicked = true
	g.opts.Log.Debug("tool panicked", "tool", g.spec.Name, "call", g.written.ID, "panic", v, "stack", string(debug.Stack()))
	set(tool.Fail(tool.ErrUnhandled, fmt.Sprintf("The tool %s failed unexpectedly: %v", g.spec.Name, v)))
}
