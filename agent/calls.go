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
	finished, err := (&batch{requester: r.requester, tools: t.tools, refused: t.refused}).run(ctx, t.calls)
	return r.collect(ctx, outgoing{content: llm.User()}, finished, err)
}

// collect returns the results of calls as the next message, after those in done. The error of the
// calls, or a result that ends the run, is the error of collect; the message joins the history then.
func (r *run) collect(ctx context.Context, done outgoing, finished []ToolFinished, err error) (outgoing, error) {
	results, records := llm.User(slices.Clone(done.content.Parts)...), slices.Clone(done.records)
	cancelled, stop, text := true, (*tool.Error)(nil), ""
	for _, f := range finished {
		results.Parts = append(results.Parts, f.Response...)
		records = append(records, r.callRecord(f))
		cancelled = cancelled && f.Status == CallCancelled && len(f.Result.Content) == 0
		if e := f.Result.Error; e != nil && e.Type == tool.ErrStopExecution {
			stop = e
		}
		text = cmp.Or(f.Result.Answer, text)
		if f.Status == CallCancelled && f.Began.IsZero() {
			r.cfg.LoopDetector.Observe(f)
		}
	}
	m := outgoing{content: results, results: results, records: records}
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
	r.conv.push(ctx, Message{Content: m.results}, m.records...)
	r.conv.push(ctx, Message{Content: llm.Model(llm.Text(text))})
	r.respond(text)
	return r.out.end(Text{text})
}

// callRecord returns the journal's record of a finished call.
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

// withoutContent returns records without the content for the model, which is in the history.
func withoutContent(list []Execution) []Execution {
	list = slices.Clone(list)
	for i := range list {
		list[i].Result = &tool.Result{Display: list[i].Result.Display}
	}
	return list
}
