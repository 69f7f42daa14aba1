package guard

import (
	"context"
	"fmt"
	"runtime/debug"

	"pollux/llm"
	"pollux/tool"
)

// run takes the steps from the snapshot on. It returns the result, and the call that hooks make
// after this one, nil for none.
func (g *gatedCall) run(ctx context.Context, host tool.Host) (result *tool.Result, tail *Tail) {
	defer func() { g.record(ctx, result) }()
	defer g.recoverPanic(func(r *tool.Result) { result, tail = r, nil })

	host.Limit, host.Room = g.outputLimit(), g.call.Room
	host.Spill = g.spill
	host.Unasked = g.isUnasked
	if g.opts.Snapshot != nil {
		if err := g.opts.Snapshot.Before(ctx, g.call, g.spec, g.inv.Locations()); err != nil {
			return tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf("Not run, because what it changes could not be saved first: %v", err)), nil
		}
	}
	result = g.inv.Run(ctx, host)
	if result == nil {
		result = tool.Fail(tool.ErrUnhandled, "The tool returned nothing.")
	}
	g.noteBuildFiles(result)
	result, tail = g.runAfterHooks(ctx, result)
	return g.addNotes(g.trim(result, host)), tail
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
	if room := g.call.Room; room > 0 && (limit == 0 || room < limit/perToken) {
		limit = room * perToken
	}
	return limit
}

func (g *gatedCall) record(ctx context.Context, r *tool.Result) {
	if g.opts.Record != nil {
		g.opts.Record.After(ctx, g.call, g.args, g.outcome, r)
	}
}

// recoverPanic turns a panic into a failed result. It must be deferred.
func (g *gatedCall) recoverPanic(set func(*tool.Result)) {
	v := recover()
	if v == nil {
		return
	}
	g.opts.Log.Debug("tool panicked", "tool", g.spec.Name, "call", g.call.ID, "panic", v, "stack", string(debug.Stack()))
	set(tool.Fail(tool.ErrUnhandled, fmt.Sprintf("The tool %s failed unexpectedly: %v", g.spec.Name, v)))
}
