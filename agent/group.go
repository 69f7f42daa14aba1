package agent

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"pollux/llm"
	"pollux/tool"
)

// maxParallel limits the number of calls that run at the same time.
const maxParallel = 32

// report is what the goroutine of a job passes to that of the consumer: an event, or the end of a step.
type report struct {
	event Event
	ended *job // nil for an event
}

// announcement is the first event of a job, or its end, for which the next job waits. It is nil for the last job.
type announcement struct {
	once sync.Once
	made chan struct{}
}

func (a *announcement) announce() {
	if a != nil {
		a.once.Do(func() { close(a.made) })
	}
}

func (a *announcement) wait() {
	if a != nil {
		<-a.made
	}
}

// runGroup runs step for all unfinished jobs of a group at the same time. It passes their events to the consumer on
// this goroutine, reports the end of each job that has run as soon as it has, and returns when all steps have ended.
// Each job starts after the first event of the job before it, so that the consumer learns of them in their order.
// If the consumer stops reading, emit cancels the jobs.
func (b *batch) runGroup(ctx context.Context, group []*job, step func(context.Context, *job, func(Event))) {
	reports := make(chan report)
	var failed panics
	go func() {
		defer close(reports)
		var slots chan struct{} // nil if all jobs may run at the same time
		if len(group) > maxParallel {
			slots = make(chan struct{}, maxParallel)
		}
		var wg sync.WaitGroup
		defer wg.Wait()
		for i, j := range group {
			if j.status != "" {
				continue
			}
			if slots != nil {
				slots <- struct{}{}
			}
			var first *announcement
			if i < len(group)-1 {
				first = &announcement{made: make(chan struct{})}
			}
			wg.Go(func() {
				if slots != nil {
					defer func() { <-slots }()
				}
				defer first.announce()
				defer failed.catch()
				began := b.cfg.Now()
				step(ctx, j, func(e Event) { reports <- report{event: e}; first.announce() })
				j.ended = b.cfg.Now()
				j.active += j.ended.Sub(began)
				reports <- report{ended: j}
			})
			first.wait()
		}
	}()
	for r := range reports {
		switch {
		case r.ended == nil:
			_ = b.out.emit(r.event) // the consumer remembers that it has left
		case r.ended.hasRun:
			b.end(ctx, r.ended)
		}
	}
	failed.raise()
}

// end finishes a job that has not been finished yet, and reports its end.
func (b *batch) end(ctx context.Context, j *job) {
	if j.finished == nil {
		j.finished = new(b.finish(ctx, j))
		b.recordEnd(j)
		_ = b.out.emit(*j.finished) // the consumer remembers that it has left
	}
}

// recordBegin records that a job begins to run, unless its tool only reads.
func (b *batch) recordBegin(j *job) {
	switch j.kind() {
	case tool.KindRead, tool.KindSearch, tool.KindThink:
		return
	}
	if recorder, ok := b.cfg.Journal.(CallRecorder); ok && !j.call.FromClient {
		_ = recorder.BeginCall(j.call.ID) // the journal itself warns the user
	}
}

// recordEnd records the result of a finished job: with those of all jobs if it is the last one of a batch whose message
// has an id.
func (b *batch) recordEnd(j *job) {
	recorder, ok := b.cfg.Journal.(CallRecorder)
	switch {
	case !ok || j.call.FromClient:
	case b.resultsID != "" && !slices.ContainsFunc(b.jobs, func(j *job) bool { return j.finished == nil }):
		b.results = b.Agent.results(outgoing{id: b.resultsID}, b.finished())
		b.conv.recordResults(b.results, j.ended)
	default:
		e := Entry{Message: Message{Content: llm.User(j.finished.Response...)}, Calls: []CallRecord{b.callRecord(*j.finished)}}
		e.Time = b.cfg.Now()
		_ = recorder.EndCall(e)
	}
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
