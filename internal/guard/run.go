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
	x, tail := g.run(ctx, host)
	list := []agent.Execution{x}
	if tail == nil {
		return list
	}
	return g.runTails(ctx, host, list, tail)
}

// run takes the steps from the snapshot on. It returns the record of the call, and the call that hooks
// make after this one, nil for none.
func (g *gatedCall) run(ctx context.Context, host agent.Host) (x agent.Execution, tail *Tail) {
	var result *tool.Result
	hasRun := false
	defer func() {
		x = g.record()
		x.HasRun, x.Result, x.Status = hasRun, result, agent.Success
		if result.Error != nil {
			x.Status = agent.Failed
		}
	}()
	defer g.recoverPanic(func(r *tool.Result) { result, tail = r, nil })

	host.Tool.Limit, host.Tool.Room = g.outputLimit(), g.written.Room
	host.Tool.Spill = g.spill
	host.Tool.Unasked = g.isUnasked
	host.Ask = g.waitingFor(host.Ask)
	if g.opts.Snapshot != nil {
		if err := g.opts.Snapshot.Before(ctx, g.call); err != nil {
			result = tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf("Not run, because what it changes could not be saved first: %v", err))
			return x, nil
		}
	}
	hasRun = true
	result = g.call.Run(ctx, host)
	g.noteBuildFiles(result)
	result, tail = g.runAfterHooks(ctx, result)
	result = g.addNotes(g.trim(result, host.Tool))
	return x, tail
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
	g.opts.Log.Debug("tool panicked", "tool", g.spec.Name, "call", g.written.ID, "panic", v, "stack", string(debug.Stack()))
	set(tool.Fail(tool.ErrUnhandled, fmt.Sprintf("The tool %s failed unexpectedly: %v", g.spec.Name, v)))
}
