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

// job is the state of one call: prepared, executed, finished.
type job struct {
	call      *ToolCall
	tool      tool.Tool // nil if it does not exist
	admission Admission
	records   []Execution // of what ran; nil if nothing did
	result    *tool.Result
	status    Status // final; "" until it is known
	reason    string // of a cancellation, for the model
	refused   bool   // a person refused the call
	hasRun    bool   // the tool began to run
	// afterChange is set if a job before this one may have changed files.
	afterChange bool
	began       time.Time
	ended       time.Time // end of the last step
	// active is the time that the steps took, waited the part of it in which they waited for
	// a person.
	active time.Duration
	waited atomic.Int64
}

// schedule runs the calls of one response and returns them finished. The order is that of the
// calls, except that tools with Spec.First run first. Calls are looked up among the tools that
// the request declared, even if the registry has changed since.
func (r *run) schedule(ctx context.Context, calls []*ToolCall) ([]ToolFinished, error) {
	jobs := make([]*job, len(calls))
	for i, call := range calls {
		jobs[i] = &job{call: call}
		jobs[i].tool, _ = r.tools.Lookup(call.Name)
	}
	slices.SortStableFunc(jobs, func(a, b *job) int { return b.rank() - a.rank() })
	return r.finishAll(ctx, jobs)
}

// finishAll runs jobs and returns them finished, in the same order. A job that may change
// something runs alone, after all jobs before it and before all jobs after it; consecutive jobs
// that change nothing form a group and run at the same time, and so do consecutive calls of agents. All jobs of a group pass the gate
// before any of them runs. If a person refuses a job, the jobs of later groups do not run. After a
// failed edit, the commands of later groups do not run. If the consumer stops reading or ctx ends,
// finishAll cancels the remaining jobs and returns an error; the results are complete even then.
func (r *run) finishAll(ctx context.Context, jobs []*job) ([]ToolFinished, error) {
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
			left = r.runGroup(ctx, group, r.prepare)
		}
		if slices.ContainsFunc(group, func(j *job) bool { return j.refused }) {
			for _, j := range rest {
				j.status, j.reason = CallCancelled, notRunText
			}
		}
		if left == nil {
			left = r.runGroup(ctx, group, r.execute)
		}
		for _, j := range group {
			if j.isFailedEdit() {
				skipCommands(rest, j)
			}
			f := r.finish(ctx, j)
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

// groupSize returns the number of leading jobs that may run at the same time.
func groupSize(jobs []*job) int {
	first := jobs[0].isAgent()
	n := slices.IndexFunc(jobs, func(j *job) bool { return j.runsAlone() || j.isAgent() != first })
	if n >= 0 {
		return max(n, 1)
	}
	return len(jobs)
}

// rank returns the sort key of a job: a job with a higher rank runs earlier.
func (j *job) rank() int {
	if j.tool != nil && j.tool.Spec().First {
		return 1
	}
	return 0
}

// kind returns the kind of the tool that is called.
func (j *job) kind() tool.Kind {
	if j.tool == nil {
		return tool.KindOther
	}
	return j.tool.Spec().Kind
}

// runsAlone reports whether no other job may run at the same time: the call may change what
// another call of the response reads or changes, or the model asked for it.
func (j *job) runsAlone() bool {
	return j.tool != nil && !changesNothing(j.tool) && !j.isAgent() || mustWait(j.call.Args)
}

// isAgent reports whether the call runs an agent. Agents may change files, but the model that calls
// several of them in one response wants them to work at the same time.
func (j *job) isAgent() bool {
	return j.tool != nil && j.tool.Spec().Kind == tool.KindAgent && !j.tool.Spec().Serial
}

// changesNothing reports whether calls of a tool may run beside other calls. What is not known to
// change nothing counts as changing something, such as a tool of an MCP server without a
// readOnlyHint.
func changesNothing(t tool.Tool) bool { return isReadOnly(t) && !t.Spec().Serial }

// isReadOnly reports whether a tool is known to change no files.
func isReadOnly(t tool.Tool) bool {
	switch t.Spec().Kind {
	case tool.KindRead, tool.KindSearch, tool.KindFetch, tool.KindThink, tool.KindCommunicate:
		return true
	case tool.KindOther:
		server, ok := tool.As[tool.Remote](t)
		return ok && server.Annotations()["readOnlyHint"] == true
	}
	return false
}

// isFailedEdit reports whether the call was to change files and has failed.
func (j *job) isFailedEdit() bool {
	if j.tool == nil || j.status != Failed {
		return false
	}
	switch j.tool.Spec().Kind {
	case tool.KindEdit, tool.KindDelete, tool.KindMove:
		return true
	}
	return false
}

// skipCommands cancels the commands among jobs, which the model wrote for the files as edit would
// have left them.
func skipCommands(jobs []*job, edit *job) {
	for _, j := range jobs {
		if j.status == "" && j.tool != nil && j.tool.Spec().Kind == tool.KindExecute {
			j.status, j.reason = CallCancelled, withoutEditText(edit)
		}
	}
}

// runGroup runs step for all unfinished jobs of a group at the same time. It passes their
// events to the consumer on this goroutine and returns when all have ended. If the consumer
// stops reading, emit cancels the jobs.
func (r *run) runGroup(ctx context.Context, group []*job, step func(context.Context, *job, func(Event))) error {
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
			began := r.cfg.Now()
			step(ctx, j, func(e Event) { events <- e })
			j.ended = r.cfg.Now()
			j.active += j.ended.Sub(began)
		})
	}
	go func() { wg.Wait(); close(events) }()
	var left error
	for e := range events {
		if left == nil {
			left = r.emit(e)
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
func (r *run) prepare(ctx context.Context, j *job, emit func(Event)) {
	j.began = r.cfg.Now()
	emit(ToolUpdated{Call: j.call, Status: Validating, Kind: j.kind()})
	switch {
	case ctx.Err() != nil:
		j.status, j.reason = CallCancelled, cancelledText
		return
	case r.warnings[j.call] != nil:
		j.status, j.result = Failed, r.warnings[j.call]
		return
	case j.tool == nil:
		j.result = tool.Fail(tool.ErrNotRegistered, r.notFound(j.call))
		j.status = Failed
		return
	}
	j.admission = r.cfg.Gate.Admit(ctx, j.call, j.tool, func(ctx context.Context, q *Question) (tool.Answer, error) {
		return r.ask(ctx, j, q, emit)
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

// offered returns the tools of the last request, or those of the registry if there was no
// request.
func (r *run) offered() *tool.Snapshot {
	if r.tools == nil {
		return r.cfg.Tools.Snapshot()
	}
	return r.tools
}

// notFound returns the answer to a call of a tool that was not offered: why it is not, or which
// tools there are.
func (r *run) notFound(call *ToolCall) string {
	if r.cfg.NotFound != nil {
		if text := r.cfg.NotFound(call.Name); text != "" {
			return text
		}
	}
	if r.cfg.WhyHidden != nil {
		if why := r.cfg.WhyHidden(call.Name); why != "" {
			return fmt.Sprintf("Tool %q is not available now: %s", call.Name, why)
		}
		for _, name := range r.offered().Meant(call.Name) {
			if why := r.cfg.WhyHidden(name); why != "" {
				return fmt.Sprintf("Tool %q not found. Here it is %q, which is not available now: %s", call.Name, name, why)
			}
		}
	}
	return r.offered().NotFound(call.Name)
}

// ask asks a person about a job. The time until the answer is not time that the job takes.
func (r *run) ask(ctx context.Context, j *job, q *Question, emit func(Event)) (tool.Answer, error) {
	began := r.cfg.Now()
	a, err := ask(ctx, j.call, q, emit)
	j.waited.Add(int64(r.cfg.Now().Sub(began)))
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
func (r *run) execute(ctx context.Context, j *job, emit func(Event)) {
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
			Earlier: r.earlier(j),
		},
		Ask: func(ctx context.Context, q *Question) (tool.Answer, error) {
			ctx, stop := context.WithCancelCause(ctx)
			defer stop(nil)
			defer context.AfterFunc(running, func() { stop(errCallOver) })()
			a, err := r.ask(ctx, j, q, func(e Event) { show(e) })
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

// wasCutOff reports whether the end of the run has cancelled the job.
func (j *job) wasCutOff() bool {
	return j.status == CallCancelled && (j.reason == cancelledText || j.reason == stoppedText)
}

// finish returns the last event of a job.
func (r *run) finish(ctx context.Context, j *job) ToolFinished {
	if j.status == "" { // the job did not run
		j.status, j.reason = CallCancelled, cancelledText
	}
	isInterrupted := j.wasCutOff() && r.isInterrupted(ctx)
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
	f.Response = responseParts(j.call, j.kind(), j.result, catalog.SupportsNestedMedia(r.chosen))
	return f
}

// executions returns the records of a job that has its final status.
func (j *job) executions() []Execution {
	if j.records != nil {
		last := &j.records[len(j.records)-1]
		last.Status = j.status // the call may have been cancelled while it ran
		return j.records
	}
	x := j.admission.Record
	if x.Name == "" { // it did not reach the gate
		x = Refused(j.call, nil)
	}
	x.Status, x.Result, x.HasRun = j.status, j.result, j.hasRun
	if x.Result == nil {
		x.Result = &tool.Result{}
	}
	x.Began, x.Duration, x.Active = j.began, j.ended.Sub(j.began), max(0, j.active-time.Duration(j.waited.Load()))
	return []Execution{x}
}
