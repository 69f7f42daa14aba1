package agent

import (
	"context"
	"slices"
	"sync"
	"time"

	"pollux/llm/catalog"
	"pollux/tool"
)

// maxParallel bounds how many calls run beside each other. A model may ask for
// any number.
const maxParallel = 32

// job is one call on its way: prepare, run, finish.
type job struct {
	call      *ToolCall
	tool      tool.Tool // nil: unknown
	admission Admission
	result    *tool.Result
	status    Status // final, once it is known
	reason    string // why it was cancelled
	began     time.Time
}

// schedule runs the calls of one answer and returns them finished, in order but
// for those of tools that come first.
func (r *run) schedule(ctx context.Context, calls []*ToolCall) ([]ToolFinished, error) {
	jobs := make([]*job, len(calls))
	for i, call := range calls {
		jobs[i] = &job{call: call}
		jobs[i].tool, _ = r.cfg.Tools.Lookup(call.Name)
	}
	slices.SortStableFunc(jobs, func(a, b *job) int { return b.rank() - a.rank() })
	return r.finishAll(ctx, jobs)
}

// finishAll runs jobs and returns them finished, in their order.
// Calls that may run beside each other are taken together with those that
// follow them; all of a group are decided on before any of it runs
// (spec/tools.md §5.3). It returns early only if nobody reads the events any
// more or ctx has ended, and even then every call has its end.
func (r *run) finishAll(ctx context.Context, jobs []*job) ([]ToolFinished, error) {
	var finished []ToolFinished
	var left error // of the consumer
	for rest := jobs; len(rest) > 0; {
		group := rest[:groupSize(rest)]
		rest = rest[len(group):]
		if left == nil {
			left = r.together(ctx, group, r.prepare)
		}
		for _, j := range group {
			if j.admission.Cancelled { // a person said no: what is queued behind is off too
				for _, q := range rest {
					q.status, q.reason = CallCancelled, "User cancelled operation"
				}
			}
		}
		if left == nil {
			left = r.together(ctx, group, r.execute)
		}
		for _, j := range group {
			f := r.finish(j)
			finished = append(finished, f)
			if left == nil {
				left = r.emit(f)
			}
		}
	}
	if left == nil && ctx.Err() != nil {
		left = context.Cause(ctx)
	}
	return finished, left
}

// groupSize returns how many of the first jobs run beside each other.
func groupSize(jobs []*job) int {
	if jobs[0].alone() {
		return 1
	}
	n := 1
	for n < len(jobs) && !jobs[n].alone() {
		n++
	}
	return n
}

// rank is higher for what comes first.
func (j *job) rank() int {
	if j.tool != nil && j.tool.Spec().First {
		return 1
	}
	return 0
}

func (j *job) alone() bool {
	return j.tool != nil && j.tool.Spec().Serial || waitsForPrevious(j.call.Args)
}

// together does step for each job of the group at once and hands their events
// to the consumer, on this goroutine, until all are through. If the consumer
// leaves, the jobs are cancelled and waited for.
func (r *run) together(ctx context.Context, group []*job, step func(context.Context, *job, func(Event))) error {
	if len(group) == 0 {
		return nil
	}
	events := make(chan Event)
	slots := make(chan struct{}, maxParallel)
	var wg sync.WaitGroup
	for _, j := range group {
		if j.status != "" {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			step(ctx, j, func(e Event) { events <- e })
		})
	}
	go func() { wg.Wait(); close(events) }()
	var left error
	for e := range events {
		if left == nil {
			left = r.emit(e)
		}
	}
	return left
}

// prepare finds the tool and asks the gate: the job is then ready to run, or
// already answered.
func (r *run) prepare(ctx context.Context, j *job, emit func(Event)) {
	j.began = r.cfg.Now()
	emit(ToolUpdated{Call: j.call, Status: Validating})
	switch {
	case ctx.Err() != nil:
		j.status, j.reason = CallCancelled, "Operation cancelled"
		return
	case j.tool == nil:
		j.result = tool.Fail(tool.ErrNotRegistered, r.cfg.Tools.Unknown(j.call.Name))
		j.status = Failed
		return
	}
	j.admission = r.cfg.Gate.Admit(ctx, j.call, j.tool, func(ctx context.Context, details tool.Confirmation) (Answer, error) {
		return ask(ctx, j.call, details, emit)
	})
	switch {
	case j.admission.Cancelled:
		j.status, j.reason, j.result = CallCancelled, "User denied execution.", j.admission.Refusal
		if ctx.Err() != nil {
			j.reason = "Operation cancelled"
		}
	case j.admission.Run == nil:
		j.status, j.result = Failed, j.admission.Refusal
	default:
		emit(ToolUpdated{Call: j.call, Status: Scheduled, Summary: j.admission.Summary})
	}
}

// ask shows the consumer what a call would do and waits for its answer.
func ask(ctx context.Context, call *ToolCall, details tool.Confirmation, emit func(Event)) (Answer, error) {
	answers := make(chan Answer, 1)
	emit(ToolUpdated{Call: call, Status: AwaitingApproval})
	emit(ToolAsked{Call: call, Details: details, Answer: func(a Answer) {
		select {
		case answers <- a:
		default: // answered before
		}
	}})
	select {
	case a := <-answers:
		return a, nil
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
}

// execute runs an admitted job.
func (r *run) execute(ctx context.Context, j *job, emit func(Event)) {
	if ctx.Err() != nil {
		j.status, j.reason = CallCancelled, "Operation cancelled"
		return
	}
	at := ToolUpdated{Call: j.call, Status: Executing, Summary: j.admission.Summary}
	var mu sync.Mutex // a tool may report from goroutines of its own, and too late
	over := false
	report := func(change func(*ToolUpdated)) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			change(&at)
			emit(at)
		}
	}
	emit(at)
	j.result = j.admission.Run(ctx, tool.Host{
		Output:  func(d tool.Display) { report(func(u *ToolUpdated) { u.Output = d }) },
		Started: func(pid int) { report(func(u *ToolUpdated) { u.PID = pid }) },
	})
	mu.Lock()
	over = true
	mu.Unlock()
	switch {
	case ctx.Err() != nil:
		j.status, j.reason = CallCancelled, "User cancelled tool execution."
	case j.result.Error != nil:
		j.status = Failed
	default:
		j.status = Success
	}
}

// finish turns a job into its last event.
func (r *run) finish(j *job) ToolFinished {
	if j.status == "" { // never got as far: the consumer left, or the run was cancelled
		j.status, j.reason = CallCancelled, "Operation cancelled"
	}
	f := ToolFinished{Call: j.call, Status: j.status, Result: j.result, Outcome: j.admission.Outcome}
	if !j.began.IsZero() {
		f.Duration = r.cfg.Now().Sub(j.began)
	}
	if j.status == CallCancelled {
		f.Response = cancelledParts(j.call, j.result, j.reason)
		if f.Result == nil {
			f.Result = &tool.Result{}
		}
		return f
	}
	kind := tool.KindOther
	if j.tool != nil {
		kind = j.tool.Spec().Kind
	}
	f.Response = responseParts(j.call, kind, j.result, catalog.NestedMedia(r.chosen))
	return f
}
