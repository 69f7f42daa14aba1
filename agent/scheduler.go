package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/tool"
)

// batch runs the calls of one response.
type batch struct {
	*requester
	tools   *tool.Snapshot             // declared by the request
	refused map[*ToolCall]*tool.Result // results of calls that do not run

	// resultsID is the id of the message with the results of all jobs, "" if other results join them; results is the
	// message, with content if the journal has it.
	resultsID string
	results   outgoing
	jobs      []*job
}

// run runs calls and returns them finished. The order is that of the calls, except that tools with
// Spec.First run first. Calls are looked up among the tools that the request declared, even if the
// registry has changed since.
func (b *batch) run(ctx context.Context, calls []*ToolCall) ([]ToolFinished, error) {
	b.jobs = make([]*job, len(calls))
	for i, call := range calls {
		b.jobs[i] = newJob(call, b.tools)
	}
	slices.SortStableFunc(b.jobs, func(x, y *job) int { return y.rank() - x.rank() })
	err := b.finishAll(tool.WithConversation(ctx, b.conv.identity()), b.jobs)
	return b.finished(), err
}

// finished returns the last events of the jobs, which have all ended.
func (b *batch) finished() []ToolFinished {
	finished := make([]ToolFinished, len(b.jobs))
	for i, j := range b.jobs {
		finished[i] = *j.finished
	}
	return finished
}

// finishAll runs jobs until all of them have ended. Consecutive jobs that may run at the
// same time, by the rule of [Config].Parallel, form a group; a group runs after all jobs before it and before
// all jobs after it. All jobs of a group pass the gate before any of them runs, except that a group of changes ends
// with a question to a person. If a hook or a person then has changed the effect of a job, the group runs in parts. If
// a person refuses a job, the jobs of later groups do not run. After a failed edit, the commands of later groups do not
// run. The parts of one change are a group, too, which runs one after the other, and of which all run or none. If the
// consumer stops reading or ctx ends, finishAll cancels the remaining jobs and returns an error; all jobs have ended even
// then.
func (b *batch) finishAll(ctx context.Context, jobs []*job) error {
	changed := false
	for _, j := range jobs {
		if len(jobs) > 1 {
			j.foresee()
		}
		j.afterChange = changed
		changed = changed || !j.effect.Reads
	}
	for rest := jobs; len(rest) > 0; {
		group := rest[:b.groupSize(rest)]
		isJoined := rest[0].call.Joined > 0
		switch {
		case b.out.hasLeft:
		case isJoined:
			b.prepareJoined(ctx, group)
		default:
			group = b.prepareGroup(ctx, group)
		}
		rest = rest[len(group):]
		for _, j := range group {
			if j.status != "" { // the gate let it not pass
				b.end(ctx, j)
			}
		}
		if slices.ContainsFunc(group, func(j *job) bool { return j.refused }) {
			for _, j := range rest {
				j.cancel(afterRefusal)
			}
		}
		if len(group) > 1 {
			for _, j := range group {
				j.foresee()
			}
		}
		for part := group; len(part) > 0 && !b.out.hasLeft; {
			n := b.cfg.Parallel().groupSize(part)
			enter(part[:n])
			b.runGroup(ctx, part[:n], b.execute)
			if isJoined && part[0].status == Failed {
				cancelParts(group, part[0])
			}
			part = part[n:]
		}
		for _, j := range group {
			if j.isFailedEdit() {
				skipCommands(rest, j)
			}
			b.end(ctx, j)
		}
	}
	switch {
	case b.out.hasLeft:
		return errLeft
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return nil
}

// enter announces the run of a group to its invocations, in the order of the calls.
func enter(group []*job) {
	for _, j := range group {
		if j.status != "" || j.admission.Call == nil {
			continue
		}
		if o, ok := tool.As[tool.Ordered](j.admission.Call.Invocation()); ok {
			o.Enter()
		}
	}
}

// prepareGroup passes the jobs of a group through the gate, and returns those that may run now: all of them, at the
// same time; or, if they may change something, one after the other up to the first about which a person was asked, so
// that what the person has allowed is done before the next question.
func (b *batch) prepareGroup(ctx context.Context, group []*job) []*job {
	if !slices.ContainsFunc(group, func(j *job) bool { return !j.effect.Reads && !j.isAgent() }) {
		step := b.prepare
		if len(group) > 1 {
			l := newLineup(group)
			step = func(ctx context.Context, j *job, emit func(Event)) { l.prepare(ctx, j, emit, b.prepare) }
		}
		b.runGroup(ctx, group, step)
		return group
	}
	for i, j := range group {
		b.runGroup(ctx, group[i:i+1], b.prepare)
		if b.out.hasLeft || j.wasAsked.Load() {
			return group[:i+1]
		}
	}
	return group
}

// prepare looks up the tool and calls the gate. Afterwards the job either has a final status
// or is admitted. A call that completes a loop is answered with a warning instead.
func (b *batch) prepare(ctx context.Context, j *job, emit func(Event)) {
	j.began = b.cfg.Now()
	emit(ToolUpdated{Call: j.call, Status: Validating, Kind: j.kind()})
	switch {
	case ctx.Err() != nil:
		j.cancel(beforeBegin)
		return
	case b.refused[j.call] != nil:
		j.status, j.result = Failed, b.refused[j.call]
		return
	case j.tool == nil && !b.findLate(ctx, j):
		j.status, j.result = Failed, tool.Fail(tool.ErrNotRegistered, b.notFound(j.call))
		return
	}
	j.admission = b.cfg.Gate.Admit(ctx, j.call, j.tool, func(ctx context.Context, q *Question) (tool.Answer, error) {
		return b.ask(ctx, j, q, emit)
	})
	a := &j.admission
	b.load(j)
	switch {
	case a.Cancelled && ctx.Err() != nil:
		j.cancel(inQuestion)
		j.result = a.Record.Result
	case a.Cancelled:
		j.cancel(cancellation{text: refusedText(a.Record.Result)})
		j.result, j.refused = a.Record.Result, true
	case a.Run == nil:
		j.status, j.result = Failed, a.Record.Result
	default:
		u := ToolUpdated{Call: j.call, Status: Scheduled, Summary: a.Record.Summary, Kind: j.kind()}
		u.run(a.Call)
		emit(u)
	}
}

// findLate looks up the tool of a job once more if the request did not declare it, and reports whether a server has
// offered it since.
func (b *batch) findLate(ctx context.Context, j *job) bool {
	b.cfg.Settle(ctx)
	t, found := b.cfg.Tools.Lookup(j.call.Name)
	if found {
		if _, found = tool.As[tool.Remote](t); found {
			j.tool = t
		}
	}
	return found
}

// load makes later requests declare the tool of a job that passed the gate, or whose arguments are wrong, if the
// request left the tool out. Wrong arguments are answered with those that the tool takes.
func (b *batch) load(j *job) {
	r, name := j.admission.Record.Result, j.tool.Spec().Name
	isWrong := j.admission.Run == nil && r != nil && r.Error != nil && r.Error.Type == tool.ErrInvalidParams
	now := b.cfg.Tools.Snapshot()
	isDeclared := func(f llm.FunctionDeclaration) bool { return f.Name == name }
	if j.admission.Run == nil && !isWrong || !now.IsFindable(name) || slices.ContainsFunc(b.declarations(b.model, now).Functions, isDeclared) {
		return
	}
	b.cfg.Tools.Load(name)
	if isWrong {
		answer, cause := *r, *r.Error
		cause.Message += "\nThe arguments of " + name + " by its JSON schema: " + string(j.tool.Spec().Schema)
		answer.Error = &cause
		j.admission.Record.Result = &answer
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
			return fmt.Sprintf("Tool %q not found in this run: %s", call.Name, why)
		}
		for _, name := range b.tools.Meant(call.Name) {
			if why := b.cfg.WhyHidden(name); why != "" {
				return fmt.Sprintf("Tool %q not found. Here it is %q, which is not available now: %s", call.Name, name, why)
			}
		}
	}
	return b.tools.NotFound(call.Name)
}

// ask sends a question about a job to the consumer and waits for the answer. The time until then is not
// time that the job takes.
func (b *batch) ask(ctx context.Context, j *job, q *Question, emit func(Event)) (tool.Answer, error) {
	began := b.cfg.Now()
	j.wasAsked.Store(true)
	defer func() { j.waited.Add(int64(b.cfg.Now().Sub(began))) }()
	ctx, done := context.WithCancel(ctx)
	defer done()
	answers := make(chan tool.Answer, 1)
	about := q.About()[0]
	emit(ToolUpdated{Call: j.call, Status: AwaitingApproval, Kind: about.tool.Spec().Kind, Locations: about.locations})
	emit(ToolAsked{Call: j.call, Question: q, Done: ctx.Done(), Answer: func(a tool.Answer) {
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

func (b *batch) execute(ctx context.Context, j *job, emit func(Event)) {
	if ctx.Err() != nil {
		j.cancel(beforeBegin)
		return
	}
	p := &progress{emit: emit, update: ToolUpdated{Call: j.call, Status: Executing, Summary: j.admission.Record.Summary, Kind: j.kind()}}
	p.update.run(j.admission.Call)
	b.recordBegin(j)
	emit(p.update)
	running, ended := context.WithCancel(ctx)
	defer ended()
	j.hasRun = true
	j.records = j.admission.Run(ctx, Host{
		Tool: tool.Host{
			CallID:  j.call.ID,
			Output:  func(d tool.Display) { p.report(func(u *ToolUpdated) { u.Output = d }) },
			Started: func(pid int) { p.report(func(u *ToolUpdated) { u.PID = pid }) },
			Nested:  func(e tool.NestedEvent) { showNested(j.call, e, p.show) },
			Earlier: b.earlier(j),
		},
		Ask: func(ctx context.Context, q *Question) (tool.Answer, error) {
			ctx, stop := context.WithCancelCause(ctx)
			defer stop(nil)
			defer context.AfterFunc(running, func() { stop(errCallOver) })()
			a, err := b.ask(ctx, j, q, func(e Event) { p.show(e) })
			p.report(func(*ToolUpdated) {}) // the call is executing again
			return a, err
		},
		Continues: func(call *PreparedCall) {
			p.report(func(u *ToolUpdated) {
				u.run(call)
				u.Output, u.PID = nil, 0
			})
		},
	})
	j.result = j.records[len(j.records)-1].Result
	p.end()
	ended()
	switch {
	case ctx.Err() != nil:
		j.cancel(whileRunning)
	case j.result.Error != nil:
		j.status = Failed
	default:
		j.status = Success
	}
}

// finish returns the last event of a job.
func (b *batch) finish(ctx context.Context, j *job) ToolFinished {
	if j.status == "" { // the job did not run
		j.cancel(beforeBegin)
	}
	isInterrupted := j.wasCutOff() && b.isInterrupted(ctx)
	switch {
	case isInterrupted && j.hasRun:
		j.why.text = CutOff
	case isInterrupted:
		j.why = atEnd
	}
	f := ToolFinished{
		Call: j.call, Status: j.status, Reason: j.why.reason, Result: j.result, Executions: j.executions(), IsInterrupted: isInterrupted,
		Began: j.began, Duration: j.ended.Sub(j.began), Active: max(0, j.active-time.Duration(j.waited.Load())),
	}
	if j.status == CallCancelled {
		output := "" // until the call was stopped
		if !j.refused && j.result != nil && j.result.Error == nil {
			output = llm.PartsText(j.result.Content)
		}
		f.Response = cancelledParts(j.call, output, j.why.text)
		if f.Result == nil {
			f.Result = &tool.Result{}
		}
		return f
	}
	f.Response = responseParts(j.call, j.kind(), j.result, catalog.SupportsNestedMedia(b.model))
	return f
}
