package guard

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"pollux/agent"
	"pollux/llm"
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
	if !g.hasRun || g.panicked {
		return append(list, x), nil
	}
	result, tail := g.finish(ctx, host.Tool, x.Result)
	return append(list, g.ended(result)), tail
}

// finish takes the steps after the run. It returns the result for the model, and the call that hooks make after
// this one, nil for none.
func (g *gatedCall) finish(ctx context.Context, host tool.Host, r *tool.Result) (_ *tool.Result, tail *Tail) {
	defer g.recoverPanic(func(failed *tool.Result) { r, tail = failed, nil })
	r, tail = g.runAfterHooks(ctx, r)
	host.Limit, host.Spill = g.outputLimit(), g.spill
	return g.addNotes(g.trim(r, host)), tail
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

// trim truncates the text of a result to the limit. It applies to commands, subagents, and discovered
// and MCP tools, those that only read included, if the result is a single text. The built-in tools limit
// their output themselves.
func (g *gatedCall) trim(r *tool.Result, host tool.Host) *tool.Result {
	if host.Limit == 0 || r.Error != nil || r.OutputFile != "" || len(r.Content) != 1 || !isText(&r.Content[0]) {
		return r
	}
	limit := host.Limit
	switch g.spec.Kind {
	case tool.KindOther, tool.KindAgent:
	case tool.KindExecute:
		// The shell tool has already cut a long output, and added a note to it.
		const note = 1000
		limit += note
	default:
		if _, isRemote := tool.As[tool.Remote](g.tool); !isRemote {
			return r
		}
	}
	if tool.Units(r.Content[0].Text) <= limit {
		return r
	}
	cut := *r
	text, file := tool.Truncate(r.Content[0].Text, host.Limit, host.Spill)
	cut.Content = []llm.Part{llm.Text(text)}
	cut.OutputFile = file
	return &cut
}

// outputLimit returns the number of characters of its output that the model gets: the
// threshold, but no more than there is room for.
func (g *gatedCall) outputLimit() int {
	limit := max(g.opts.Threshold, 0)
	const perToken = 3 // of source code and logs
	if room := g.written.Room; room > 0 && (limit == 0 || room < limit/perToken) {
		limit = room * perToken
	}
	return limit
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
