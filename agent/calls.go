package agent

import (
	"cmp"
	"context"
	"slices"

	"pollux/llm"
	"pollux/tool"
)

// runCalls runs the calls of a turn and returns their results as the next message.
func (r *run) runCalls(ctx context.Context, t *turn) (outgoing, error) {
	r.reportRewritten()
	b := &batch{requester: r.requester, tools: t.tools, refused: t.refused, resultsID: newMessageID()}
	finished, err := b.run(ctx, t.calls)
	if b.results.content == nil {
		b.results = r.results(outgoing{id: b.resultsID}, finished)
	}
	return r.collect(ctx, b.results, finished, err)
}

// results returns the message with the results of calls, after those in done.
func (a *Agent) results(done outgoing, finished []ToolFinished) outgoing {
	m := outgoing{id: done.id, content: llm.User(), records: make([]CallRecord, len(done.records), len(done.records)+len(finished))}
	copy(m.records, done.records)
	if done.content != nil {
		m.content.Parts = slices.Clone(done.content.Parts)
	}
	m.content.Parts = slices.Grow(m.content.Parts, len(finished))
	for _, f := range finished {
		m.content.Parts = append(m.content.Parts, f.Response...)
		m.records = append(m.records, a.callRecord(f))
	}
	m.results = m.content
	return m
}

// collect returns m, the results of finished calls, as the next message. The error of the calls, or a
// result that ends the run, is the error of collect; the message joins the history then.
func (r *run) collect(ctx context.Context, m outgoing, finished []ToolFinished, err error) (outgoing, error) {
	cancelled, stop, text := true, (*tool.Error)(nil), ""
	if err == nil {
		r.review(ctx, &m, finished)
	}
	r.edits.note(finished)
	for _, f := range finished {
		cancelled = cancelled && f.Status == CallCancelled && len(f.Result.Content) == 0
		if e := f.Result.Error; e != nil && e.Type == tool.ErrStopExecution {
			stop = e
		}
		text = cmp.Or(f.Result.Answer, text)
		if f.Status == CallCancelled && f.Began.IsZero() {
			r.cfg.LoopDetector.Observe(f)
		}
	}
	switch {
	case err != nil:
		return m, err
	case stop != nil:
		return m, r.out.end(Stopped{Reason: stop.Message, ByTool: true})
	case cancelled:
		return m, r.out.end(Cancelled{})
	case text != "":
		return outgoing{}, r.answer(ctx, m, text)
	}
	return m, nil
}

// answer ends the run with an answer that a tool gave.
func (r *run) answer(ctx context.Context, m outgoing, text string) error {
	r.conv.push(ctx, Message{ID: m.id, Content: m.results}, m.records...)
	r.conv.push(ctx, Message{Content: llm.Model(llm.Text(text))})
	r.respond(text)
	return r.out.end(Text{text})
}

func (a *Agent) callRecord(f ToolFinished) CallRecord {
	record := CallRecord{
		ID: f.Call.ID, Name: f.Call.Name, Args: f.Call.Args, Status: f.Status,
		Description: f.Summary(), Display: f.Result.Display, AgentID: f.Result.AgentID, HasRun: f.HasRun(), IsInterrupted: f.IsInterrupted,
		Executions: withoutContent(f.Executions),
		Ended:      f.Began.Add(f.Duration), Active: f.Active,
	}
	if t, ok := a.cfg.Tools.Lookup(f.Call.Name); ok {
		record.Plain = t.Spec().Plain
	}
	return record
}

// nothing is the result of all executions that have nothing to show. It is not to be changed.
var nothing tool.Result

// withoutContent returns records without the content for the model, which is in the history.
func withoutContent(list []Execution) []Execution {
	list = slices.Clone(list)
	for i := range list {
		if list[i].Result.Display == nil {
			list[i].Result = &nothing
			continue
		}
		list[i].Result = &tool.Result{Display: list[i].Result.Display}
	}
	return list
}
