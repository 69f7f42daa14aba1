package agent

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"pollux/llm"
	"pollux/tool"
)

// Proposal is a tool call to propose again, see [Agent.Redo].
type Proposal struct {
	// Results is the id of the message with the call's result, and CallID the id of the call.
	Results, CallID string
	// Records are those that the journal has of the calls in that message.
	Records []CallRecord
	// PromptID is the id of the requests of the run. If it is "", [Agent.Redo] makes one.
	PromptID string
}

// ErrNoCall is the error of [Agent.Redo] for a call that is not in the history.
var ErrNoCall = errors.New("the conversation does not have this call any more")

// Redo returns to the state of the conversation before a tool call, proposes the call again, and
// yields the events of the run that follows, as [Agent.Run] does. Calls of the same response keep
// the results that they have before this one; the others are proposed again, too. A person is asked
// before each call that may change something, whatever the policy allows. If there is no such call,
// nothing changes and the error is [ErrNoCall].
func (a *Agent) Redo(ctx context.Context, p Proposal) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		a.running.Lock()
		defer a.running.Unlock()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		q := a.begin(ctx, p.PromptID, yield, cancel)
		at, done, calls := a.conv.findCall(p)
		if len(calls) == 0 {
			yield(nil, ErrNoCall)
			return
		}
		a.conv.cut(ctx, at)
		a.conv.markPrompt()
		a.conv.hasIDEContext = false
		q.model = a.chosenModel()
		r := newRun(q, a.conv.lastPrompt())
		m, err := r.repeat(ctx, calls, done, p.Records)
		r.finishRun(ctx, m, err)
	}
}

// findCall returns the index of the message with the result of a call, the parts of this message
// that precede the result, and the calls of the response that have no result in these.
func (c *conversation) findCall(p Proposal) (at int, done []llm.Part, calls []*llm.FunctionCall) {
	at = slices.IndexFunc(c.history.all, func(m Message) bool { return m.ID == p.Results })
	if at < 1 {
		return 0, nil, nil
	}
	isResult := func(id string) func(llm.Part) bool {
		return func(p llm.Part) bool { return p.FunctionResponse != nil && p.FunctionResponse.ID == id }
	}
	parts := c.history.all[at].Content.Parts
	n := slices.IndexFunc(parts, isResult(p.CallID))
	if n < 0 {
		return 0, nil, nil
	}
	done = slices.Clone(parts[:n])
	for _, fc := range c.history.all[at-1].Content.FunctionCalls() {
		if !slices.ContainsFunc(done, isResult(fc.ID)) {
			calls = append(calls, fc)
		}
	}
	return at, done, calls
}

// repeat runs calls at the end of the history again and continues with their results, which follow
// the results in parts. It returns the last message, as run.work does.
func (r *run) repeat(ctx context.Context, calls []*llm.FunctionCall, parts []llm.Part, records []CallRecord) (outgoing, error) {
	done := outgoing{content: llm.User(parts...)}
	for _, p := range parts {
		if p.FunctionResponse != nil {
			done.records = append(done.records, recordOf(p.FunctionResponse, records))
		}
	}
	if len(parts) > 0 { // the journal keeps them if the process ends during the calls
		r.conv.join(ctx, &done)
	}
	b := &batch{requester: r.requester, tools: r.cfg.Tools.Snapshot()}
	var again []*ToolCall
	room := r.windowAfter().roomOfCall(len(calls))
	for _, fc := range calls {
		t, ok := b.tools.Lookup(fc.Name)
		call := &ToolCall{
			ID: fc.ID, Name: fc.Name, Args: fc.Args, PromptID: r.promptID, Room: room,
			MustAsk: !ok || !tool.EffectOf(t, nil).Reads,
		}
		again = append(again, call)
		_ = r.out.emit(ToolRequested{call}) // after an error, the batch cancels the calls
	}
	finished, err := b.run(ctx, again)
	r.conv.leave(ctx, &done)
	done.id = newMessageID()
	results := r.results(done, finished)
	r.conv.recordResults(results, time.Time{})
	m, err := r.collect(ctx, results, finished, err)
	return r.work(ctx, m, err)
}

// recordOf returns the record of the call with this result.
func recordOf(result *llm.FunctionResponse, records []CallRecord) CallRecord {
	if i := slices.IndexFunc(records, func(c CallRecord) bool { return c.ID == result.ID }); i >= 0 {
		return records[i]
	}
	return CallRecord{ID: result.ID, Name: result.Name, Status: Success}
}

func (c *conversation) lastPrompt() string {
	for _, m := range slices.Backward(c.history.all) {
		if m.IsPrompt {
			return cmp.Or(m.Shown, m.Content.Text())
		}
	}
	return ""
}
