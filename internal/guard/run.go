package guard

import (
	"context"
	"fmt"
	"runtime/debug"

	"pollux/llm"
	"pollux/tool"
)

// run takes the steps from the snapshot on.
func (p *passage) run(ctx context.Context, host tool.Host) (result *tool.Result) {
	defer func() { p.record(ctx, result) }()
	defer p.catch(func(r *tool.Result) { result = r })

	host.Limit = p.limit()
	host.Spill = p.spill
	if p.opts.Snapshot != nil {
		if err := p.opts.Snapshot.Before(ctx, p.call, p.spec, p.inv.Locations()); err != nil {
			return tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf("Not run, because what it changes could not be saved first: %v", err))
		}
	}
	result = p.sandboxed(ctx, host)
	p.modifies(result)
	result = p.hooksAfter(ctx, result)
	return p.trim(result, host)
}

func (p *passage) sandboxed(ctx context.Context, host tool.Host) *tool.Result {
	var r *tool.Result
	if p.opts.Sandbox != nil {
		r = p.opts.Sandbox(ctx, p.spec, p.inv, host)
	} else {
		r = p.inv.Run(ctx, host)
	}
	if r == nil {
		return tool.Fail(tool.ErrUnhandled, "The tool returned nothing.")
	}
	return r
}

// trim cuts a long text to what the model gets of it (spec/tools.md §4.1):
// results of commands and of tools that others wrote, if they are one text.
// Pollux's own tools know better what to leave out.
func (p *passage) trim(r *tool.Result, host tool.Host) *tool.Result {
	if host.Limit == 0 || r.Error != nil || r.OutputFile != "" || len(r.Content) != 1 || !isText(&r.Content[0]) {
		return r
	}
	limit := host.Limit
	switch p.spec.Kind {
	case tool.KindOther:
	case tool.KindExecute:
		// A command's output was cut while it came, where that was needed, and
		// is longer by the note that says so.
		const note = 1000
		limit += note
	default:
		return r
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

// limit is how many characters of its output the model gets: no more than four
// for each token it has room for.
func (p *passage) limit() int {
	limit := max(p.opts.Threshold, 0)
	const perToken = 4
	if room := p.call.Room; room > 0 && room < limit/perToken {
		limit = room * perToken
	}
	return limit
}

func (p *passage) record(ctx context.Context, r *tool.Result) {
	if p.opts.Record != nil {
		p.opts.Record.After(ctx, p.call, p.args, p.outcome, r)
	}
}

// catch makes a failed result of a panic. Deferred.
func (p *passage) catch(set func(*tool.Result)) {
	v := recover()
	if v == nil {
		return
	}
	p.opts.Log.Debug("tool panicked", "tool", p.spec.Name, "call", p.call.ID, "panic", v, "stack", string(debug.Stack()))
	set(tool.Fail(tool.ErrUnhandled, fmt.Sprintf("The tool %s failed unexpectedly: %v", p.spec.Name, v)))
}
