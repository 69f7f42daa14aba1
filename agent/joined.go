package agent

import (
	"context"
	"slices"

	"pollux/tool"
)

// groupSize returns the number of leading jobs to pass through the gate before any of them runs: those that are
// parts of one change, see [llm.FunctionCall].Joined, or else those that may run at the same time.
func (b *batch) groupSize(jobs []*job) int {
	if n := jobs[0].call.Joined; n > 0 {
		return min(n+1, len(jobs))
	}
	return b.cfg.Parallel().groupSize(jobs)
}

// prepareJoined passes the parts of a change through the gate, and rehearses them. If one of them may not run, or
// would fail, none runs.
func (b *batch) prepareJoined(ctx context.Context, parts []*job) {
	if len(parts) <= parts[0].call.Joined {
		for _, j := range parts {
			j.cancel(incomplete)
		}
		return
	}
	for i, j := range parts {
		if b.runGroup(ctx, parts[i:i+1], b.prepare); b.out.hasLeft || ctx.Err() != nil {
			return
		}
		if j.status != "" {
			cancelParts(parts, j)
			return
		}
	}
	draft := tool.Draft{}
	rehearse := func(ctx context.Context, j *job, _ func(Event)) { j.rehearse(ctx, draft) }
	for i, j := range parts {
		if b.runGroup(ctx, parts[i:i+1], rehearse); ctx.Err() != nil {
			return
		}
		if j.status != "" {
			cancelParts(parts, j)
			return
		}
	}
}

// rehearse ends the job if it would fail after those that have changed draft.
func (j *job) rehearse(ctx context.Context, draft tool.Draft) {
	r, ok := tool.As[tool.Rehearsable](j.admission.Call.Invocation())
	if !ok {
		return
	}
	if result := r.Rehearse(ctx, draft); result != nil && ctx.Err() == nil {
		j.status, j.result = Failed, result
	}
}

// cancelParts cancels the parts of a change that have not run, because one of them did not run or has failed.
func cancelParts(parts []*job, failed *job) {
	isBegun := slices.ContainsFunc(parts, func(j *job) bool { return j.status == Success })
	for _, j := range parts {
		if j.status == "" {
			j.cancel(afterFailedPart(failed, isBegun))
		}
	}
}
