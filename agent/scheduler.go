package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/tool"
)

// maxParallel limits the number of calls that run at the same time.
const maxParallel = 32

// batch runs the calls of one response.
type batch struct {
	*requester
	tools   *tool.Snapshot             // declared by the request
	refused map[*ToolCall]*tool.Result // results of calls that do not run
}

// run runs calls and returns them finished. The order is that of the calls, except that tools with
// Spec.First run first. Calls are looked up among the tools that the request declared, even if the
// registry has changed since.
func (b *batch) run(ctx context.Context, calls []*ToolCall) ([]ToolFinished, error) {
	jobs := make([]*job, len(calls))
	for i, call := range calls {
		jobs[i] = &job{call: call}
		jobs[i].tool, _ = b.tools.Lookup(call.Name)
	}
	slices.SortStableFunc(jobs, func(x, y *job) int { return y.rank() - x.rank() })
	return b.finishAll(ctx, jobs)
}

// finishAll runs jobs and returns them finished, in the same order. A job that may change
// something runs alone, after all jobs before it and before all jobs after it; consecutive jobs
// that change nothing form a group and run at the same time, and so do consecutive calls of
// agents. All jobs of a group pass the gate before any of them runs. If a person refuses a job, the
// jobs of later groups do not run. After a failed edit, the commands of later groups do not run. If
// the consumer stops reading or ctx ends, finishAll cancels the remaining jobs and returns an
// error; the results are complete even then.
func (b *batch) finishAll(ctx context.Context, jobs []*job) ([]ToolFinished, error) {
	var finished []ToolFinished
	var left error // the consumer has stopped reading
	changed := false
	for _, j := range jobs {
		j.afterChange = changed
		changed = changed || j.tool != nil && !isReadOnly(j.tool)
	}
	for rest := jobs; len(rest) > 0; {
		group := rest[:groupSize(rest)]
		rest = rest[len(group):]
		if left == nil {
			left = b.runGroup(ctx, group, b.prepare)
		}
		if slices.ContainsFunc(group, func(j *job) bool { return j.refused }) {
			for _, j := range rest {
				j.status, j.reason = CallCancelled, notRunText
			}
		}
		if left == nil {
			left = b.runGroup(ctx, group, b.execute)
		}
		for _, j := range group {
			if j.isFailedEdit() {
				skipCommands(rest, j)
			}
			f := b.finish(ctx, j)
			finished = append(finished, f)
			if left == nil {
				left = b.out.emit(f)
			}
		}
	}
	if left == nil && ctx.Err() != nil {
		left = context.Cause(ctx)
	}
	return finished, left
}

// runGroup runs step for all unfinished jobs of a group at the same time. It passes their
// events to the consumer on this goroutine and returns when all have ended. If the consumer
// stops reading, emit cancels the jobs.
func (b *batch) runGroup(ctx context.Context, group []*job, step func(context.Context, *job, func(Event))) error {
	if len(group) == 0 {
		return nil
	}
	events := make(chan Event)
	slots := make(chan struct{}, maxParallel)
	var wg sync.WaitGroup
	var failed panics
	for _, j := range group {
		if j.status != "" {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			defer failed.catch()
			began := b.cfg.Now()
			step(ctx, j, func(e Event) { events <- e })
			j.ended = b.cfg.Now()
			j.active += j.ended.Sub(began)
		})
	}
	go func() { wg.Wait(); close(events) }()
	var left error
	for e := range events {
		if left == nil {
			left = b.out.emit(e)
		}
	}
	failed.raise()
	return left
}

// panics passes the panic of a goroutine on to the one that waits for it, whose caller may recover it.
type panics struct{ first atomic.Pointer[string] }

// catch must be deferred.
func (p *panics) catch() {
	if v := recover(); v != nil {
		p.first.CompareAndSwap(nil, new(fmt.Sprintf("%v\n\n%s", v, debug.Stack())))
	}
}

// raise panics if a goroutine has.
func (p *panics) raise() {
	if first := p.first.Load(); first != nil {
		panic(*first)
	}
}

// prepare looks up the tool and calls the gate. Afterwards the job either has a final status
// or is admitted. A call that completes a loop is answered with a warning instead.
func (b *batch) prepare(ctx context.Context, j *job, emit func(Event)) {
	j.began = b.cfg.Now()
	emit(ToolUpdated{Call: j.call, Status: Validating, Kind: j.kind()})
	switch {
	case ctx.Err() != nil:
		j.status, j.reason = CallCancelled, cancelledText
		return
	case b.refused[j.call] != nil:
		j.status, j.result = Failed, b.refused[j.call]
		return
	case j.tool == nil:
		j.result = tool.Fail(tool.ErrNotRegistered, b.notFound(j.call))
		j.status = Failed
		return
	}
	j.admission = b.cfg.Gate.Admit(ctx, j.call, j.tool, func(ctx context.Context, q *Question) (tool.Answer, error) {
		return b.ask(ctx, j, q, emit)
	})
	a := &j.admission
	switch {
	case a.Cancelled && ctx.Err() != nil:
		j.status, j.reason, j.result = CallCancelled, cancelledText, a.Record.Result
	case a.Cancelled:
		j.status, j.reason, j.result = CallCancelled, refusedText(a.Record.Result), a.Record.Result
		j.refused = true
	case a.Run == nil:
		j.status, j.result = Failed, a.Record.Result
	default:
		u := ToolUpdated{Call: j.call, Status: Scheduled, Summary: a.Record.Summary, Kind: j.kind()}
		u.run(a.Call)
		emit(u)
	}
}

// notFound returns the answer to a call of a tool that was not offered: why it is not, or which
// tools there are.
func (b *batch) notFound(call *ToolCall) string {
	if b.cfg.NotFound != nil {
		if text := b.cfg.NotFound(call.Name); text != "" {
			return text
		}
	}
	if b.cfg.WhyHidden != nil {
		if why := b.cfg.WhyHidden(call.Name); why != "" {
			return fmt.Sprintf("Tool %q is not available now: %s", call.Name, why)
		}
		for _, name := range b.tools.Meant(call.Name) {
			if why := b.cfg.WhyHidden(name); why != "" {
				return fmt.Sprintf("Tool %q not found. Here it is %q, which is not available now: %s", call.Name, name, why)
			}
		}
	}
	return b.tools.NotFound(call.Name)
}

// ask asks a person about a job. The time until the answer is not time that the job takes.
func (b *batch) ask(ctx context.Context, j *job, q *Question, emit func(Event)) (tool.Answer, error) {
	began := b.cfg.Now()
	a, err := ask(ctx, j.call, q, emit)
	j.waited.Add(int64(b.cfg.Now().Sub(began)))
	return a, err
}

// ask sends a question to the consumer and waits for the answer.
func ask(ctx context.Context, call *ToolCall, q *Question, emit func(Event)) (tool.Answer, error) {
	answers := make(chan tool.Answer, 1)
	about := q.About()[0]
	emit(ToolUpdated{Call: call, Status: AwaitingApproval, Kind: about.tool.Spec().Kind, Locations: about.locations})
	emit(ToolAsked{Call: call, Question: q, Answer: func(a tool.Answer) {
		select {
		case answers <- a:
		default: // answered before
		}
	}})
	select {
	case a := <-answers:
		return a, nil
	case <-ctx.Done():
		return tool.Answer{}, context.Cause(ctx)
	}
}

// errCallOver means that a tool asked a person after its call had ended.
var errCallOver = errors.New("the call has ended")

// execute runs an admitted job.
func (b *batch) execute(ctx context.Context, j *job, emit func(Event)) {
	if ctx.Err() != nil {
		j.status, j.reason = CallCancelled, cancelledText
		return
	}
	update := ToolUpdated{Call: j.call, Status: Executing, Summary: j.admission.Record.Summary, Kind: j.kind()}
	update.run(j.admission.Call)
	var mu sync.Mutex // a tool may report from its own goroutines, even after it returned
	isOver := false
	show := func(e Event) bool {
		mu.Lock()
		defer mu.Unlock()
		if !isOver {
			emit(e)
		}
		return !isOver
	}
	report := func(change func(*ToolUpdated)) {
		mu.Lock()
		defer mu.Unlock()
		if !isOver {
			change(&update)
			emit(update)
		}
	}
	emit(update)
	running, ended := context.WithCancel(ctx)
	defer ended()
	j.hasRun = true
	j.records = j.admission.Run(ctx, Host{
		Tool: tool.Host{
			Output:  func(d tool.Display) { report(func(u *ToolUpdated) { u.Output = d }) },
			Started: func(pid int) { report(func(u *ToolUpdated) { u.PID = pid }) },
			Nested:  func(e tool.NestedEvent) { showNested(j.call, e, show) },
			Earlier: b.earlier(j),
		},
		Ask: func(ctx context.Context, q *Question) (tool.Answer, error) {
			ctx, stop := context.WithCancelCause(ctx)
			defer stop(nil)
			defer context.AfterFunc(running, func() { stop(errCallOver) })()
			a, err := b.ask(ctx, j, q, func(e Event) { show(e) })
			report(func(*ToolUpdated) {}) // the call is executing again
			return a, err
		},
		Continues: func(p *PreparedCall) {
			report(func(u *ToolUpdated) {
				u.run(p)
				u.Output, u.PID = nil, 0
			})
		},
	})
	j.result = j.records[len(j.records)-1].Result
	mu.Lock()
	isOver = true
	mu.Unlock()
	ended()
	switch {
	case ctx.Err() != nil:
		j.status, j.reason = CallCancelled, stoppedText
	case j.result.Error != nil:
		j.status = Failed
	default:
		j.status = Success
	}
}

// finish returns the last event of a job.
func (b *batch) finish(ctx context.Context, j *job) ToolFinished {
	if j.status == "" { // the job did not run
		j.status, j.reason = CallCancelled, cancelledText
	}
	isInterrupted := j.wasCutOff() && b.isInterrupted(ctx)
	switch {
	case isInterrupted && j.hasRun:
		j.reason = cutOffText
	case isInterrupted:
		j.reason = notBegunText
	}
	f := ToolFinished{
		Call: j.call, Status: j.status, Result: j.result, Executions: j.executions(), IsInterrupted: isInterrupted,
		Began: j.began, Duration: j.ended.Sub(j.began), Active: max(0, j.active-time.Duration(j.waited.Load())),
	}
	if j.status == CallCancelled {
		output := "" // until the call was stopped
		if !j.refused && j.result != nil && j.result.Error == nil {
			output = llm.PartsText(j.result.Content)
		}
		f.Response = cancelledParts(j.call, output, j.reason)
		if f.Result == nil {
			f.Result = &tool.Result{}
		}
		return f
	}
	f.Response = responseParts(j.call, j.kind(), j.result, catalog.SupportsNestedMedia(b.model))
	return f
}
